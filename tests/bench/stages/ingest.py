"""From a raw run to the finished warehouse, by the command: time, memory of all its processes, whether that grows, and
what it takes to add one to a warehouse that is there.

`rows` are kernels; each stands for some 21 records.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

from tests.bench.child import peak_mb, timed
from tests.bench.frame import Bench, Figure, folder_bytes

ROWS = 100_000
STATED_ROWS = 1_000_000


def run(bench: Bench) -> Iterator[Figure]:
    """Seconds, and the peak for this size and a fifth of it."""
    source, result = bench.raw_run(bench.rows), bench.folder / "W.db"
    size = folder_bytes(source)
    command = ["warehouse.cli", "ingest", str(source), "-o", str(result)]
    sizes = []

    def after(_: str) -> None:
        sizes.append(result.stat().st_size)
        result.unlink()

    seconds = bench.in_turns({"": lambda: timed(command)}, after, repeat=min(bench.repeat, 3))[""]
    yield bench.figure(
        "raw run → finished warehouse, on the disk", seconds, "s", 20, 8,
        f"{seconds.cpu:.1f} s CPU; {bench.rows:,} kernels, {size / 1e6:,.0f} MB, made {sizes[0] / 1e6:,.0f} MB",
    )  # fmt: skip
    yield bench.figure("  raw data read", size / seconds / 1e6, "MB/s")
    yield from _added(bench)
    most = peak_mb(command)
    result.unlink()
    if most is None:
        bench.say("this system does not tell the memory of processes: no peaks")
        return
    yield bench.figure("  peak memory (sum of PSS)", most, "MB", 300, 180)
    less = _peak_of(bench.raw_run(bench.rows // 5), result)
    yield bench.figure(
        "  against a fifth of the input", most / less, "x growth", 1.2, 1.05, f"that takes {less:.0f} MB"
    )


def _added(bench: Bench) -> Iterator[Figure]:
    """Seconds of an addition against those of a new warehouse of the same data, which take turns."""
    few, many = bench.rows // 5, bench.rows
    for there, comes, way in ((few, many, "made anew"), (many, few, "one transaction")):
        source, before = str(bench.raw_run(comes)), bench.raw_warehouse(there)
        new, grown = bench.folder / "new.db", bench.folder / "grown.db"
        shutil.copyfile(before, grown)

        def tidy(_: str, before: Path = before, new: Path = new, grown: Path = grown) -> None:
            new.unlink(missing_ok=True)
            shutil.copyfile(before, grown)

        ways = {
            "new": lambda source=source, new=new: timed(["warehouse.cli", "ingest", source, "-o", str(new)]),
            "added": lambda source=source, grown=grown: timed(["warehouse.cli", "ingest", source, "-o", str(grown)]),
        }
        found = bench.in_turns(ways, tidy, repeat=min(bench.repeat, 3))
        grown.unlink()
        note = f"in processor time {found['added'].cpu / found['new'].cpu:.1f} x"
        title = f"  added to {there:,} kernels ({way}), against new"
        yield bench.figure(title, found["added"] / found["new"], "x as long", 3, 2, note)


def _peak_of(source: Path, result: Path) -> float:
    most = peak_mb(["warehouse.cli", "ingest", str(source), "-o", str(result)])
    result.unlink()
    assert most is not None
    return most
