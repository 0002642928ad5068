"""Results of analyses: what is there is kept unless npuwh made it and nobody changed it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from warehouse.profiler.analysis import analyse_run

_RECORD = """
from warehouse.profiler import profile, ProfilerActivity, tensorboard_trace_handler
from warehouse.profiler import mstx, _ExperimentalConfig
with profile(
    activities=[ProfilerActivity.CPU], on_trace_ready=tensorboard_trace_handler("result", analyse_flag=False),
    with_stack=True, experimental_config=_ExperimentalConfig(mstx=True),
):
    mstx.mark("here")
    sum(range(3))
"""


@pytest.fixture
def run(script):
    return script(_RECORD).run("result")


def _state(output):
    return {path.name: (path.stat().st_ino, path.read_bytes()) for path in output.iterdir()}


def test_one_kind_beside_the_other(run):
    output = run / "ASCEND_PROFILER_OUTPUT"
    assert analyse_run(run, ["text"]).fault is None
    texts = _state(output)
    assert "trace_view.json" in texts
    (output / "notes.txt").write_text("mine")
    assert analyse_run(run, ["db"]).kept == {}
    both = _state(output)
    assert both["npuwh.db"]
    assert {name: state for name, state in both.items() if name in texts and not name.startswith(".")} == {
        name: state for name, state in texts.items() if not name.startswith((".", "analyse"))
    } | {"analyse.done": both["analyse.done"]}
    assert analyse_run(run, ["text"]).kept == {}
    again = _state(output)
    assert again["npuwh.db"] == both["npuwh.db"]  # the very file
    assert again["trace_view.json"][0] != both["trace_view.json"][0]  # made anew
    assert again["notes.txt"] == both["notes.txt"]
    assert {path.stat().st_mode & 0o777 for path in output.iterdir() if path.name != "notes.txt"} == {0o640}


def test_what_somebody_changed_is_kept_and_told(run):
    output = run / "ASCEND_PROFILER_OUTPUT"
    assert analyse_run(run, ["text", "db"]).fault is None
    with (output / "trace_view.json").open("a") as file:
        file.write(" ")
    (output / "npuwh.db").unlink()
    (output / "npuwh.db").write_text("mine")
    before = _state(output)
    done = subprocess.run(
        [sys.executable, "-m", "warehouse.profiler.analysis", "--export-type=text", "--export-type=db", str(run)],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    (line,) = done.stderr.splitlines()
    assert "kept: npuwh.db (changed since npuwh made it), trace_view.json (changed since npuwh made it)" in line
    after = _state(output)
    assert {after[name] for name in ("npuwh.db", "trace_view.json")} == {
        before[name] for name in ("npuwh.db", "trace_view.json")
    }


def test_files_of_others_in_the_way_are_kept(run):
    output = run / "ASCEND_PROFILER_OUTPUT"
    output.mkdir()
    (output / "trace_view.json").write_text("the vendor's")
    assert analyse_run(run, ["text"]).kept == {"trace_view.json": "not made by npuwh"}
    assert (output / "trace_view.json").read_text() == "the vendor's"


def test_a_run_that_cannot_be_read_loses_no_results(run):
    output = run / "ASCEND_PROFILER_OUTPUT"
    assert analyse_run(run, ["text"]).fault is None
    before = _state(output)
    for chunk in (run / "NPUWH_RECORDING").iterdir():
        chunk.unlink()
    assert "has no records" in analyse_run(run, ["text"]).fault
    assert _state(output) == before
