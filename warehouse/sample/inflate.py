"""Make an official database of any size, to measure with: `python -m warehouse.sample.inflate DIR --rows 500000`."""

from __future__ import annotations

import argparse
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

from warehouse.sample.profile import write_profile


def inflate(directory: Path, rows: int, **settings: object) -> int:
    """Write a profile whose databases hold about `rows` rows in all; returns how many they really hold.

    Example: `inflate(Path("big"), 500_000, ranks=1)`
    """
    with tempfile.TemporaryDirectory() as scratch:
        few, more = (_count(write_profile(Path(scratch) / str(steps), steps=steps, **settings)) for steps in (2, 4))
    per_step = (more - few) / 2
    return _count(write_profile(directory, steps=max(1, round((rows - few) / per_step) + 2), **settings))


def _count(directories: list[Path]) -> int:
    total = 0
    for directory in directories:
        for path in directory.rglob("*.db"):
            with closing(sqlite3.connect(path)) as database:
                tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
                total += sum(database.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables)
    return total


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(prog="python -m warehouse.sample.inflate", description=__doc__)
    parser.add_argument("directory", type=Path, help="made if missing; holds one run directory a rank afterwards")
    parser.add_argument("--rows", type=int, default=500_000, help="rows in all databases (default %(default)s)")
    parser.add_argument("--ranks", type=int, default=2)
    parser.add_argument("--level", default="Level1")
    parser.add_argument("--generation", default="1.2.0")
    given = parser.parse_args()
    begun = time.monotonic()
    rows = inflate(given.directory, given.rows, ranks=given.ranks, level=given.level, generation=given.generation)
    print(f"{rows} rows in {time.monotonic() - begun:.1f} s: {given.directory}")


if __name__ == "__main__":
    main()
