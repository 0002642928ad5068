"""Exports and analyses of a recording that has not ended, or not begun: one clear line; and what a whole one tells."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

NPUWH = Path(sys.executable).with_name("npuwh")

_EXPORTS = """
def export():
    prof.export_chrome_trace("trace.json")
    prof.export_stacks("stacks.txt")
    prof.export_memory_timeline("memory.html", "cpu")
"""


def test_exports_wait_for_the_end(script):
    done = script(
        f"""
from warehouse.profiler import ProfilerActivity, profile, schedule
prof = profile(
    activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=9), with_stack=True,
    record_shapes=True, profile_memory=True,
)
{_EXPORTS}
export()
prof.start()
export()
prof.step()
export()
prof.stop()
prof.export_chrome_trace("trace.json")
"""
    )
    told = [line for line in done.err.splitlines() if "nothing is exported" in line]
    assert len(told) == 9
    assert sum("nothing was recorded" in line for line in told) == 3
    assert sum("while the profiler runs: stop it first" in line for line in told) == 6
    assert "fault of npuwh" not in done.err
    assert {path.name for path in done.folder.iterdir()} == {"train.py", "trace.json", "export_only_prof_dir"}
    assert (done.folder / "trace.json").stat().st_mode & 0o777 == 0o640


def test_what_is_still_recorded_is_not_read(script):
    done = script(
        f"""
import glob, subprocess, time
from warehouse.profiler import ProfilerActivity, _ExperimentalConfig, mstx, profile, tensorboard_trace_handler
from warehouse.profiler.profiler import analyse
def ingest():
    (run,) = glob.glob("result/*")
    done = subprocess.run(["{NPUWH}", "ingest", run, "-o", "W.db"], capture_output=True, text=True)
    print(done.returncode, done.stderr.rstrip())
with profile(
    activities=[ProfilerActivity.CPU], on_trace_ready=tensorboard_trace_handler("result", analyse_flag=False),
    experimental_config=_ExperimentalConfig(mstx=True),
):
    ingest()
    mstx.mark("here")
    time.sleep(1.5)
    ingest()
    analyse("result")
ingest()
"""
    )
    first, second, last, *_ = done.out.splitlines()
    assert first.startswith("2 npuwh: ")
    assert second.startswith("2 npuwh: ")
    assert "is still being recorded" in first or "has no records (yet)" in first
    assert "is still being recorded, by process " in second
    assert last.startswith("0 ")
    (told,) = done.err.splitlines()
    assert "is still being recorded" in told


@pytest.mark.torch
def test_what_a_recording_tells_of_itself(script):
    done = script(
        """
import threading, torch
from warehouse.profiler import ProfilerActivity, _ExperimentalConfig, profile, tensorboard_trace_handler
prof = profile(
    activities=[ProfilerActivity.CPU], with_stack=True, on_trace_ready=tensorboard_trace_handler("result"),
    experimental_config=_ExperimentalConfig(export_type="db"),
)
with prof:
    thread = threading.Thread(target=sum, args=[range(9)], name="w1")
    thread.start()
    thread.join()
    torch.ones(300).sum()
prof.export_chrome_trace("trace.json")
prof.export_stacks("stacks.txt")
print(torch.__version__)
"""
    )
    made = done.warehouse("result")
    told = json.loads(subprocess.run([NPUWH, "info", "--json", made], capture_output=True, check=True).stdout)
    (rank,) = told["ranks"]
    assert rank["framework_version"] == done.out.strip()
    assert rank["input_kind"] == "recording"
    with closing(sqlite3.connect(made)) as connection:
        first, last = connection.execute("SELECT min(start_ns), max(end_ns) FROM op").fetchone()
        names = {name for (name,) in connection.execute("SELECT name FROM thread")}
    assert rank["session_start_ns"] <= first < last <= rank["session_end_ns"]
    assert names == {"MainThread", "w1"}
    shown = subprocess.run([NPUWH, "info", made], capture_output=True, text=True, check=True).stdout
    assert "20" in shown.partition("start (UTC)")[2]
    events = json.loads((done.folder / "trace.json").read_text())["traceEvents"]
    labels = {event["name"]: set() for event in events if event["ph"] == "M"}
    for event in events:
        if event["ph"] == "M":
            labels[event["name"]].add(event["args"].get("name"))
    assert labels["process_name"] == {f"python {rank['pid']} Python"}
    assert any(name.startswith("w1 (") for name in labels["thread_name"])
    assert (done.folder / "stacks.txt").stat().st_mode & 0o777 == 0o640


@pytest.mark.torch
def test_floating_point_operations_are_those_of_torch(script):
    done = script(
        """
import json, torch
from warehouse.profiler import ProfilerActivity, _ExperimentalConfig, profile, tensorboard_trace_handler
a, b = torch.randn(64, 128), torch.randn(128, 32)
image, weight = torch.randn(2, 3, 32, 32), torch.randn(8, 3, 3, 3)
def work():
    a @ b
    torch.addmm(torch.zeros(64, 32), a, b)
    torch.randn(4, 10, 20) @ torch.randn(4, 20, 5)
    torch.nn.functional.conv2d(image, weight, padding=1)
    a + a
    a * a
with profile(
    activities=[ProfilerActivity.CPU], with_flops=True, on_trace_ready=tensorboard_trace_handler("result"),
    experimental_config=_ExperimentalConfig(export_type="db"),
):
    work()
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], with_flops=True) as theirs:
    work()
print(json.dumps({each.key: each.flops for each in theirs.key_averages() if each.flops}))
"""
    )
    expected = json.loads(done.out.splitlines()[-1])
    with closing(sqlite3.connect(done.warehouse("result"))) as connection:
        rows = connection.execute("SELECT message FROM mark_named WHERE domain = 'mfu_flops'").fetchall()
    found: dict[str, int] = {}
    for (message,) in rows:
        count, _, name = message.partition("-")
        found[name] = found.get(name, 0) + int(count)
    found["aten::conv2d"] = found.pop("aten::convolution")  # the operator that is called by all of its kinds
    assert found == expected
