"""Whatever a program gives the recorder, and whatever happens in there: no error of it reaches the training, and wrong
settings are told when they are given."""

from __future__ import annotations

import json
import sqlite3

import pytest

from warehouse.profiler.boundary import booked_troubles, contained
from warehouse.profiler.turns import Turns

HEAD = """
import os, sys
from warehouse.profiler import (
    DiskLimits, ProfilerAction, ProfilerActivity, Selection, _ExperimentalConfig, analyse, dynamic_profile, mstx,
    profile, schedule, tensorboard_trace_handler,
)
raw = lambda folder="result", **more: tensorboard_trace_handler(folder, analyse_flag=False, **more)
def run(**settings):
    settings.setdefault("on_trace_ready", raw())
    with profile(activities=[ProfilerActivity.CPU], **settings) as prof:
        prof.step()
    return prof
class Bytes:
    def __fspath__(self): return b"result"
class Silent:
    def __repr__(self): raise ValueError("no")
"""

# what is wrong, and what the line says of it
SETTINGS = {
    'run(on_trace_ready=raw("r\\ud800"))': "dir_name='r\\ud800' is not allowed",
    'run(on_trace_ready=raw("r\\0x"))': "dir_name=",
    'run(on_trace_ready=raw("~nobody-of-this-name/x"))': "dir_name=",
    'run(on_trace_ready=raw(b"r"))': "dir_name=b'r' is not allowed",
    'run(on_trace_ready=raw(worker_name="\\ud800"))': "worker_name=",
    'run(on_trace_ready=raw(worker_name="\\u20ac" * 100))': "a name of 1 to 225 bytes",
    "run(on_trace_ready=Silent())": "on_trace_ready=<Silent> is not allowed",
    "run(execution_trace_observer=5)": "execution_trace_observer=5 is not allowed",
    "run(schedule=lambda step: 5)": "which gave 5 for step 0",
    "run(schedule=lambda step: 1 / 0)": "which gave ZeroDivisionError: division by zero for step 0",
    "run(schedule=lambda step: ProfilerAction.RECORD if step < 1 else [])": "schedule(1) gave []",
    'run(selection=Selection(include_ops=["\\udc80"]))': "include_ops=",
    'run(selection=Selection(modules=["\\udc80"]))': "modules=",
    "run(disk_limits=DiskLimits(ring_bytes=1 << 40))": "a power of two from 4096 to 1073741824",
    "run(experimental_config=_ExperimentalConfig(gc_detect_threshold=10**5000))": "gc_detect_threshold=",
    'run(experimental_config=_ExperimentalConfig(gc_detect_threshold=float("inf")))': "gc_detect_threshold=inf",
    'run(experimental_config=_ExperimentalConfig(mstx=True, mstx_domain_include=["\\udc80"]))': "mstx_domain_include=",
    "run(experimental_config=_ExperimentalConfig(host_sys=[[]]))": "host_sys=[[]]",
    'run().add_metadata("a", "\\udc80")': "metadata 'a' is not kept",
    'run().add_metadata_json("a", "[" * 2000 + "]" * 2000)': "metadata a is not kept",
    'run().add_metadata_json("a", "[" * 400 + "]" * 400)': "deeper than 100",
    'run().add_metadata_json("a", "NaN")': "NaN is no number",
    'run().export_chrome_trace("\\0")': "nothing is exported",
    'run().export_chrome_trace("\\ud800")': "nothing is exported",
    'p = run(); p.start_at("x"); p.stop()': "step='x' is not allowed (a whole number from 0)",
    "run().enable_profiler_in_child_thread(with_stack=None)": "with_stack=None",
    "dynamic_profile.init(None)": "no file is watched",
    'dynamic_profile.init("a\\0b")': "no file is watched",
    'dynamic_profile.init("here"); dynamic_profile.start(5)': "no window is opened",
    "analyse(None)": "profiler_path=None is no path",
    'analyse("a\\0")': "nothing is analysed",
}  # fmt: skip


@pytest.mark.parametrize("call", SETTINGS)
def test_a_wrong_setting_is_a_line(script, call):
    done = script(f"{HEAD}\n{call}\nprint('went on')\n")
    assert done.out == "went on\n"
    assert "Traceback" not in done.err
    said = [line for line in done.err.splitlines() if "warmup=0" not in line]
    assert SETTINGS[call] in said[0], done.err


def test_odd_names_that_a_system_can_have(script):
    done = script(
        f"""{HEAD}
for folder in (os.fsdecode(b"r\\xff"), "r\\nx", "r\\u20ac\\U0001f600", Bytes()):
    run(on_trace_ready=raw(folder))
print([len(os.listdir(each)) for each in (b"r\\xff", b"r\\nx", "r\\u20ac\\U0001f600".encode(), b"result")])
"""
    )
    assert done.out == "[1, 1, 1, 1]\n"
    assert done.err == ""


