#!/usr/bin/env python3
"""How fast op ranges are decoded, on one core, against a plain reading with Python's `struct` of the same file.

    python tests/native/decode/bench_framework.py [--records 3000000]

`example`: the 117-byte record of framework-files.md 2.3, again and again; `varied`: 300 names, 2000 shapes; `stacks`:
call stacks of 26 frames, some 2 KB each.  Rates are records a second of processor time, so that other work on the
machine does not count.
"""

import argparse
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import framework_records as records

from warehouse._native import FrameworkDecoder

_BLOCK = 100_000  # records made by Python; the file repeats them


def example(_: int) -> bytes:
    fields = (1000000, 1250000, 7, 4321, 4330, 4330, 0, 0, False)
    return records.op_range(fields, {2: b"aten::add", 3: b"float;float;Scalar", 4: b"2,3;2,3;"})


def varied(number: int) -> bytes:
    rng = random.Random(number % 2000)
    shape = ";".join(",".join(str(rng.choice([1, 8, 128, 1024])) for _ in range(3)) for _ in range(rng.randint(1, 4)))
    fields = (number * 10, number * 10 + 25, number, 4321, 4330, 4330, 0, 0, False)
    texts = {2: f"aten::op_{number % 300}", 3: ";".join(["c10::Half"] * (number % 4 + 1)), 4: shape}
    return records.op_range(fields, {tag: text.encode() for tag, text in texts.items()})


def stacks(number: int) -> bytes:
    frames = [f"/usr/lib/python3/site-packages/torch/nn/modules/module_{n}.py({n}): forward" for n in range(25)]
    text = ";".join([f"model.py({number % 800}): step", *frames])
    fields = (number * 10, number * 10 + 25, number, 4321, 4330, 4330, 0, 0, False)
    return records.op_range(fields, {2: b"aten::add", 8: text.encode()})


def decode(path: Path) -> int:
    """Everything a reader takes; the number of records."""
    decoder = FrameworkDecoder("op_range", [path])
    rows = 0
    while (batch := decoder.next()) is not None:
        rows += batch.num_rows
        while decoder.strings() is not None or decoder.take("stack_frame") is not None:
            pass
    return rows


def seconds(work: Callable[[], object]) -> float:
    begin = time.process_time()
    work()
    return time.process_time() - begin


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--records", type=int, default=3_000_000)
    count = max(1, parser.parse_args().records // _BLOCK)
    for make in (example, varied, stacks):
        block = b"".join(make(number) for number in range(_BLOCK))
        repeats = max(1, count // 10) if make is stacks else count
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "torch.op_range"
            with path.open("wb") as file:
                for _ in range(repeats):
                    file.write(block)
            native = _BLOCK * repeats / min(seconds(lambda path=path: decode(path)) for _ in range(3))
        plain = _BLOCK / seconds(lambda block=block: records.read_op_range(block))
        print(
            f"{make.__name__:8} {native / 1e6:6.2f} M records/s, {native * len(block) / _BLOCK / 1e9:.2f} GB/s, "
            f"{native / plain:.0f} times a plain reading"
        )


if __name__ == "__main__":
    main()
