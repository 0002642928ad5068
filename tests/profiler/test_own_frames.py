"""What is recorded with stacks is the program: no call of the recorder's own, on any path."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

pytestmark = pytest.mark.torch

_TRAIN = """
import threading, torch
from warehouse.profiler import (
    ProfilerActivity, _ExperimentalConfig, mstx, profile, schedule, tensorboard_trace_handler, Selection,
)
net = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
optimizer = torch.optim.SGD(net.parameters(), 0.1)
@mstx.mstx_range("a range")
def decorated():
    return sum(range(3))
def on_thread():
    decorated()
def work():
    net(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    mstx.mark("a mark")
    decorated()
    with mstx.annotate("another"):
        thread = threading.Thread(target=on_thread)
        thread.start()
        thread.join()
def train(prof):
    for _ in range(6):
        work()
        prof.step()
"""


def _calls(made):
    with closing(sqlite3.connect(made)) as connection:
        return [name for (name,) in connection.execute("SELECT name FROM python_call_named")]


@pytest.mark.parametrize(
    "more", ["", "gc_detect_threshold=0", "host_sys=['cpu']"], ids=["plain", "collections", "host"]
)
def test_no_call_of_ours_is_in_a_recording(script, more):
    done = script(
        _TRAIN
        + f"""
with profile(
    activities=[ProfilerActivity.CPU], schedule=schedule(wait=0, warmup=1, active=4, repeat=1),
    on_trace_ready=tensorboard_trace_handler("result"), record_shapes=True, profile_memory=True, with_stack=True,
    with_modules=True, selection=Selection(modules=["Linear"], every_step=2),
    experimental_config=_ExperimentalConfig(export_type="db", mstx=True, {more}),
) as prof:
    train(prof)
"""
    )
    calls = _calls(done.warehouse("result"))
    assert not [name for name in calls if "warehouse/" in name or "_recorder" in name]
    assert sum(name.endswith(": work") for name in calls) >= 2
    # what our code calls for the program is the program's
    assert sum(name.endswith(": decorated") for name in calls) >= 4
    assert not [name for name in calls if "issubclass" in name]
    assert len(calls) < 2000  # of two trivial steps


def test_watched_jobs_have_no_call_of_ours(script):
    done = script(
        _TRAIN
        + """
import json, os
from warehouse.profiler import dynamic_profile
dynamic_profile.init("watched")
config = json.load(open("watched/profiler_config.json"))
config.update(start_step=2, active=2, activities=["CPU"], prof_dir=os.path.abspath("result"), with_stack=True,
              analyse=True)
config["experimental_config"]["export_type"] = ["db"]
json.dump(config, open("watched/profiler_config.json", "w"))
for _ in range(6):
    work()
    dynamic_profile.step()
"""
    )
    calls = _calls(done.warehouse("result"))
    assert sum(name.endswith(": work") for name in calls) == 2
    assert not [name for name in calls if "warehouse/" in name or "_recorder" in name]


def test_nothing_outside_of_a_recorded_script(script, tmp_path, observer_cache):
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "main.py").write_text(
        _TRAIN + "for _ in range(3):\n    work()\n"  # its steps are those of the optimizer
    )
    done = script(
        """
import subprocess, sys
from pathlib import Path
npuwh = Path(sys.executable).with_name("npuwh")
subprocess.run([npuwh, "record", "-o", "result", "--stack", "--steps", "--for", "60", "main.py"], check=True)
"""
    )
    made = done.warehouse("result")
    calls = _calls(made)
    assert not [name for name in calls if "warehouse/" in name or "runpy" in name]
    with closing(sqlite3.connect(made)) as connection:
        outermost = connection.execute(
            "SELECT DISTINCT name FROM python_call_named WHERE depth = 0 AND name NOT LIKE '%threading.py%'"
        ).fetchall()
    assert len(outermost) == 1
    assert outermost[0][0].endswith("main.py(1): <module>")
