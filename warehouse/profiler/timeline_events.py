"""What a memory timeline is made from: operators as a tree, allocations in them, and which storage each tensor had
(framework-files.md 5.12)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import prod
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from warehouse.batches.chunk_folder import ChunkFolder, open_chunk_folder, read_chunk
from warehouse.batches.recorded_inputs import BadInputsError, RecordedInput, RecordedTensor, decode_inputs
from warehouse.batches.recorded_ops import OP_TABLES, OpForms
from warehouse.errors import InputError
from warehouse.readers.recorded_clock import RecordedClock

Device: TypeAlias = "tuple[int, int]"  # (type, index)
BACKWARD = 1  # scope of a backward function
_BLOCK_FREE = 2


class Key(NamedTuple):
    """One storage between its allocation and its release; `is_tensor`: some tensor was seen to use it."""

    storage: int
    device: Device
    is_tensor: bool


@dataclass
class Allocation:
    """Memory that was taken (`size` > 0) or given back."""

    time: int
    address: int
    size: int
    device: Device
    storage: int = -1


@dataclass
class Op:
    """One operator; `inputs` with the storage number of each tensor beside it."""

    start: int
    end: int
    thread: int
    name: str
    scope: int
    inputs: list[RecordedInput]
    storages: list[list[int]] = field(default_factory=list)
    parent: Op | None = None
    children: list[Op | Allocation] = field(default_factory=list)

    def tensors(self) -> Iterator[tuple[int, int]]:
        """(place of the input, storage) of every tensor."""
        for place, storages in enumerate(self.storages):
            for storage in storages:
                yield place, storage

    def subtree(self) -> Iterator[Op | Allocation]:
        """Itself and all that lies in it, in order."""
        waiting: list[Op | Allocation] = [self]
        while waiting:
            each = waiting.pop()
            yield each
            if isinstance(each, Op):
                waiting += reversed(each.children)

    @property
    def is_backward(self) -> bool:
        """Whether it or an operator around it is of the backward pass."""
        op: Op | None = self
        while op is not None:
            if op.scope == BACKWARD:
                return True
            op = op.parent
        return False


@dataclass
class Parameters:
    """Storages of the program's parameters, of their gradients, and of what optimizers keep for them."""

    weights: set[int] = field(default_factory=set)
    gradients: set[int] = field(default_factory=set)
    states: set[int] = field(default_factory=set)


@dataclass
class Events:
    """Everything in the order of its start."""

    roots: list[Op | Allocation] = field(default_factory=list)
    allocations: list[Allocation] = field(default_factory=list)
    parameters: Parameters = field(default_factory=Parameters)
    tensor_storages: set[int] = field(default_factory=set)
    device_of: dict[int, Device] = field(default_factory=dict)
    bytes_of: dict[int, int] = field(default_factory=dict)  # by tensors that were seen, where no allocation tells it
    reserved: dict[Device, int] = field(default_factory=dict)  # most that was reserved
    left_out: int = 0

    def key(self, storage: int) -> Key:
        """The key of a storage."""
        return Key(storage, self.device_of[storage], storage in self.tensor_storages)


def read_events(folder: Path) -> Events:
    """Read a folder of chunks.  InputError if it holds no operators with their tensors."""
    chunks = open_chunk_folder(folder)
    clock = RecordedClock.of(chunks, _anchors(chunks))
    if not clock.is_known:
        raise InputError(f"{folder}: nothing tells what its times mean: it holds no anchors of its clock")
    texts = {number: text.decode(errors="replace") for number, text in _rows(chunks, "string", "string", "text")}
    events = Events()
    ops = list(_ops(chunks, clock, texts, events))
    if not any(op.inputs for op in ops):
        need = "record with record_shapes, profile_memory, and with_stack or with_modules"
        raise InputError(f"{folder}: holds no operators with their tensors; {need}")
    allocations = list(_allocations(chunks, clock, events))
    _number(ops, [allocation for allocation, _ in allocations], list(_parameters(chunks, texts)), events)
    _nest(ops, allocations, events)
    return events


def _rows(chunks: ChunkFolder, table: str, *columns: str) -> Iterator[tuple[Any, ...]]:
    for chunk in chunks.of(table):
        for batch in read_chunk(chunk):
            yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)


def _anchors(chunks: ChunkFolder) -> Iterator[tuple[int, int, int]]:
    yield from _rows(chunks, "anchor", "ticks", "monotonic_raw_ns", "realtime_ns")


