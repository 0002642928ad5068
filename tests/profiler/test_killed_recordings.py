"""What a process leaves that is killed in the middle of writing, and what a machine leaves of it that stops as well."""

from __future__ import annotations

import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import pytest

from warehouse.ingest import ingest

# numbered ranges one after the other, in many small batches and chunks; calls of Python and marks beside them
RECORD = """
import itertools
from warehouse import _recorder
from warehouse.profiler import DiskLimits, ProfilerActivity, profile, tensorboard_trace_handler
limits = DiskLimits(flush_seconds=0.002, chunk_bytes=60_000)
recorded = profile(activities=[ProfilerActivity.CPU], with_stack=True, disk_limits=limits,
                   on_trace_ready=tensorboard_trace_handler("result"))
recorded.start()
first = _recorder.now_ticks()
for number in itertools.count():
    _recorder.range(f"range {number}", first + 1000 * number, first + 1000 * number + 500, 7)
    if number % 100 == 0:
        _recorder.mark(first + 1000 * number, first + 1000 * number, 0, f"mark {number}", "")
"""
POINTS = 10
UNKNOWN = "N/A"  # the name of a range whose text is lost


def kill(folder: Path, milliseconds: float) -> Path:
    """The run of a recording that is killed so long after its first batch of ranges."""
    folder.mkdir()
    with subprocess.Popen([sys.executable, "-c", RECORD], cwd=folder) as process:
        ends = time.monotonic() + 60
        while not list(folder.glob("result/*/NPUWH_RECORDING/op-*")):
            assert process.poll() is None
            assert time.monotonic() < ends
            time.sleep(0.001)
        time.sleep(milliseconds / 1000)
        process.send_signal(signal.SIGKILL)
    (run,) = folder.glob("result/*_ascend_pt")
    return run


@dataclass
class Found:
    """What a warehouse has of the recording."""

    numbers: list[int]  # of the ranges whose name is known, by time
    unnamed: int
    marks: int
    torn: int  # chunks that were told to be


def warehouse(run: Path, made: Path) -> Found:
    """Ingests the run; every byte of its files must be booked, and every row lie in the time that was recorded."""
    ingest([run], made)
    with closing(sqlite3.connect(made)) as connection:
        sizes = dict(connection.execute("SELECT path, decoded_bytes + rejected_bytes FROM source").fetchall())
        for chunk in (run / "NPUWH_RECORDING").glob("*.arrows*"):
            assert [size for path, size in sizes.items() if path.endswith(chunk.name)] == [chunk.stat().st_size], chunk
        ranges = connection.execute(
            "SELECT value, start_ns, end_ns FROM op LEFT JOIN string ON string.id = name_id ORDER BY start_ns"
        ).fetchall()
        now = time.time_ns()
        assert all(0 < now - start < 3600e9 and 0 < end - start < 1e6 for _, start, end in ranges)
        names = [name for name, _, _ in ranges if name != UNKNOWN]
        marks = connection.execute("SELECT count(*) FROM mark").fetchone()[0]
        torn = connection.execute("SELECT count(*) FROM issue WHERE code = 'torn-chunk'").fetchone()[0]
    made.unlink()
    return Found([int(name.removeprefix("range ")) for name in names], len(ranges) - len(names), marks, torn)


@pytest.mark.parametrize("point", range(POINTS))
def test_a_kill_at_many_points_leaves_all_that_was_written(tmp_path, point):
    run = kill(tmp_path / "job", point * point * 1.7)
    found = warehouse(run, tmp_path / "made.db")
    assert found.numbers == list(range(len(found.numbers)))  # up to a moment, without a hole
    assert not found.unnamed
    assert found.numbers
    assert found.marks <= len(found.numbers) // 100 + 1  # they are written behind the ranges
    assert found.marks or point < POINTS // 2


@pytest.fixture(scope="module")
def killed(tmp_path_factory) -> Path:
    return kill(tmp_path_factory.mktemp("killed") / "job", 60)


def damages(chunks: list[Path], rng: random.Random) -> Iterator[tuple[list[Path], str]]:
    """Files that a stopped machine did not bring onto the disk whole, and what became of their ends."""
    for how in ("cut", "zeros", "longer"):
        for count in (1, 1, 1, 2, len(chunks)):
            yield rng.sample(chunks, count), how


def test_a_machine_that_stops_leaves_ends_of_zeros_and_none_is_taken_for_a_record(killed, tmp_path):
    whole = warehouse(killed, tmp_path / "made.db")
    rng = random.Random(11)
    for chosen, how in damages(sorted((killed / "NPUWH_RECORDING").glob("*.arrows*")), rng):
        run = tmp_path / killed.name
        shutil.copytree(killed, run)
        for chunk in chosen:
            damaged = run / "NPUWH_RECORDING" / chunk.name
            content = chunk.read_bytes()
            kept = rng.randrange(len(content))
            end = {"cut": 0, "zeros": len(content) - kept, "longer": len(content) - kept + 4096}[how]
            damaged.write_bytes(content[:kept] + bytes(end))
        found = warehouse(run, tmp_path / "made.db")
        assert set(found.numbers) <= set(whole.numbers)
        assert len(found.numbers) + found.unnamed <= len(whole.numbers)
        assert found.marks <= whole.marks
        assert found.torn >= (whole.torn if how == "cut" else len(chosen))
        shutil.rmtree(run)
