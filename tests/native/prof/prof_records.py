"""Random records of PROF streams, packed with `struct` from format strings: what the decoders are checked against.

A form names the fields in the order of its format string; names that begin with `_` have no column.  `derive` computes
the columns that are parts of a field.
"""

from __future__ import annotations

import random
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

HEAD = "HHIIIQ"
HEAD_NAMES = "_magic level type thread data_size time"
STARS_HEAD = "HHHHQ"  # head, magic, stream, task, sysCnt
U16, U32, U64 = 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFFFFFFFFFF
LEVELS = (5000, 5500, 6000, 10000, 15000, 20000, 20500, 25000, 30000)

Row = dict[str, Any]


@dataclass(frozen=True)
class Form:
    """One kind of record of one stream."""

    stream: str
    kind: str
    format: str
    names: str
    size: int
    fixed: Row = field(default_factory=dict)
    derive: Callable[[Row], Row] | None = None
    options: Row = field(default_factory=dict)

    def make(self, rng: random.Random) -> tuple[bytes, Row]:
        """A record with random fields, and the row it must give."""
        packer = struct.Struct("<" + self.format)
        codes = re.findall(r"(\d*)([a-zA-Z])", self.format.replace(" ", ""))
        values: list[Any] = []
        for count, code in codes:
            if code == "x":
                continue
            if code == "s":
                values.append(_text(rng, int(count)))
            else:
                values += [_number(rng, code) for _ in range(int(count or 1))]
        names = _expand(self.names)
        assert len(names) == len(values), (self.kind, len(names), len(values))
        fields = dict(zip(names, values, strict=True))
        for name, value in self.fixed.items():
            fields[name] = value(rng) if callable(value) else value
        blob = packer.pack(*fields.values())
        assert len(blob) == self.size, (self.kind, len(blob))
        row = {**fields, **(self.derive(fields) if self.derive else {})}
        return blob, {name: _cell(value) for name, value in row.items() if not name.startswith("_")}


def _expand(names: str) -> list[str]:
    """`counter*8` stands for counter_0 ... counter_7, `_*3` for three names without a column."""
    expanded: list[str] = []
    for name in names.split():
        base, _, count = name.partition("*")
        expanded += [f"{base}_{index}" for index in range(int(count))] if count else [name]
    return [
        f"{name}{place}" if name.startswith("_") and name != "_magic" else name for place, name in enumerate(expanded)
    ]


def _number(rng: random.Random, code: str) -> int | float:
    if code == "d":
        return rng.uniform(-1e9, 1e9)
    bits = {"b": 8, "h": 16, "i": 32, "q": 64}[code.lower()]
    value = rng.choice((rng.getrandbits(bits), rng.getrandbits(bits // 2), 0, (1 << bits) - 1, 1 << (bits - 1)))
    return value - (1 << bits) if code.islower() and value >> (bits - 1) else value


def _text(rng: random.Random, size: int) -> bytes:
    letters = "".join(rng.choice("abc:_-/.é") for _ in range(rng.randrange(size // 2)))
    return letters.encode()[:size].ljust(size, b"\0")


def _cell(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.split(b"\0")[0].decode()
    if isinstance(value, int) and value > U64 >> 1:
        return value - (1 << 64)
    return value


def bits(value: int, shift: int, count: int) -> int:
    """`count` bits of `value` from bit `shift` up."""
    return value >> shift & ((1 << count) - 1)


def level(rng: random.Random) -> int:
    """Any level of the specification."""
    return rng.choice(LEVELS)


def _host(stream: str, kind: str, payload: str, names: str, size: int, **rest: Any) -> Form:
    used = struct.calcsize("<" + HEAD + payload)
    fixed = {"_magic": 0x5A5A, "level": level, **rest.pop("fixed", {})}
    return Form(stream, kind, f"{HEAD}{payload}{size - used}x", f"{HEAD_NAMES} {names}", size, fixed, **rest)


def compact(name: str, payload: str, names: str, **rest: Any) -> Form:
    """A compact record: 64 bytes."""
    return _host(f"compact.{name}", name, payload, names, 64, **rest)


def additional(name: str, payload: str, names: str, **rest: Any) -> Form:
    """An additional record: 256 bytes."""
    return _host(f"additional.{name}", name.lower(), payload, names, 256, **rest)


def aicpu(kind: str, number: int, payload: str, names: str, **rest: Any) -> Form:
    """A record of aicpu.data; its level, type and data size are no columns."""
    used = struct.calcsize("<" + HEAD + payload)
    fixed = {"_magic": 0x5A5A, "_level1": 6000, "_type2": number, **rest.pop("fixed", {})}
    heads = "_magic _level _type thread _data_size time"
    return Form("aicpu", kind, f"{HEAD}{payload}{256 - used}x", f"{heads} {names}", 256, fixed, **rest)


def device_ids(stream: int, task: int) -> tuple[int, int]:
    """Stream and task of two encoded words, streams not expanded."""
    if stream & 0x1000:
        return stream % 2048, (task & 0x1FFF) | (stream & 0xE000)
    if stream & 0x2000:
        return (task & 0x0FFF) % 2048, (stream & 0x0FFF) | (task & 0xF000)
    return stream % 2048, task
