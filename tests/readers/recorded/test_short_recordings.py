"""Recordings that ended soon, or before anything was written, and several that look alike."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time

import pytest
from recordings import RANGES, record

from warehouse.errors import InputError
from warehouse.ingest import ingest

SLEEP_S = 0.02
SLEEPER = f"""
import sys, time
from warehouse import _recorder
_recorder.prepare(
    sys.argv[1], facts_json="{{}}", ring_bytes=1 << 20, chunk_bytes=1 << 28, chunk_ns=60 * 10**9, flush_ns=10**9,
    disk_bytes=int(sys.argv[2]),
)
_recorder.start()
print(flush=True)
while True:
    start, began = _recorder.now_ticks(), time.perf_counter_ns()
    time.sleep({SLEEP_S})
    end, ended = _recorder.now_ticks(), time.perf_counter_ns()
    _recorder.range(f"sleep {{ended - began}}", start, end, 7)
    if _recorder.state() != "recording":
        _recorder.finish()
        break
"""


def slept(folder, seconds, disk_bytes=0):
    """A recording of sleeps, killed after some time."""
    recording = folder / "NPUWH_RECORDING"
    recording.mkdir(parents=True)
    process = subprocess.Popen([sys.executable, "-c", SLEEPER, recording, str(disk_bytes)], stdout=subprocess.PIPE)
    process.stdout.readline()
    time.sleep(seconds)
    process.kill()
    process.wait()
    process.stdout.close()
    return folder


def assert_lengths_are_right(found):
    rows = found.rows("SELECT end_ns - start_ns, s.value FROM op JOIN string s ON s.id = name_id")
    assert rows
    for length, name in rows:
        assert length == pytest.approx(int(name.split()[1]), rel=0.05)
    now = time.time_ns()
    assert now - 300e9 < found.one("SELECT min(start_ns) FROM op") < now


@pytest.mark.parametrize("seconds", [0.35, 0.6, 1.5])
def test_a_killed_recording_has_right_lengths(tmp_path, loaded, seconds):
    found = loaded(slept(tmp_path / "host_1_20260101000000000_ascend_pt", seconds))
    assert_lengths_are_right(found)
    assert found.count("op") >= (seconds - 0.3) / 2 / SLEEP_S / 4
    assert "incomplete-recording" in found.warnings()


def test_a_recording_that_reached_its_limit_at_once_has_right_lengths(tmp_path, loaded):
    found = loaded(slept(tmp_path / "host_1_20260101000000000_ascend_pt", 2, disk_bytes=3_500))
    assert_lengths_are_right(found)
    ((text, _, _),) = found.issues("incomplete-recording")
    assert "its limit of disk space was reached" in text


def test_distinct_recordings_are_no_copies_and_a_copy_is(tmp_path, loaded):
    """What is largest in each is the same in all of them: their texts."""
    runs = []
    for number in range(4):
        runs.append(record(tmp_path / f"host_{number}_20260101000000000_ascend_pt", ranges=4, calls=False))
    contents = {path.read_bytes() for each in runs for path in each.glob("NPUWH_RECORDING/string-*")}
    assert len(contents) < len(runs)
    copy = shutil.copytree(runs[0], tmp_path / "elsewhere" / runs[0].name)
    assert loaded(*runs).issues("same-profile") == []
    assert len(loaded(*runs, copy).issues("same-profile")) == 1


def test_a_recording_with_nothing_in_it_is_a_line_and_others_load(run, tmp_path):
    empty = tmp_path / "other" / "host_2_20260101000000000_ascend_pt"
    (empty / "NPUWH_RECORDING").mkdir(parents=True)
    shutil.copy(run / "NPUWH_RECORDING" / "manifest.json", empty / "NPUWH_RECORDING")
    with pytest.raises(InputError, match=r"has no records$"):
        ingest([empty], tmp_path / "none.db")
    report = ingest([run, empty], tmp_path / "both.db")
    assert report.exit_code == 1
    assert [path for path, _ in report.failed] == [empty]
    assert len(report.added) == 1
    assert report.records > RANGES
