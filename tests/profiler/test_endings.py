"""However a recorded program ends, it ends as it would have, and what was recorded of it can be read."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.torch

IMPORTS = """
import os, signal, sys, threading, time
import torch
from warehouse.profiler import *
from warehouse.profiler import _ExperimentalConfig
def recorder(**arguments):
    return profile(
        activities=[ProfilerActivity.CPU],
        on_trace_ready=tensorboard_trace_handler("./result"),
        experimental_config=_ExperimentalConfig(export_type=ExportType.Db),
        **arguments,
    )
def train(steps=3):
    for _ in range(steps):
        torch.ones(4).add(1).sum()
"""


def manifest(run: Path) -> dict:
    return json.loads((run / "NPUWH_RECORDING" / "manifest.json").read_text())


def ingested(run: Path) -> sqlite3.Connection:
    """The warehouse of a run that nobody analysed."""
    made = run.parent / f"{run.name}.db"
    command = [sys.executable, "-m", "warehouse.cli", "ingest", str(run), "-o", str(made)]
    done = subprocess.run(command, cwd=run.parent, capture_output=True, text=True, check=False)
    assert made.exists(), done.stdout + done.stderr
    return sqlite3.connect(made)


def count(connection: sqlite3.Connection, name: str) -> int:
    query = "SELECT count(*) FROM op JOIN string ON string.id = op.name_id WHERE value = ?"
    (found,) = connection.execute(query, [name]).fetchone()
    return found


def test_an_error_within_the_block_stays_an_error(script):
    done = script(
        IMPORTS
        + """
with recorder(with_stack=True):
    train()
    raise KeyError("mine")
        """,
        code=1,
    )
    assert "KeyError: 'mine'" in done.err
    assert manifest(done.run("result"))["state"] == "complete"
    assert count(sqlite3.connect(done.warehouse("result")), "aten::add") == 3


def test_a_forked_child_leaves_the_recording_alone(script):
    done = script(
        IMPORTS
        + """
with recorder(with_stack=True, profile_memory=True) as prof:
    train()
    child = os.fork()
    train()
    prof.step()
    if child:
        assert os.waitpid(child, 0)[1] == 0
train()
print("parent" if child else "child")
        """
    )
    assert sorted(done.out.split()) == ["child", "parent"]
    assert manifest(done.run("result"))["state"] == "complete"
    connection = sqlite3.connect(done.warehouse("result"))
    assert count(connection, "aten::add") == 6
    assert connection.execute("SELECT count(DISTINCT pid) FROM thread").fetchone() == (1,)


def test_a_forked_child_may_record_itself(script):
    done = script(
        IMPORTS
        + """
with recorder(with_stack=True):
    train(2)
    child = os.fork()
    if child == 0:
        with profile(activities=[ProfilerActivity.CPU], on_trace_ready=tensorboard_trace_handler(
            "./child", analyse_flag=False)) as own:
            train(5)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
        """
    )
    assert count(sqlite3.connect(done.warehouse("result")), "aten::add") == 2
    assert count(ingested(done.run("child")), "aten::add") == 5


def test_a_daemon_process_records_and_analyses(script):
    done = script(
        IMPORTS
        + """
import multiprocessing
def job():
    with recorder():
        train()
if __name__ == "__main__":
    process = multiprocessing.get_context("fork").Process(target=job, daemon=True)
    process.start()
    process.join()
    sys.exit(process.exitcode)
        """
    )
    assert count(sqlite3.connect(done.warehouse("result")), "aten::add") == 3


def test_a_script_that_never_stops_leaves_complete_files(script):
    done = script(
        IMPORTS
        + """
prof = recorder(with_stack=True)
prof.start()
train()
def go_on():  # without torch, whose threads do not survive the end of the interpreter
    while True:
        sorted(range(100))
threading.Thread(target=go_on, daemon=True).start()
time.sleep(0.1)
        """
    )
    run = done.run("result")
    assert manifest(run)["state"] == "complete"
    assert count(ingested(run), "aten::add") == 3


@pytest.mark.parametrize("after_ms", [30, 120, 333, 700])
def test_a_killed_process_leaves_what_it_had_written(script, after_ms):
    done = script(
        IMPORTS
        + f"""