def test_marks_of_any_text(script):
    done = script(
        f"""{HEAD}
import functools
config = _ExperimentalConfig(mstx=True, export_type="db")
with profile(activities=[ProfilerActivity.CPU], experimental_config=config,
             on_trace_ready=tensorboard_trace_handler("result")):
    mstx.mark("half \\ud800")
    mstx.mark("here", domain="\\ud800")
    with mstx.annotate("\\udc80"):
        pass
    mstx.annotate()(functools.partial(abs))(-1)
    mstx.range_end([])
    mstx.range_end(10**100)
"""
    )
    assert done.err == ""
    made = done.run("result") / "ASCEND_PROFILER_OUTPUT" / "npuwh.db"
    said = rows(made, "SELECT value FROM mark JOIN string ON string.id = message_id")
    assert sorted(said)[:3] == [("\\udc80",), ("functools.partial(<built-in function abs>)",), ("half \\ud800",)]


def test_arguments_that_no_function_has_are_the_programs_errors(script):
    done = script(
        f"""{HEAD}
for call in (lambda: profile(nonsense=1), lambda: profile().step(1, 2), lambda: mstx.mark(), lambda: analyse()):
    try:
        call()
    except TypeError as error:
        print(type(error).__name__)
"""
    )
    assert done.out == 4 * "TypeError\n"


def test_trouble_within_is_told_and_booked(script):
    """Whatever fails: the handler is called, the rest is recorded, and the recording says what is missing."""
    done = script(
        f"""{HEAD}
from warehouse.profiler import producers
def fails(*_): raise LookupError("there is none")
producers._module_call = fails
def handler(prof):
    tensorboard_trace_handler("result")(prof)
    print("ready")
handler.place = raw().place
config = _ExperimentalConfig(mstx=True, export_type="db")
with profile(activities=[ProfilerActivity.CPU], with_stack=True, on_trace_ready=handler, experimental_config=config):
    mstx.mark("here")
print("went on")
"""
    )
    assert done.out == "ready\nwent on\n"
    assert done.err.count("Python calls: not recorded as they should be: there is none") == 1
    (manifest,) = done.run("result").glob("*/manifest.json")
    assert json.loads(manifest.read_text())["facts"]["troubles"] == [
        "Python calls: not recorded as they should be: there is none"
    ]
    made = done.run("result") / "ASCEND_PROFILER_OUTPUT" / "npuwh.db"
    assert rows(made, "SELECT count(*) FROM mark") == [(1,)]
    said = rows(made, "SELECT text FROM issue WHERE code = 'recording-trouble'")
    assert said == [("Python calls: not recorded as they should be: there is none",)]


def test_errors_of_the_program_itself(script):
    """Its handler's reach it, after all else is done; an error of its block is never replaced."""
    done = script(
        f"""{HEAD}
def handler(prof):
    raise KeyError("handler")
prof = profile(activities=[ProfilerActivity.CPU], on_trace_ready=handler)
prof.start()
try:
    prof.stop()
except KeyError as error:
    print(error)
try:
    with profile(activities=[ProfilerActivity.CPU], on_trace_ready=handler):
        raise IndexError("block")
except IndexError as error:
    print(error, error.__context__)
run()
"""
    )
    assert done.out == "'handler'\nblock None\n"
    assert done.err.splitlines() == ["on_trace_ready failed: KeyError: 'handler'; the program goes on"]


def test_torchs_own_schedules_and_actions(script):
    done = script(
        f"""{HEAD}
import enum
Action = enum.Enum("ProfilerAction", "NONE WARMUP RECORD RECORD_AND_SAVE")
plan = iter([Action.WARMUP, Action.RECORD, Action.RECORD_AND_SAVE, Action.NONE, Action.NONE])
prof = profile(activities=[ProfilerActivity.CPU], schedule=lambda step: next(plan), on_trace_ready=raw())
prof.start()
for _ in range(4):
    prof.step()
prof.stop()
"""
    )
    assert len(done.runs("result")) == 1
    assert done.err == ""


def test_a_handler_of_a_signal_that_stops_what_begins(script):
    done = script(
        f"""{HEAD}
import signal
prof = profile(activities=[ProfilerActivity.CPU], on_trace_ready=raw(), with_stack=True)
signal.signal(signal.SIGUSR1, lambda *_: prof.stop())
from warehouse.profiler import producers
begin = producers.Producers.begin
def interrupted(self):
    signal.raise_signal(signal.SIGUSR1)
    begin(self)
producers.Producers.begin = interrupted
prof.start()
from warehouse import _recorder
print(_recorder.is_open(), len(os.listdir("result")))
"""
    )
    assert done.out == "False 1\n"
    assert done.err == ""


def test_contained():
    @contained(-1)
    def fails(number):
        return 1 // number

    assert fails(1) == 1
    assert fails(0) == -1
    with pytest.raises(TypeError, match="missing 1 required positional argument"):
        fails()
    assert booked_troubles()[-1].endswith("division or modulo by zero; the program goes on")
    assert booked_troubles() == []


def test_turns_after_an_error():
    turns, done = Turns(), []

    def fails():
        turns.take(lambda: done.append("later"))
        raise KeyError

    with pytest.raises(KeyError):
        turns.take(fails)
    turns.take(lambda: done.append("next"))
    assert done == ["later", "next"]


def rows(made, query):
    connection = sqlite3.connect(made)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()
