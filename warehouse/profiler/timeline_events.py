"""What a memory timeline is made from: operators and allocations of a recording in the order of their times, and which
storage each tensor had (framework-files.md 5.12).

Everything is columns: a recording of hours has millions of each.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from warehouse.batches.chunk_folder import ChunkFolder, open_chunk_folder, read_chunk
from warehouse.batches.recorded_inputs import BadInputsError, RecordedInput, RecordedTensor, decode_inputs
from warehouse.batches.recorded_ops import OP_TABLES, OpForms
from warehouse.errors import InputError
from warehouse.readers.recorded_clock import RecordedClock

Device: TypeAlias = "tuple[int, int]"  # (type, index)
Numbers: TypeAlias = "npt.NDArray[np.int64]"
_BLOCK_FREE = 2
_EVENTS_AT_ONCE = 1 << 16
_MOST_REMEMBERED = 1 << 16  # descriptions of inputs; a training comes back to the same ones


class Tensor(NamedTuple):
    """One tensor among the inputs of an operator: place of the input, start of its storage, device, bytes it spans."""

    place: int
    address: int
    device: Device
    span: int


class Inputs(NamedTuple):
    """What an operator took: the kind of each input, and the tensors."""

    kinds: tuple[str, ...] = ()
    tensors: tuple[Tensor, ...] = ()


class Happening(NamedTuple):
    """An operator, or memory that was taken (`size` > 0) or given back; of an operator `size` is 0."""

    time: int
    end: int
    thread: int
    size: int
    name: str
    scope: int
    inputs: Inputs
    address: int
    device: Device


@dataclass
class Storages:
    """Numbers of storages: a new one for each address at its first use, and again after it was given back."""

    device: list[Device] = field(default_factory=list)
    is_tensor: bytearray = field(default_factory=bytearray)  # some tensor was seen to use it
    span: array[int] = field(default_factory=lambda: array("q"))  # bytes that tensors were seen to use
    _live: dict[tuple[int, Device], int] = field(default_factory=dict)

    def at(self, address: int, device: Device) -> int:
        """The storage that begins there now."""
        number = self._live.get((address, device))
        if number is None:
            number = self._live[address, device] = len(self.device)
            self.device.append(device)
            self.is_tensor.append(0)
            self.span.append(0)
        return number

    def of(self, tensor: Tensor) -> int:
        """The storage of a tensor."""
        number = self.at(tensor.address, tensor.device)
        self.is_tensor[number] = 1
        self.span[number] = max(self.span[number], tensor.span)
        return number

    def release(self, address: int, device: Device) -> None:
        """What began there is over."""
        self._live.pop((address, device), None)


@dataclass
class Events:
    """A recording's operators and allocations; `left_out` operators have inputs that cannot be read."""

    columns: dict[str, Numbers]
    order: Numbers  # of the rows, by time
    op_count: int  # the rows before are operators, the others allocations
    texts: dict[int, str]
    inputs: list[Inputs]
    devices: list[Device]
    reserved: dict[Device, int]  # most that was reserved
    parameters: list[dict[str, Any]]  # what modules and optimizers held at the end (profiler/parameters.py)
    left_out: int

    def in_order(self) -> Iterator[Happening]:
        """All of them by time; where several begin at once, operators first, the longest before."""
        nothing, nowhere = Inputs(), (0, 0)
        for start in range(0, len(self.order), _EVENTS_AT_ONCE):
            rows = self.order[start : start + _EVENTS_AT_ONCE]
            columns = (self.columns[name][rows].tolist() for name in ("time", "end", "thread", "what", "value", "kind"))
            is_op = (rows < self.op_count).tolist()
            for op, time, end, thread, what, value, kind in zip(is_op, *columns, strict=True):
                if op:
                    inputs = self.inputs[value]
                    yield Happening(time, end, thread, 0, self.texts.get(what, ""), kind, inputs, 0, nowhere)
                else:
                    yield Happening(time, time, thread, value, "", 0, nothing, what, self.devices[kind])


def read_events(folder: Path) -> Events:
    """Read a folder of chunks.  InputError if it holds no operators with their tensors."""
    chunks = open_chunk_folder(folder)
    clock = RecordedClock.of(chunks, _rows(chunks, "anchor", "ticks", "monotonic_raw_ns", "realtime_ns"))
    if not clock.is_known:
        raise InputError(f"{folder}: nothing tells what its times mean: it holds no anchors of its clock")
    texts = {number: text.decode(errors="replace") for number, text in _rows(chunks, "string", "string", "text")}
    known = _KnownInputs()
    ops = list(_ops(chunks, clock, known))
    if len(known.inputs) == 1:
        need = "record with record_shapes, profile_memory, and with_stack or with_modules"
        raise InputError(f"{folder}: holds no operators with their tensors; {need}")
    reserved: dict[Device, int] = {}
    devices: dict[Device, int] = {}
    allocations = list(_allocations(chunks, clock, reserved, devices))
    names = ("time", "end", "thread", "what", "value", "kind")
    op_count = sum(len(part["time"]) for part in ops)
    # a column at a time: the parts go as they are put together
    columns = {name: np.concatenate([part.pop(name) for part in (*ops, *allocations)]) for name in names}
    # what lies in another begins later or ends earlier
    second = -columns["end"]
    second[op_count:] = 0
    order = np.lexsort((second, columns["time"]))
    parameters = list(_parameters(chunks, texts))
    return Events(columns, order, op_count, texts, known.inputs, list(devices), reserved, parameters, known.left_out)