def _ops(chunks: ChunkFolder, clock: RecordedClock, texts: dict[int, str], events: Events) -> Iterator[Op]:
    forms = OpForms(batch for chunk in chunks.of("op_form") for batch in read_chunk(chunk))
    for chunk in (chunk for table in OP_TABLES for chunk in chunks.of(table)):
        for batch in map(forms.whole, read_chunk(chunk)):
            start, end = (clock.ns(batch.column(name).to_numpy()).tolist() for name in ("start_ticks", "end_ticks"))
            others = [batch.column(name).to_pylist() for name in ("thread", "name", "scope", "tensors")]
            for first, last, thread, name, scope, tensors in zip(start, end, *others, strict=True):
                try:
                    inputs = decode_inputs(tensors)
                except BadInputsError:
                    events.left_out += 1
                    inputs = []
                yield Op(first, last, thread, texts.get(name, ""), scope, inputs)


def _allocations(
    chunks: ChunkFolder, clock: RecordedClock, events: Events
) -> Iterator[tuple[Allocation, int]]:
    names = ("address", "size_bytes", "device_type", "device_index", "action", "reserved_bytes", "thread")
    for chunk in chunks.of("memory"):
        for batch in read_chunk(chunk):
            times = clock.ns(batch.column("time_ticks").to_numpy()).tolist()
            for time, address, size, kind, index, action, reserved, thread in zip(
                times, *(batch.column(name).to_pylist() for name in names), strict=True
            ):
                events.reserved[kind, index] = max(events.reserved.get((kind, index), 0), reserved)
                if action != _BLOCK_FREE and size:
                    yield Allocation(time, address, size, (kind, index)), thread


def _parameters(chunks: ChunkFolder, texts: dict[int, str]) -> Iterator[dict[str, Any]]:
    """What modules and optimizers hold (profiler/parameters.py)."""
    for number, is_optimizer in _rows(chunks, "parameter", "text", "is_optimizer"):
        try:
            for each in json.loads(texts.get(number, "[]")):
                yield {**each, "is_optimizer": bool(is_optimizer)}
        except (ValueError, TypeError):
            continue


def _number(ops: list[Op], allocations: list[Allocation], parameters: list[dict[str, Any]], events: Events) -> None:
    """Storage numbers: a new one for each address at its first use, and again after it was given back."""
    live: dict[tuple[int, Device], int] = {}

    def storage_at(address: int, device: Device) -> int:
        number = live.get((address, device))
        if number is None:
            number = live[address, device] = len(events.device_of)
            events.device_of[number] = device
        return number

    def tensor(found: RecordedTensor) -> int | None:
        if not found.storage:
            return None
        number = storage_at(found.storage, found.device)
        events.tensor_storages.add(number)
        events.bytes_of[number] = max(events.bytes_of.get(number, 0), _span(found))
        return number

    ordered: list[Op | Allocation] = sorted([*ops, *allocations], key=_time)
    for each in ordered:
        if isinstance(each, Allocation):
            each.storage = storage_at(each.address, each.device)
            if each.size < 0:
                del live[each.address, each.device]
            continue
        each.storages = [[n for n in map(tensor, _tensors(item)) if n is not None] for item in each.inputs]
    for each_parameter in parameters:  # as they were at the end
        _take_parameter(each_parameter, tensor, events.parameters)
    events.allocations = sorted(allocations, key=lambda each: each.time)


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


def _take_parameter(parameter: dict[str, Any], number_of: Any, found: Parameters) -> None:
    places = [("tensor", found.weights), ("grad", found.gradients)]
    for name, storages in places:
        _take_tensor(parameter.get(name), number_of, storages)
    for state in parameter.get("state") or ():
        _take_tensor(state, number_of, found.states)


def _take_tensor(given: Any, number_of: Any, storages: set[int]) -> None:
    if not (isinstance(given, list) and len(given) == 5):
        return
    storage, item_bytes, kind, index, sizes = given
    number = number_of(RecordedTensor(0, storage, item_bytes, 0, (kind, index), tuple(sizes)))
    if number is not None:
        storages.add(number)


def _time(each: Op | Allocation) -> int:
    return each.start if isinstance(each, Op) else each.time


def _nest(ops: list[Op], allocations: list[tuple[Allocation, int]], events: Events) -> None:
    """Each in the innermost operator that is open on its thread."""
    threads: defaultdict[int, list[tuple[int, int, Op | Allocation]]] = defaultdict(list)
    for op in ops:
        threads[op.thread].append((op.start, -op.end, op))
    for allocation, thread in allocations:
        threads[thread].append((allocation.time, 0, allocation))
    for rows in threads.values():
        open_: list[Op] = []
        for time, _, each in sorted(rows, key=lambda row: row[:2]):
            while open_ and open_[-1].end < time:
                open_.pop()
            if open_:
                open_[-1].children.append(each)
            else:
                events.roots.append(each)
            if isinstance(each, Op):
                each.parent = open_[-1] if open_ else None
                open_.append(each)
    events.roots.sort(key=_time)
