"""Which tensors and values the inputs of a recorded operator were: column `tensors` of table `op`, as
collector_ext/torch/input_description.hpp writes it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import TypeAlias

_NONE, _TENSOR, _TENSOR_LIST, _SCALAR, _SCALAR_LIST = range(5)  # collector_ext/core/input_texts.hpp, input_code
_BOOL, _INT, _DOUBLE = range(3)  # further kinds of scalars have no value
_TENSOR_HEAD = struct.Struct("<QQBBbbBB")
_SCALAR_ITEM = struct.Struct("<B8s")
_LENGTH = struct.Struct("<H")


@dataclass(frozen=True)
class RecordedTensor:
    """One tensor: its object, the start of its storage (0: none), and its form; `device` is (type, index)."""

    impl: int
    storage: int
    item_bytes: int
    scalar_type: int
    device: tuple[int, int]
    sizes: tuple[int, ...]
    strides: tuple[int, ...] | None = None


Scalar: TypeAlias = "bool | int | float | None"
Item: TypeAlias = "RecordedTensor | list[RecordedTensor] | list[Scalar] | Scalar"


@dataclass(frozen=True)
class RecordedInput:
    """An input: `kind` is "tensor", "tensors", "scalar", "scalars" or "none" (also for what has no sizes)."""

    kind: str
    value: Item = None


class BadInputsError(ValueError):
    """The bytes are no description of inputs."""


def decode_inputs(data: bytes) -> list[RecordedInput]:
    """The inputs in their order.  BadInputsError for bytes that are cut or damaged.

    >>> decode_inputs(bytes([3, 1]) + (7).to_bytes(8, "little") + bytes([0]))
    [RecordedInput(kind='scalar', value=7), RecordedInput(kind='none', value=None)]
    """
    reader = _Reader(data)
    found = []
    try:
        while reader.at < len(data):
            found.append(_input(reader))
    except (struct.error, IndexError) as error:
        raise BadInputsError(f"byte {reader.at}: the description is cut") from error
    return found


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.data = data
        self.at = 0

    def take(self, form: struct.Struct) -> tuple[int, ...]:
        found = form.unpack_from(self.data, self.at)
        self.at += form.size
        return found


def _input(reader: _Reader) -> RecordedInput:
    code = reader.data[reader.at]
    reader.at += 1
    if code == _NONE:
        return RecordedInput("none")
    if code == _TENSOR:
        return RecordedInput("tensor", _tensor(reader))
    if code == _SCALAR:
        return RecordedInput("scalar", _scalar(reader))
    if code == _TENSOR_LIST:
        (count,) = reader.take(_LENGTH)
        return RecordedInput("tensors", [_tensor(reader) for _ in range(count)])
    if code == _SCALAR_LIST:
        (count,) = reader.take(_LENGTH)
        return RecordedInput("scalars", [_scalar(reader) for _ in range(count)])
    raise BadInputsError(f"byte {reader.at - 1}: {code} is no kind of input")


def _tensor(reader: _Reader) -> RecordedTensor:
    impl, storage, item_bytes, scalar_type, device_type, device_index, rank, has_strides = reader.take(_TENSOR_HEAD)
    numbers = struct.Struct(f"<{rank}q")
    sizes = reader.take(numbers)
    strides = reader.take(numbers) if has_strides else None
    return RecordedTensor(impl, storage, item_bytes, scalar_type, (device_type, device_index), sizes, strides)


def _scalar(reader: _Reader) -> Scalar:
    kind, raw = reader.take(_SCALAR_ITEM)
    data: bytes = raw  # type: ignore[assignment]  # of the one form that has bytes
    if kind == _DOUBLE:
        return float(struct.unpack("<d", data)[0])
    if kind in (_BOOL, _INT):
        number = int.from_bytes(data, "little", signed=True)
        return bool(number) if kind == _BOOL else number
    return None
