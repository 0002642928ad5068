"""The limit: how fast this disk takes a file that is written from one end to the other, and synced.

`rows` is in units of 1 KiB.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

from tests.bench.frame import Bench, Figure

ROWS = 500_000
STATED_ROWS = 500_000
_PIECE = 4 << 20


def run(bench: Bench) -> Iterator[Figure]:
    """MB/s with and without waiting for the disk."""
    piece, path = os.urandom(_PIECE), bench.folder / "file"
    pieces = max(1, bench.rows * 1024 // _PIECE)

    def write(sync: bool) -> None:
        with path.open("wb", buffering=0) as file:
            for _ in range(pieces):
                file.write(piece)
            if sync:
                os.fsync(file.fileno())

    ways = {"written and synced": lambda: write(True), "written, not synced": lambda: write(False)}
    for way, seconds in bench.in_turns(ways, after=lambda way: path.unlink()).items():
        yield bench.figure(way, pieces * _PIECE / seconds / 1e6, "MB/s", note=f"{pieces * _PIECE / 1e6:,.0f} MB")