prof = recorder(record_shapes=True, with_stack=True, profile_memory=True, disk_limits=DiskLimits(flush_seconds=0.01))
prof.start()
train()
time.sleep(0.05)
threading.Timer({after_ms} / 1000, lambda: os.kill(os.getpid(), signal.SIGKILL)).start()
while True:
    train()
        """,
        code=-9,
    )
    run = done.run("result")
    assert manifest(run)["state"] == "recording"
    connection = ingested(run)
    assert count(connection, "aten::add") >= 3
    told = connection.execute("SELECT count(*) FROM issue WHERE code = 'incomplete-recording'").fetchone()
    assert told == (1,)
    sizes = dict(connection.execute("SELECT path, decoded_bytes + rejected_bytes FROM source").fetchall())
    for chunk in (run / "NPUWH_RECORDING").glob("*.arrows*"):
        (booked,) = (size for path, size in sizes.items() if path.endswith(chunk.name))
        assert booked == chunk.stat().st_size


def test_a_full_disk_ends_the_recording_and_not_the_training(script):
    done = script(
        IMPORTS
        + """
import resource
prof = recorder(with_stack=True, disk_limits=DiskLimits(flush_seconds=0.01))
prof.start()
train()
time.sleep(0.1)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, resource.RLIM_INFINITY))
for _ in range(200):
    train(50)
    time.sleep(0.002)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
prof.stop()
print("trained")
        """
    )
    assert done.out.split() == ["trained"]
    assert "File too large" in done.err
    run = done.run("result")
    assert manifest(run)["state"] == "disk-error"
    connection = sqlite3.connect(run / "ASCEND_PROFILER_OUTPUT" / "npuwh.db")
    assert 3 <= count(connection, "aten::add") < 10_000
    (text,) = connection.execute("SELECT text FROM issue WHERE code = 'incomplete-recording'").fetchone()
    assert "File too large" in text


def test_start_and_stop_many_times(script):
    done = script(
        IMPORTS
        + """
for _ in range(40):
    prof = profile(activities=[ProfilerActivity.CPU], with_stack=True, profile_memory=True,
                   on_trace_ready=tensorboard_trace_handler("./result", analyse_flag=False))
    prof.start()
    train(1)
    prof.stop()
        """
    )
    runs = done.runs("result")
    assert len(runs) == 40
    for run in runs:
        told = manifest(run)
        assert told["state"] == "complete"
        assert sum(chunk["rows"] for chunk in told["chunks"] if chunk["table"] == "op") >= 3


def test_losses_are_flagged_and_nesting_goes_on_behind_them(script):
    done = script(
        IMPORTS
        + """
def inner():
    pass
def outer():
    for _ in range(10):
        inner()
with profile(activities=[ProfilerActivity.CPU], with_stack=True, disk_limits=DiskLimits(ring_bytes=4096),
             on_trace_ready=tensorboard_trace_handler("./result", analyse_flag=False)):
    for _ in range(20):
        for _ in range(500):
            outer()
            torch.ones(1)
        time.sleep(0.02)
    train()
        """
    )
    run = done.run("result")
    lost = manifest(run)["lost"]
    assert lost["frames"] > 1000
    connection = ingested(run)
    found = dict(connection.execute("SELECT kind, sum(lost_count) FROM recording_gap GROUP BY kind").fetchall())
    assert found.get("Python calls and returns", 0) + found.get("events", 0) <= lost["frames"] + lost["events"]
    assert found["Python calls and returns"] > 0.5 * lost["frames"]
    # every call of `inner` lies in one of `outer`, or in one of which nothing is known but that it was there
    query = """
        SELECT inner_name.value, outer_name.value, count(*) FROM python_call AS i
        JOIN string AS inner_name ON inner_name.id = i.name_id
        JOIN python_call AS o ON o.rank_id = i.rank_id AND o.thread_id = i.thread_id AND o.frame_no = i.outer_frame_no
        JOIN string AS outer_name ON outer_name.id = o.name_id
        WHERE inner_name.value LIKE '%: inner' GROUP BY 1, 2
    """
    around = {outer.rpartition(": ")[2] for _, outer, _ in connection.execute(query)}
    assert "outer" in around
    assert around <= {"outer", "<lost>"}
