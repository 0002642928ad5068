"""Recordings beside others, of other threads, of torch's and Python's profilers: each gets what is its own, once."""

from __future__ import annotations

import sqlite3

import pytest

HEAD = """
import os, sys, threading
import torch
from warehouse.profiler import ProfilerActivity, _ExperimentalConfig, mstx, profile, tensorboard_trace_handler
config = _ExperimentalConfig(export_type="db", mstx=True)
def prof(place, **more):
    return profile(activities=[ProfilerActivity.CPU], on_trace_ready=tensorboard_trace_handler(place),
                   experimental_config=config, **more)
def add(n):
    for _ in range(n): torch.ones(3) + 1
def own(): return 1
def in_thread(call):
    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
TORCH = [torch.profiler.ProfilerActivity.CPU]
"""
ADDITIONS = "SELECT count(*) FROM op JOIN string ON string.id = name_id WHERE value = 'aten::add'"
ALLOCATIONS = "SELECT count(*) FROM allocation"
CALLS = "SELECT count(*) FROM python_call_named WHERE name LIKE '%): own'"
MARKS = "SELECT value FROM mark JOIN string ON string.id = message_id ORDER BY mark.start_ns"

pytestmark = pytest.mark.torch


def found(done, place, query):
    made = done.run(place) / "ASCEND_PROFILER_OUTPUT" / "npuwh.db"
    connection = sqlite3.connect(made)
    try:
        return [value for (value,) in connection.execute(query)]
    finally:
        connection.close()


def test_a_stop_on_another_thread(script):
    """Nothing of it stays behind: not twice in the next recording, nor in torch's way."""
    done = script(
        f"""{HEAD}
one = prof("one", profile_memory=True)
one.start(); add(10); in_thread(one.stop)
with torch.profiler.profile(activities=TORCH) as theirs:
    add(2)
two = prof("two", profile_memory=True)
two.start(); add(20); two.stop()
print([each.count for each in theirs.key_averages() if each.key == "aten::add"])
"""
    )
    assert done.out.splitlines()[-1] == "[2]"
    assert found(done, "one", ADDITIONS) == [10]
    assert found(done, "two", ADDITIONS) == [20]
    assert found(done, "two", ALLOCATIONS)[0] >= 20
    assert "another profiler" not in done.err


def test_what_another_thread_records_later_is_its_own(script):
    """A thread whose recording was stopped elsewhere is not in the next one, which others began."""
    done = script(
        f"""{HEAD}
one = prof("one")
one.start(); add(1); in_thread(one.stop)
two = prof("two")
in_thread(lambda: (two.start(), add(5)))
add(7)
two.stop()
"""
    )
    assert found(done, "two", ADDITIONS) == [5]


def test_a_thread_that_asks_twice_is_recorded_once(script):
    done = script(
        f"""{HEAD}
with prof("one"):
    profile.enable_profiler_in_child_thread()
    add(3)
    profile.disable_profiler_in_child_thread()
    add(4)
def child():
    profile.enable_profiler_in_child_thread()
    with prof("two"):
        add(5)
    with_main.wait(); add(6); done.set()
    profile.disable_profiler_in_child_thread()
    add(100)
with_main, done = threading.Event(), threading.Event()
thread = threading.Thread(target=child)
thread.start()
while not os.path.exists("two") or not any("ASCEND_PROFILER_OUTPUT" in below for _, below, _ in os.walk("two")):
    pass
import time
deadline = time.monotonic() + 60
while not any("analyse.done" in files for _, _, files in os.walk("two")) and time.monotonic() < deadline:
    time.sleep(0.05)
with prof("three"):
    with_main.set(); done.wait(); thread.join()
"""
    )
    assert done.err.count("this thread is recorded already") == 1
    assert found(done, "one", ADDITIONS) == [7]
    assert found(done, "two", ADDITIONS) == [5]
    assert found(done, "three", ADDITIONS) == [6]  # what was enabled goes on behind the thread's own recording