def _rows(chunks: ChunkFolder, table: str, *columns: str) -> Iterator[tuple[Any, ...]]:
    for chunk in chunks.of(table):
        for batch in read_chunk(chunk):
            yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)


class _KnownInputs:
    """Inputs by number, each once; 0: none."""

    def __init__(self) -> None:
        self.inputs = [Inputs()]
        self.left_out = 0
        self._numbers = {Inputs(): 0}
        self._remembered: dict[bytes, int] = {b"": 0}

    def number(self, description: bytes) -> int:
        found = self._remembered.get(description)
        if found is not None:
            return found
        try:
            items = decode_inputs(description)
        except BadInputsError:
            self.left_out += 1
            return 0
        tensors = (
            Tensor(place, each.storage, each.device, _span(each))
            for place, item in enumerate(items)
            for each in _tensors(item)
            if each.storage
        )
        inputs = Inputs(tuple(item.kind for item in items), tuple(tensors))
        found = self._numbers.setdefault(inputs, len(self.inputs))
        if found == len(self.inputs):
            self.inputs.append(inputs)
        if len(self._remembered) >= _MOST_REMEMBERED:
            self._remembered.clear()
        self._remembered[description] = found
        return found


def _ops(chunks: ChunkFolder, clock: RecordedClock, known: _KnownInputs) -> Iterator[dict[str, Numbers]]:
    forms = OpForms(batch for chunk in chunks.of("op_form") for batch in read_chunk(chunk))
    for chunk in (chunk for table in OP_TABLES for chunk in chunks.of(table)):
        for batch in map(forms.whole, read_chunk(chunk)):
            start, end = (clock.ns(batch.column(name).to_numpy()) for name in ("start_ticks", "end_ticks"))
            thread, name, scope = (batch.column(column).to_numpy() for column in ("thread", "name", "scope"))
            inputs = np.fromiter(map(known.number, batch.column("tensors").to_pylist()), np.int64, batch.num_rows)
            yield {
                "time": start, "end": end, "thread": thread.astype(np.int32), "what": name.astype(np.int64),
                "value": inputs, "kind": scope.astype(np.int16),
            }  # fmt: skip


def _allocations(
    chunks: ChunkFolder, clock: RecordedClock, reserved: dict[Device, int], devices: dict[Device, int]
) -> Iterator[dict[str, Numbers]]:
    for chunk in chunks.of("memory"):
        for batch in read_chunk(chunk):
            size, kind, index, action, held = (
                batch.column(name).to_numpy()
                for name in ("size_bytes", "device_type", "device_index", "action", "reserved_bytes")
            )
            code = kind.astype(np.int64) * 256 + index + 128
            number = np.zeros(len(code), np.int16)
            for each in np.unique(code).tolist():
                device, own = (each // 256, each % 256 - 128), code == each
                number[own] = devices.setdefault(device, len(devices))
                reserved[device] = max(reserved.get(device, 0), int(held[own].max()))
            good = (action != _BLOCK_FREE) & (size != 0)
            time = clock.ns(batch.column("time_ticks").to_numpy())[good]
            yield {
                "time": time, "end": time, "thread": batch.column("thread").to_numpy()[good].astype(np.int32),
                "what": batch.column("address").to_numpy().view(np.int64)[good], "value": size[good],
                "kind": number[good],
            }  # fmt: skip


def _parameters(chunks: ChunkFolder, texts: dict[int, str]) -> Iterator[dict[str, Any]]:
    for (number,) in _rows(chunks, "parameter", "text"):
        try:
            yield from (each for each in json.loads(texts.get(number, "[]")) if isinstance(each, dict))
        except (ValueError, TypeError):
            continue


def _span(tensor: RecordedTensor) -> int:
    """Bytes from a tensor's first element to its last; one that is expanded takes no more than what it repeats."""
    if 0 in tensor.sizes:
        return 0
    if tensor.strides is None:
        return tensor.item_bytes * prod(tensor.sizes)
    last = sum((size - 1) * abs(stride) for size, stride in zip(tensor.sizes, tensor.strides, strict=True))
    return tensor.item_bytes * (last + 1)


def _tensors(item: RecordedInput) -> Iterable[RecordedTensor]:
    if isinstance(item.value, RecordedTensor):
        return (item.value,)
    if isinstance(item.value, list):
        return (each for each in item.value if isinstance(each, RecordedTensor))
    return ()
