"""stars_soc: starts and ends of device tasks."""

from __future__ import annotations

import itertools
import random
import struct
from pathlib import Path

import pytest
from prof_reading import Row, read, write_slices
from prof_records import device_ids

STARS_MAGIC = 0x6BD3
WHOLE = 0xFFFFFFFF


def acsq(is_end: bool, stamp: int, stream: int = 2, task: int = 1, sqe: int = 0, counter: int = 0) -> bytes:
    return struct.pack(
        "<HHHHQHH44x", int(is_end) | counter % 16 << 6 | sqe << 10, STARS_MAGIC, stream, task, stamp, 0, 5 | 9 << 6
    )


def sub_task(is_end: bool, stamp: int, context: int, stream: int = 2, task: int = 1, thread: int = 0) -> bytes:
    return struct.pack(
        "<HHHHQHHHH40x", 0x22 + int(is_end), STARS_MAGIC, stream, task, stamp, 6 | 0xAB00, context, 4 << 13, thread
    )


def tasks(folder: Path, blob: bytes, **options: object) -> tuple[list[tuple[int, int]], list[tuple[int, int]], Row]:
    """(start, end) of the tasks, (time, is_start) of the others, faults."""
    reading = read("stars_soc", write_slices(folder, "stars_soc.data.0", [blob]), **options)
    whole = [(row["start"], row["end"]) for row in reading.rows.get("device_task", [])]
    lone = [(row["time"], row["is_start"]) for row in reading.rows.get("lone_task_record", [])]
    return whole, lone, reading.faults


def test_a_task_and_its_part(tmp_path: Path):
    blob = (
        acsq(False, 10, 37, 4, 2)
        + sub_task(False, 11, 3, 37, 4, 1)
        + sub_task(True, 19, 3, 37, 4, 1)
        + acsq(True, 20, 37, 4, 2)
    )
    rows = read("stars_soc", write_slices(tmp_path, "stars_soc", [blob])).rows["device_task"]
    part = {
        "start": 11,
        "end": 19,
        "stream": 37,
        "task": 4,
        "context": 3,
        "is_sub_task": 1,
        "sqe_type": 0,
        "sub_task_type": 6,
        "ffts_type": 4,
        "ffts_thread": 1,
        "acc": -1,
        "acsq": -1,
    }
    whole = {
        "start": 10,
        "end": 20,
        "stream": 37,
        "task": 4,
        "context": WHOLE,
        "is_sub_task": 0,
        "sqe_type": 2,
        "sub_task_type": -1,
        "ffts_type": -1,
        "ffts_thread": -1,
        "acc": 5,
        "acsq": 9,
    }
    assert rows == [part, whole]


@pytest.mark.parametrize(
    ("marks", "whole", "lone"),
    [
        ("s1 e2 s3 e4", [(1, 2), (3, 4)], []),
        ("s1 s2 e3 e4", [(1, 3), (2, 4)], []),  # equally many: i-th with i-th
        ("s1 s3 e4", [(3, 4)], [(1, 1)]),  # the end matches the last start before it
        ("s1 s3 e4 s5 e6", [(3, 4), (5, 6)], [(1, 1)]),
        ("e1 s2 e3", [(2, 3)], [(1, 0)]),
        ("s1 e2 e3 s4 e5", [(1, 2), (4, 5)], [(3, 0)]),
        ("s1", [], [(1, 1)]),
        ("s1 s2 s3 e4 e5 s6 e7", [(2, 4), (3, 5), (6, 7)], [(1, 1)]),
    ],
)
def test_which_end_belongs_to_which_start(marks: str, whole: list, lone: list, tmp_path: Path):
    blob = b"".join(acsq(mark[0] == "e", int(mark[1:])) for mark in marks.split())
    found, rest, faults = tasks(tmp_path, blob)
    assert (sorted(found), rest) == (whole, lone)
    assert sum(faults.values()) == len(lone)


def test_records_out_of_order_are_put_in_order(tmp_path: Path):
    rng = random.Random(3)
    records = [(stamp, acsq(bool(stamp % 2), stamp)) for stamp in range(1000, 3000)]
    records.sort(key=lambda one: one[0] + rng.randrange(200))
    found, rest, faults = tasks(tmp_path, b"".join(blob for _, blob in records), batch_rows=100)
    assert found == [(stamp, stamp + 1) for stamp in range(1000, 3000, 2)]
    assert (rest, faults) == ([], {})


def test_beyond_the_window_order_is_lost_but_no_record(tmp_path: Path):
    blob = (
        acsq(True, 20) + b"".join(acsq(bool(stamp % 2), stamp, task=7) for stamp in range(100, 200)) + acsq(False, 10)
    )
    found, rest, faults = tasks(tmp_path, blob, reorder=10)
    assert len(found) == 50
    assert sorted(rest) == [(10, 1), (20, 0)]
    assert faults == {"start_without_end": 1, "end_without_start": 1}


def test_open_tasks_are_bounded(tmp_path: Path):
    blob = (
        b"".join(acsq(False, stamp, task=stamp) for stamp in range(1, 1001))
        + acsq(True, 2000, task=1000)
        + acsq(True, 2001, task=1)
    )
    found, rest, faults = tasks(tmp_path, blob, most_open=50)
    assert found == [(1000, 2000)]
    assert len(rest) == 1000
    assert faults["too_many_open"] == 950


@pytest.mark.parametrize("is_expanded", [False, True])
def test_stream_and_task_share_bits(is_expanded: bool, tmp_path: Path):
    rng = random.Random(7)
    expected, blob = [], b""
    for stamp in itertools.islice(itertools.count(10, 2), 300):
        stream, task, sqe = rng.getrandbits(16), rng.getrandbits(16), rng.randrange(21)
        blob += acsq(False, stamp, stream, task, sqe) + acsq(True, stamp + 1, stream, task, sqe)
        if not is_expanded:
            ids = device_ids(stream, task)
        elif stream & 0x8000 and sqe not in (3, 4):
            ids = (task & 0x7FFF, (task & 0x8000) | (stream & 0x7FFF))
        else:
            ids = (stream & 0x7FFF, task)
        expected.append((stamp, *ids, sqe))
    reading = read("stars_soc", write_slices(tmp_path, "stars_soc", [blob]), is_expanded=is_expanded)
    assert (
        sorted((row["start"], row["stream"], row["task"], row["sqe_type"]) for row in reading.rows["device_task"])
        == expected
    )


def test_other_records_between(tmp_path: Path):
    pmu = struct.pack("<HHHHQHHIIIQQQQ", 0x1A, STARS_MAGIC, 0, 0, 77, 0, 3, 0, 0, 0, 1, 2, 3, 4)
    unknown = struct.pack("<HHHHQ48x", 0x3F, STARS_MAGIC, 0, 0, 78)
    reading = read("stars_soc", write_slices(tmp_path, "stars_soc", [acsq(False, 1) + pmu + unknown + acsq(True, 2)]))
    assert [(row["time"], row["acc"], row["write_outstanding"]) for row in reading.rows["acc_pmu"]] == [(77, 3, 4)]
    assert len(reading.rows["device_task"]) == 1
    assert reading.faults == {"unknown_type": 1}