def test_torchs_profilers_within_a_recording_of_memory(script):
    done = script(
        f"""{HEAD}
counts = lambda theirs: [each.count for each in theirs.key_averages() if each.key == "aten::add"]
kept = []
with prof("one", profile_memory=True):
    kept.append(torch.ones(1000))
    with torch.profiler.profile(activities=TORCH, profile_memory=True) as theirs:
        add(7)
    with torch.autograd.profiler.profile() as older:
        add(3)
    kept.append(torch.ones(5000))
print(counts(theirs), counts(older), torch.autograd.profiler._enable_profiler is torch._C._autograd._enable_profiler)
"""
    )
    assert done.out.splitlines()[-1] == "[7] [3] True"
    assert found(done, "one", ADDITIONS) == [10]
    taken = found(done, "one", "SELECT size_bytes FROM allocation")
    assert 4000 in taken
    assert 20000 in taken
    assert done.err.count("memory is not recorded while another profiler is at work on this thread") == 2
    said = found(done, "one", "SELECT text FROM issue WHERE code = 'recording-trouble'")
    assert set(said) == {"memory is not recorded while another profiler is at work on this thread"}


def test_a_profiler_that_is_refused_changes_nothing(script):
    done = script(
        f"""{HEAD}
from warehouse.profiler import schedule
outer = prof("outer")
outer.start(); mstx.mark("first"); add(1)
config = _ExperimentalConfig(mstx=False)
inner = prof("inner", schedule=schedule(wait=0, active=2))
inner.start(); mstx.mark("second"); add(1); inner.step(); inner.stop()
mstx.mark("third"); add(1)
outer.stop()
"""
    )
    assert found(done, "outer", MARKS) == ["first", "second", "third"]
    assert found(done, "outer", ADDITIONS) == [3]
    assert found(done, "outer", "SELECT count(*) FROM step") == [0]


def test_ranges_end_with_their_recording(script):
    done = script(
        f"""{HEAD}
with prof("one"):
    mstx.range_push("pushed")
    number = mstx.range_start("started")
with prof("two"):
    assert mstx.range_pop() == -1
    mstx.range_end(number)
    assert mstx.range_push("other") == 0 and mstx.range_pop() == 0
    mstx.mark("100 events lost", domain="npuwh")
"""
    )
    assert found(done, "two", MARKS) == ["other", "100 events lost"]
    assert found(done, "two", "SELECT count(*) FROM recording_gap") == [0]
    assert "domain npuwh is the recorder's own" in done.err


def test_python_profilers_of_the_program_go_on(script):
    """One that runs when a recording begins keeps its thread; one that begins within takes it; hooks stay theirs."""
    done = script(
        f"""{HEAD}
calls = []
def hook(frame, event, _):
    if event == "call" and frame.f_code.co_name == "own": calls.append(1)
def other():
    sys.setprofile(hook); own(); ready.set(); go.wait(); own()
ready, go = threading.Event(), threading.Event()
thread = threading.Thread(target=other)
thread.start(); ready.wait()
threading.setprofile(hook)
with prof("one", with_stack=True):
    own()
go.set(); thread.join()
print(len(calls), threading.getprofile() is hook)
threading.setprofile(None)
sys.setprofile(hook)
with prof("two", with_stack=True):
    own()
print(len(calls), sys.getprofile() is hook)
sys.setprofile(None)
with prof("three", with_stack=True):
    own()
    sys.setprofile(hook)
    own()
print(len(calls), sys.getprofile() is hook)
"""
    )
    assert done.out == "2 True\n3 True\n4 True\n"
    assert found(done, "one", CALLS) == [1]
    assert found(done, "two", CALLS) == [0]
    assert found(done, "three", CALLS) == [1]
    assert done.err.count("are not recorded: another profiler (cProfile, sys.setprofile) is at work") == 2
    assert done.err.count("threading.setprofile is in use") == 1
    assert done.err.count("end early: another profiler (cProfile, sys.setprofile) took their hook") == 1


def test_names_that_look_like_modules_are_the_programs_own(script):
    done = script(
        f"""{HEAD}
with prof("one", with_stack=True, with_modules=True):
    with torch.autograd.profiler.record_function("mine######123"):
        torch.nn.Linear(2, 2)(torch.ones(2))
    mstx.mark("mark######5")
"""
    )
    assert found(done, "one", "SELECT value FROM op JOIN string ON string.id = name_id WHERE value LIKE 'mine%'") == [
        "mine######123"
    ]
    assert found(done, "one", MARKS) == ["mark######5"]
    assert found(done, "one", "SELECT DISTINCT name FROM python_call_named WHERE name LIKE 'nn.Module%'") == [
        "nn.Module: Linear_0"
    ]


def test_threads_that_begin_within_are_traced(script):
    done = script(
        f"""{HEAD}
with prof("one", with_stack=True):
    for _ in range(3): in_thread(own)
in_thread(own)
"""
    )
    assert found(done, "one", CALLS) == [3]
