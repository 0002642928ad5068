"""FRAMEWORK files written, and read again by Python's `struct` alone (framework-files.md 2)."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

Row = dict[str, Any]

OP_FIELDS = "start_tick end_tick sequence_no pid tid end_tid forward_thread_no scope is_async".split()
OP_TEXTS = {2: "name", 3: "dtypes", 4: "shapes", 7: "scalars", 8: "stack", 9: "modules", 10: "extra"}
MEMORY_FIELDS = (
    "address tick size_bytes total_allocated_bytes total_reserved_bytes total_active_bytes stream_ptr device_type "
    "device_no component action allocator tid pid"
).split()
TENSOR_FIELDS = "address storage_address dtype element_bytes sizes strides device_type device_no".split()


def tlv(kind: int, value: bytes) -> bytes:
    """One type-length-value.

    >>> tlv(2, b"ab").hex()
    '0200020000006162'
    """
    return struct.pack("<HI", kind, len(value)) + value


def op_range(fields: tuple[Any, ...], texts: dict[int, bytes]) -> bytes:
    return tlv(1, struct.pack("<3q4QB?", *fields) + b"".join(tlv(tag, text) for tag, text in texts.items()))


def op_mark(fields: tuple[int, ...], name: bytes) -> bytes:
    return tlv(2, struct.pack("<q4Q", *fields) + tlv(1, name))


def memory_usage(fields: tuple[int, ...]) -> bytes:
    return tlv(3, struct.pack("<7q2b3B2Q", *fields))


def python_tracer_func(fields: tuple[int, ...]) -> bytes:
    return struct.pack("<4QB", *fields)


def python_tracer_hash(key: int, text: bytes) -> bytes:
    return tlv(4, struct.pack("<Q", key) + tlv(1, text))


def param_tensor_info(key: int, owner: int, text: bytes) -> bytes:
    return tlv(5, struct.pack("<Q", key) + tlv(owner, text))


def gc_record(fields: tuple[int, ...]) -> bytes:
    return struct.pack("<3Q", *fields)


def _records(data: bytes) -> Iterator[bytes]:
    offset = 0
    while offset < len(data):
        length = struct.unpack_from("<I", data, offset + 2)[0]
        yield data[offset + 6 : offset + 6 + length]
        offset += 6 + length


def _texts(nested: bytes) -> dict[int, str]:
    texts = {}
    offset = 0
    while offset < len(nested):
        tag, length = struct.unpack_from("<HI", nested, offset)
        texts[tag] = nested[offset + 6 : offset + 6 + length].decode(errors="replace")
        offset += 6 + length
    return texts


def signed(value: int) -> int:
    """The bits of an unsigned 64-bit number as a column holds them.

    >>> signed(2**64 - 1)
    -1
    """
    return value - (1 << 64) if value >> 63 == 1 else value


def tensor_row(text: str) -> Row:
    """Fields of a tensor string; ValueError if it is none."""
    impl, storage, dtype, element_bytes, sizes, strides, device_type, device_no = text.split(";")
    values = [signed(int(impl, 16)), signed(int(storage, 16)) if storage else None, dtype, int(element_bytes)]
    return dict(zip(TENSOR_FIELDS, [*values, sizes, strides, int(device_type), int(device_no)], strict=True))


def read_op_range(data: bytes) -> list[Row]:
    rows = []
    for value in _records(data):
        row = dict(zip(OP_FIELDS, map(signed, struct.unpack_from("<3q4QB?", value)), strict=True))
        row["sequence_no"] = None if row["sequence_no"] == -1 else row["sequence_no"]
        texts = _texts(value[58:])
        rows.append(row | {name: texts.get(tag) for tag, name in OP_TEXTS.items()})
        rows[-1]["stack"] = texts[8].split(";") if texts.get(8) else None
    return rows


def read_op_tensors(data: bytes) -> list[Row]:
    rows = []
    for number, value in enumerate(_records(data)):
        texts = _texts(value[58:])
        lists: list[tuple[int | None, list[str]]] = [(None, texts[5].split(")"))] if 5 in texts else []
        if 6 in texts:
            lists += [(place, part.split(")")[:-1] or [part]) for place, part in enumerate(texts[6].split("}"))]
        for list_no, tensors in lists:
            for tensor_no, tensor in enumerate(tensors):
                rows.append({"row": number, "list_no": list_no, "tensor_no": tensor_no} | tensor_row(tensor))
    return rows


def read_op_mark(data: bytes) -> list[Row]:
    rows = []
    for value in _records(data):
        tick, category, correlation, tid, pid = struct.unpack_from("<q4Q", value)
        row = {"tick": tick, "category": category, "correlation_no": signed(correlation) if category else None}
        rows.append(row | {"tid": signed(tid), "pid": signed(pid), "name": _texts(value[40:]).get(1)})
    return rows


def read_memory_usage(data: bytes) -> list[Row]:
    return [
        dict(zip(MEMORY_FIELDS, map(signed, struct.unpack("<7q2b3B2Q", value)), strict=True))
        for value in _records(data)
    ]


def read_python_tracer_func(data: bytes) -> list[Row]:
    names = "tick tid pid key action".split()
    return [dict(zip(names, map(signed, fields), strict=True)) for fields in struct.iter_unpack("<4QB", data)]


def read_python_tracer_hash(data: bytes) -> list[Row]:
    return [{"key": signed(struct.unpack_from("<Q", v)[0]), "name": _texts(v[8:]).get(1)} for v in _records(data)]


def read_gc_record(data: bytes) -> list[Row]:
    names = "pid start_tick end_tick".split()
    return [dict(zip(names, map(signed, fields), strict=True)) for fields in struct.iter_unpack("<3Q", data)]


def _parameter_rows(owner: int, item: str) -> Iterator[Row]:
    parts = item.split(")")
    name = parts.pop(0) if owner == 1 else None
    for role, part in enumerate(parts[:2]):
        if part:
            yield {"name": name, "role": role, "state": None} | tensor_row(part)
    for state in parts[2].split("]")[:-1] if owner == 2 else ():
        state_name, tensor = state.split(">")
        yield {"name": None, "role": 2, "state": state_name} | tensor_row(tensor)


def read_param_tensor_info(data: bytes) -> list[Row]:
    rows = []
    for value in _records(data):
        key = signed(struct.unpack_from("<Q", value)[0])
        for owner, text in _texts(value[8:]).items():
            for place, item in enumerate(text.split("}")):
                head = {"key": key, "owner": owner, "parameter_no": place}
                rows += [head | row for row in _parameter_rows(owner, item)]
    return rows


READ = {
    "op_range": read_op_range,
    "op_mark": read_op_mark,
    "memory_usage": read_memory_usage,
    "python_tracer_func": read_python_tracer_func,
    "python_tracer_hash": read_python_tracer_hash,
    "param_tensor_info": read_param_tensor_info,
    "gc_record": read_gc_record,
}
TEXT_COLUMNS = set(OP_TEXTS.values()) - {"stack"} | {"name", "state", "dtype", "sizes", "strides"}
