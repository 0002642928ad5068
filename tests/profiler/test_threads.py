"""Threads of a program: whose operators are recorded, and what is said of the others."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

NPUWH = Path(sys.executable).with_name("npuwh")
pytestmark = pytest.mark.torch

_WORK = """
import threading, torch
def on_thread():
    for _ in range(20):
        torch.ones(300).mul(2)
def run(**more):
    thread = threading.Thread(target=on_thread, **more)
    thread.start()
    thread.join()
    torch.ones(5).sum()
"""


def _ask(made, query):
    with closing(sqlite3.connect(made)) as connection:
        return connection.execute(query).fetchall()


@pytest.mark.parametrize("options", [[], ["--stack", "--shapes"]], ids=["plain", "stacks"])
def test_record_takes_every_thread(tmp_path, observer_cache, monkeypatch, options):
    monkeypatch.setenv("NPUWH_CACHE", str(observer_cache))
    (tmp_path / "train.py").write_text(_WORK + "run(name='w1')\n")
    command = [str(NPUWH), "record", "-o", "result", "--memory", *options, "train.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "not recorded" not in done.stderr
    (made,) = tmp_path.glob("result/*/ASCEND_PROFILER_OUTPUT/npuwh.db")
    assert _ask(made, "SELECT name FROM thread WHERE op_count > 0 ORDER BY name") == [("MainThread",), ("w1",)]
    named = "FROM op_named AS o JOIN thread AS t ON t.id = o.thread_id WHERE t.name = 'w1' AND o.name"
    assert _ask(made, f"SELECT count(*) {named} = 'aten::mul'") == [(20,)]
    taken = "SELECT count(*) FROM allocation_named WHERE component = 'CPU' AND bytes = 1200"
    assert _ask(made, taken.replace("bytes = 1200", "size_bytes = 1200"))[0][0] >= 40


def test_profile_tells_of_threads_that_it_does_not_record(script):
    done = script(
        _WORK
        + """
from warehouse.profiler import ProfilerActivity, _ExperimentalConfig, profile, tensorboard_trace_handler
handler = tensorboard_trace_handler("result")
def enabled():
    profile.enable_profiler_in_child_thread()
    on_thread()
    profile.disable_profiler_in_child_thread()
def recorded(work):
    with profile(
        activities=[ProfilerActivity.CPU], on_trace_ready=handler,
        experimental_config=_ExperimentalConfig(export_type="db"),
    ):
        work()
recorded(lambda: (run(name="w1"), run(name="w2")))
other = threading.Thread(target=enabled, name="w3")
recorded(lambda: (other.start(), other.join(), torch.ones(3)))
"""
    )
    told = [line for line in done.err.splitlines() if "other thread" in line]
    assert len(told) == 1, done.err
    assert "operators of 2 other threads" in told[0]
    assert "enable_profiler_in_child_thread" in told[0]
    first, second = (run / "ASCEND_PROFILER_OUTPUT" / "npuwh.db" for run in done.runs("result"))
    issues = "SELECT severity, count FROM issue_named WHERE code = 'unobserved-threads'"
    assert _ask(first, issues) == [("info", 2)]
    assert _ask(second, issues) == []
    assert _ask(second, "SELECT name FROM thread WHERE op_count > 10") == [("w3",)]
