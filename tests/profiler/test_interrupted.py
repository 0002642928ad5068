"""Signals that strike within the recorder: what their handlers raise reaches the program, and nothing stays open."""

from __future__ import annotations

import pytest

HEAD = """
import os, signal, sys
from warehouse import _recorder
from warehouse.profiler import ProfilerActivity, _ExperimentalConfig, mstx, profile, tensorboard_trace_handler
def make(folder="result", **more):
    handler = tensorboard_trace_handler(folder, analyse_flag=False)
    return profile(activities=[ProfilerActivity.CPU], on_trace_ready=handler,
                   experimental_config=_ExperimentalConfig(mstx=True), with_stack=True, **more)
"""


def test_timeouts_reach_the_program(script):
    """A handler of SIGALRM that raises, as timeouts are made, at any line of a mark."""
    done = script(
        f"""{HEAD}
def late(*_): raise TimeoutError("too late")
class Late:
    def __call__(self, number, frame): raise OSError("too late")
struck = 0
def strike_at(line):
    def trace(frame, event, _):
        global struck
        if "warehouse" in frame.f_code.co_filename and event == "line":
            struck += 1
            if struck == line:
                sys.settrace(None)
                signal.raise_signal(signal.SIGALRM)
        return trace
    return trace
seen = 0
with make() as prof:
    for line in range(1, 11):
        signal.signal(signal.SIGALRM, late if line % 2 else Late())
        struck = 0
        try:
            sys.settrace(strike_at(line))
            mstx.mark("here")
            prof.step()
        except OSError as error:
            seen += str(error) == "too late"
        sys.settrace(None)
print(seen)
"""
    )
    assert done.out == "10\n"
    assert done.err == ""


@pytest.mark.parametrize("part", range(3))
@pytest.mark.parametrize("call", ["start", "stop"])
def test_an_interrupt_leaves_nothing_open(script, call, part):
    """Wherever Ctrl-C strikes: it is seen, and the next recording begins."""
    done = script(
        f"""{HEAD}
def interrupt(line):
    struck = 0
    def trace(frame, event, _):
        nonlocal struck
        if "warehouse" in frame.f_code.co_filename and event == "line":
            struck += 1
            if struck == line:
                sys.settrace(None)
                signal.raise_signal(signal.SIGINT)
        return trace
    prof = make()
    seen = False
    try:
        {"pass" if call == "start" else "prof.start()"}
        sys.settrace(trace)
        prof.{call}()
    except KeyboardInterrupt:
        seen = True
    sys.settrace(None)
    prof.stop()
    if _recorder.is_open() or sys.getprofile() is not None:
        print("open after line", line)
    return seen
line = {part} + 1

while interrupt(line) and line < 2000:
    line += 3
print(line > 100)
last = make("last")
last.start(); mstx.mark("here"); last.stop()
"""
    )
    assert done.out == "True\n"
    assert "another" not in done.err
    assert "Traceback" not in done.err
    assert len(done.runs("last")) == 1, done.err
    for run in done.runs("result"):
        assert (run / "NPUWH_RECORDING" / "manifest.json").exists()


def test_a_start_within_on_trace_ready(script):
    done = script(
        f"""{HEAD}
calls = 0
def again(prof):
    global calls
    calls += 1
    prof.start()
    prof.stop()
prof = profile(activities=[ProfilerActivity.CPU], on_trace_ready=again)
prof.start(); prof.stop()
prof.start(); prof.stop()
print(calls)
"""
    )
    assert done.out == "2\n"
    line = "start within on_trace_ready is left out; start the profiler when its stop has returned"
    assert done.err.splitlines() == [line, line]


def test_a_refused_start_leaves_no_directory(script):
    done = script(f"{HEAD}\nfirst, second = make('first'), make('second')\nfirst.start(); second.start()\n"
                  "second.stop(); first.stop()\n")  # fmt: skip
    assert len(done.runs("first")) == 1
    assert done.runs("second") == []
    assert done.err.count("another npuwh profiler is at work in this process") == 1
