"""Recordings that end before the program does: it is told when it happens, what is missing from then on is counted."""

from __future__ import annotations

import json
import sqlite3

from warehouse.ingest import ingest

HEAD = """
import os, resource, signal, sys, threading, time
from warehouse.profiler import (
    DiskLimits, ProfilerActivity, _ExperimentalConfig, mstx, profile, schedule, tensorboard_trace_handler,
)
handler = tensorboard_trace_handler("result", analyse_flag=False)
def prof(**more):
    return profile(activities=[ProfilerActivity.CPU], on_trace_ready=handler,
                   experimental_config=_ExperimentalConfig(mstx=True), **more)
def own(): return 1
def wait_for_end():
    from warehouse import _recorder
    deadline = time.monotonic() + 60
    while _recorder.state() == "recording" and time.monotonic() < deadline:
        mstx.mark("more"); time.sleep(0.01)
"""
# records, and then no file may grow any more, as on a full disk
UNTIL_NO_ROOM = f"""{HEAD}
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
p = prof(disk_limits=DiskLimits(flush_seconds=0.05))
p.start()
mstx.mark("first"); time.sleep(0.3)
resource.setrlimit(resource.RLIMIT_FSIZE, (64, resource.RLIM_INFINITY))
"""


def manifest_of(done):
    (found,) = done.run("result").glob("*/manifest.json")
    return json.loads(found.read_text())


def test_at_the_limit_of_the_disk(script):
    """It is told at the next step, not only at the end; later marks and calls are counted as lost."""
    done = script(
        f"""{HEAD}
p = prof(with_stack=True, disk_limits=DiskLimits(disk_bytes=20000, flush_seconds=0.05))
p.start()
wait_for_end()
p.step(); print("stepped", file=sys.stderr)
for _ in range(500): mstx.mark("late"); own()
p.stop()
"""
    )
    said = done.err.splitlines()
    assert said[0] == "the recording is incomplete: the recording reached its limit of 20000 bytes"
    assert said[1] == "stepped"
    assert said[2].endswith(": they came after its early end")
    assert len(said) == 3
    manifest = manifest_of(done)
    assert manifest["state"] == "disk-budget"
    assert manifest["reason"] == "the recording reached its limit of 20000 bytes"
    assert manifest["lost"]["events"] >= 500
    assert manifest["lost"]["frames"] >= 1000
    made = done.folder / "W.db"
    ingest([done.run("result")], made)
    connection = sqlite3.connect(made)
    said = connection.execute("SELECT text FROM issue WHERE code = 'lost-records'").fetchall()
    connection.close()
    assert ("events were lost: they came faster than they were written, or after its early end",) in said


def test_what_a_limit_keeps_from_the_files_is_counted(script):
    """Marks, and calls of a function: recorded and lost ones are all there were."""
    done = script(
        f"""{HEAD}
p = prof(with_stack=True, disk_limits=DiskLimits(disk_bytes=60000, flush_seconds=0.02))
p.start()
for _ in range(100):
    for _ in range(50): mstx.mark("m")
    time.sleep(0.005)
p.stop()
"""
    )
    manifest = manifest_of(done)
    assert manifest["ended_by"] == "disk limit"
    recorded = sum(chunk["rows"] for chunk in manifest["chunks"] if chunk["table"] == "mark")
    assert recorded > 0
    assert recorded + manifest["lost"]["events"] == 5000


def test_a_program_that_closes_all_descriptors(script):
    """As daemons do: its own files get nothing of the recorder and stay open; what was written before is loaded."""
    done = script(
        f"""{HEAD}
p = prof(disk_limits=DiskLimits(flush_seconds=0.05))
p.start()
for _ in range(100): mstx.mark("before")
time.sleep(0.5)
os.closerange(3, 200)
own_files = [os.open(f"own{{number}}", os.O_WRONLY | os.O_CREAT) for number in range(12)]
for _ in range(50): mstx.mark("after")
time.sleep(0.3)
p.stop()
for file in own_files: os.write(file, b"x")
print([os.path.getsize(f"own{{number}}") for number in range(12)], file=sys.stderr)
"""
    )
    assert done.err.splitlines()[-1] == str([1] * 12)
    assert sum("the program closed descriptors of its files" in line for line in done.err.splitlines()) == 1
    manifest = manifest_of(done)
    assert manifest["ended_by"] == "disk error"
    assert manifest["lost"]["events"] == 50
    made = done.folder / "W.db"
    ingest([done.run("result")], made)
    connection = sqlite3.connect(made)
    marks = connection.execute("SELECT count(*) FROM mark").fetchone()[0]
    connection.close()
    assert marks == 100


def test_a_description_that_there_is_no_room_for_is_no_empty_file(script):
    done = script(
        f"""{UNTIL_NO_ROOM}p.stop()
"""
    )
    run = done.run("result")
    run = run.parent if run.name == "NPUWH_RECORDING" else run
    assert not [path.name for path in run.glob("profiler_*") if path.name.endswith(".part") or not path.stat().st_size]


def test_a_manifest_that_a_full_disk_did_not_take(script):
    """Once there is room again it says why the recording ended, also if the process is killed then."""
    done = script(
        f"""{UNTIL_NO_ROOM}wait_for_end()
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
for _ in range(100): mstx.mark("late")
time.sleep(2.5)
os.kill(os.getpid(), 9)
""",
        code=None,
    )
    manifest = manifest_of(done)
    assert manifest["state"] == "disk-error"
    assert manifest["reason"].endswith("File too large")
    assert manifest["lost"]["events"] >= 100


def test_threads_without_memory_for_their_records(script):
    done = script(
        f"""{HEAD}
p = prof(disk_limits=DiskLimits(ring_bytes=1 << 29))
p.start()
mstx.mark("here")
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (200 << 20), resource.RLIM_INFINITY))
def other():
    for _ in range(10): mstx.mark("there")
thread = threading.Thread(target=other)
thread.start(); thread.join()
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
p.stop()
"""
    )
    assert done.err.splitlines() == [
        "1 threads are not recorded: there is no memory for their records",
        "the recording lacks 10 events and 0 Python calls and returns: there was no memory for them",
    ]
    manifest = manifest_of(done)
    assert manifest["lost"] == {
        "events": 10, "frames": 0, "events_without_memory": 10, "frames_without_memory": 0,
    }
    made = done.folder / "W.db"
    ingest([done.run("result")], made)
    connection = sqlite3.connect(made)
    said = connection.execute("SELECT text, count FROM issue WHERE code = 'lost-records'").fetchall()
    connection.close()
    assert said == [("events were lost: there was no memory for the records of their threads", 10)]
    assert manifest["facts"]["troubles"] == ["1 threads are not recorded: there is no memory for their records"]


def test_calls_of_threads_without_memory_are_counted_as_calls(script):
    done = script(
        f"""{HEAD}
p = prof(with_stack=True, disk_limits=DiskLimits(ring_bytes=1 << 29))
p.start()
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (200 << 20), resource.RLIM_INFINITY))
def other():
    for _ in range(100): own()
    for _ in range(10): mstx.mark("there")
thread = threading.Thread(target=other)
thread.start(); thread.join()
resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
p.stop()
"""
    )
    lost = manifest_of(done)["lost"]
    assert lost["events"] == lost["events_without_memory"] == 10
    assert lost["frames"] == lost["frames_without_memory"] >= 200
