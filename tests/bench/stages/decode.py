"""How fast op ranges are decoded on one core, against a loop of Python's `struct` over the same bytes.

`example`: the record of 117 bytes of framework-files.md 2.3, again and again; `varied`: 300 names, 2000 shapes;
`stacks`: call stacks of 26 frames, some 2 KB each.  The peer unpacks the fixed fields, walks the texts and appends all
of it to lists, which is what any reading in Python has to do at least.
"""

from __future__ import annotations

import random
import struct
from collections.abc import Iterator
from pathlib import Path

from tests.bench.frame import Bench, Figure
from tests.native.decode import framework_records as records
from warehouse._native import FrameworkDecoder

ROWS = 1_000_000
STATED_ROWS = 1_000_000
_BLOCK = 50_000  # records made by Python; the file repeats them
_FIXED = struct.Struct("<3q4QB?")
_HEAD = struct.Struct("<HI")


def example(_: int) -> bytes:
    """The record of the specification."""
    fields = (1000000, 1250000, 7, 4321, 4330, 4330, 0, 0, False)
    return records.op_range(fields, {2: b"aten::add", 3: b"float;float;Scalar", 4: b"2,3;2,3;"})


def varied(number: int) -> bytes:
    """Names, types and shapes as a training has them."""
    rng = random.Random(number % 2000)
    shape = ";".join(",".join(str(rng.choice([1, 8, 128, 1024])) for _ in range(3)) for _ in range(rng.randint(1, 4)))
    fields = (number * 10, number * 10 + 25, number, 4321, 4330, 4330, 0, 0, False)
    texts = {2: f"aten::op_{number % 300}", 3: ";".join(["c10::Half"] * (number % 4 + 1)), 4: shape}
    return records.op_range(fields, {tag: text.encode() for tag, text in texts.items()})


def stacks(number: int) -> bytes:
    """Call stacks."""
    frames = [f"/usr/lib/python3/site-packages/torch/nn/modules/module_{n}.py({n}): forward" for n in range(25)]
    text = ";".join([f"model.py({number % 800}): step", *frames])
    fields = (number * 10, number * 10 + 25, number, 4321, 4330, 4330, 0, 0, False)
    return records.op_range(fields, {2: b"aten::add", 8: text.encode()})


def native(path: Path) -> int:
    """Everything a reader takes; the number of records."""
    decoder = FrameworkDecoder("op_range", [path])
    rows = 0
    while (batch := decoder.next()) is not None:
        rows += batch.num_rows
        while decoder.strings() is not None or decoder.take("stack_frame") is not None:
            pass
    return rows


def plain(data: bytes) -> int:
    """The same fields and texts by `struct`; the number of records."""
    fixed: list[tuple[int, ...]] = []
    texts: list[dict[int, str]] = []
    unpack, head, at, size = _FIXED.unpack_from, _HEAD.unpack_from, 0, len(data)
    while at < size:
        end = at + 6 + head(data, at)[1]
        at += 6
        fixed.append(unpack(data, at))
        at += _FIXED.size
        found = {}
        while at < end:
            tag, length = head(data, at)
            at += 6
            found[tag] = data[at : at + length].decode()
            at += length
        texts.append(found)
    return len(fixed)


def run(bench: Bench) -> Iterator[Figure]:
    """Rates and ratios of three kinds of records."""
    for make in (example, varied, stacks):
        block = b"".join(make(number) for number in range(_BLOCK))
        repeats = max(1, bench.rows // _BLOCK // (10 if make is stacks else 1))
        path = bench.folder / "torch.op_range"
        with path.open("wb") as file:
            for _ in range(repeats):
                file.write(block)
        rows = native(path)
        assert rows == _BLOCK * repeats
        medians = bench.in_turns({"npuwh": lambda path=path: native(path), "struct": lambda block=block: plain(block)})
        ours = medians["npuwh"] / rows
        yield bench.figure(
            make.__name__, 1 / ours / 1e6, "M records/s", note=f"{len(block) / _BLOCK / ours / 1e9:.2f} GB/s"
        )
        yield bench.figure("  against struct", medians["struct"] / _BLOCK / ours, "x")
        path.unlink()
