"""Recording trouble never reaches the training: it goes on, one line says what happened, what was recorded is whole."""

from __future__ import annotations

import os
import sqlite3

import pytest

from warehouse.ingest import ingest

LOOP = """
import os, sys
from warehouse.profiler import profile, schedule, tensorboard_trace_handler, ProfilerActivity, _ExperimentalConfig
config = _ExperimentalConfig(export_type="db", gc_detect_threshold=None)
def prof(place="result", **settings):
    return profile(activities=[ProfilerActivity.CPU], on_trace_ready=tensorboard_trace_handler(place),
                   experimental_config=config, **settings)
def work(n=0):
    return sum(range(n))
"""


def rows(made, query):
    connection = sqlite3.connect(made)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


CALLS = "SELECT count(*) FROM python_call_named WHERE name LIKE '%): work'"


def test_an_exception_in_the_block_is_the_programs_own(script):
    done = script(LOOP + "with prof(with_stack=True):\n    work(3)\n    raise KeyError('mine')\n", code=1)
    assert done.err.rstrip().endswith("KeyError: 'mine'")
    assert rows(done.run("result") / "ASCEND_PROFILER_OUTPUT" / "npuwh.db", CALLS) == [(1,)]


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is unwritable for root")
def test_a_folder_that_cannot_be_written(script):
    done = script(LOOP + "os.mkdir('shut', 0o500)\nwith prof('shut/result'):\n    work()\nprint('went on')\n")
    assert done.out == "went on\n"
    assert "nothing is recorded" in done.err and "Traceback" not in done.err  # noqa: PT018


def test_a_place_that_is_a_file(script):
    done = script(LOOP + "open('result', 'w').close()\nwith prof():\n    work()\nprint('went on')\n")
    assert done.out == "went on\n"
    assert "nothing is recorded" in done.err
    assert "Traceback" not in done.err


def test_a_full_disk(script):
    """Files may not grow: what came before is read, and the ingest tells how it ended."""
    done = script(
        LOOP
        + """
import resource, signal, time
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
handler = tensorboard_trace_handler("result", analyse_flag=False)
with profile(activities=[ProfilerActivity.CPU], on_trace_ready=handler, with_stack=True) as p:
    for _ in range(1000): work()
    time.sleep(1.5)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, resource.RLIM_INFINITY))
    for _ in range(200000): work()
    time.sleep(1.5)
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
print("went on")
"""
    )
    assert done.out == "went on\n"
    assert "the recording is incomplete" in done.err
    made = done.folder / "W.db"
    report = ingest([done.run("result")], made)
    assert report.exit_code == 0
    (calls,) = rows(made, CALLS)[0]
    assert 1000 <= calls < 200000
    assert "incomplete-recording" in {code for (code,) in rows(made, "SELECT code FROM issue")}


@pytest.mark.parametrize("ending", ["os.kill(os.getpid(), 9)", "os._exit(3)", "os.abort()"])
def test_a_process_that_dies(script, ending):
    done = script(
        LOOP
        + "import time\nwith prof(with_stack=True):\n    for _ in range(50): work()\n    time.sleep(1.6)\n"
        + f"    {ending}\n",
        code=None,
    )
    assert done.code != 0
    made = done.folder / "W.db"
    ingest([done.run("result")], made)
    assert rows(made, CALLS) == [(50,)]
    assert "incomplete-recording" in {code for (code,) in rows(made, "SELECT code FROM issue")}


def test_a_forked_child_leaves_the_recording_alone(script):
    done = script(
        LOOP
        + """
with prof(with_stack=True) as p:
    for _ in range(5): work()
    before = os.listdir(p.path)
    child = os.fork()
    if child == 0:
        for _ in range(7): work()
        p.stop()      # as the child of a data loader does at its end
        sys.exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert os.listdir(p.path) == before
    for _ in range(5): work()
"""
    )
    assert len(done.runs("result")) == 1
    assert rows(done.run("result") / "ASCEND_PROFILER_OUTPUT" / "npuwh.db", CALLS) == [(10,)]


def test_from_a_daemon_process(script):
    done = script(
        LOOP
        + """
import multiprocessing
def job():
    with prof(with_stack=True):
        work()
if __name__ == "__main__":
    process = multiprocessing.get_context("fork").Process(target=job, daemon=True)
    process.start(); process.join()
    assert process.exitcode == 0
"""
    )
    assert rows(done.run("result") / "ASCEND_PROFILER_OUTPUT" / "npuwh.db", CALLS) == [(1,)]


def test_two_profilers_at_once(script):
    """The second records nothing and says so; the first is not disturbed, nor is what comes after."""
    done = script(
        LOOP
        + """
with prof("one", with_stack=True):
    work()
    with prof("two", with_stack=True):
        work()
    work()
with prof("three", with_stack=True):
    work()
print("went on")
"""
    )
    assert done.out == "went on\n"
    assert "another npuwh profiler is at work in this process" in done.err
    assert rows(done.run("one") / "ASCEND_PROFILER_OUTPUT" / "npuwh.db", CALLS) == [(3,)]
    assert rows(done.run("three") / "ASCEND_PROFILER_OUTPUT" / "npuwh.db", CALLS) == [(1,)]


@pytest.mark.torch
def test_while_torch_profiles(script):
    """Refused, not nested; and the other way round only our memory is off."""
    done = script(
        LOOP
        + """
import torch
with torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU]):
    with prof("one", profile_memory=True):
        torch.randn(3) + 1
with prof("two", profile_memory=True):
    torch.randn(3) + 1
print("went on")
"""
    )
    assert done.out == "went on\n"
    assert "nothing is recorded: another profiler is at work on this thread" in done.err
    made = done.run("two") / "ASCEND_PROFILER_OUTPUT" / "npuwh.db"
    assert rows(made, "SELECT count(*) > 0 FROM allocation") == [(1,)]


def test_asynchronous_analysis_returns_at_once(script):
    done = script(
        LOOP
        + """
import time, glob
handler = tensorboard_trace_handler("result", async_mode=True)
p = profile(activities=[ProfilerActivity.CPU], on_trace_ready=handler, experimental_config=config, with_stack=True)
p.start()
work()
began = time.monotonic()
p.stop()
took = time.monotonic() - began
assert took < 0.5, took
assert not glob.glob("result/*/ASCEND_PROFILER_OUTPUT/analyse.done")
deadline = time.monotonic() + 120
while not glob.glob("result/*/ASCEND_PROFILER_OUTPUT/analyse.done") and time.monotonic() < deadline:
    time.sleep(0.1)
"""
    )
    assert rows(done.run("result") / "ASCEND_PROFILER_OUTPUT" / "npuwh.db", CALLS) == [(1,)]


def test_wrong_settings_say_what_is_used_instead(script):
    done = script(
        """
        from warehouse.profiler import profile, schedule, tensorboard_trace_handler, _ExperimentalConfig
        profile(activities=["GPU"], record_shapes=1, with_stack="yes", schedule=3, on_trace_ready="there",
                experimental_config={}, use_cuda=True)
        tensorboard_trace_handler(7, worker_name="a/b", analyse_flag="no", async_mode=None)
        """
    )
    said = done.err.splitlines()
    for name in (
        "activities", "record_shapes", "with_stack", "schedule", "on_trace_ready", "experimental_config", "dir_name",
        "worker_name", "analyse_flag", "async_mode",
    ):  # fmt: skip
        (line,) = [line for line in said if f" {name}=" in f" {line}"]
        assert "is not allowed (" in line and "is used instead" in line  # noqa: PT018
    assert sum("use_cuda" in line for line in said) == 1


def test_warnings_of_other_ranks_and_unwanted_ones_are_kept_back(script):
    text = "from warehouse.profiler import profile\nprofile(record_shapes=1)\n"
    assert "record_shapes=1 is not allowed" in script(text, RANK="0").err
    assert script(text, RANK="1").err == ""
    assert script(text, TORCH_NPU_WARNING_DISABLE="1").err == ""


def test_what_was_recorded_for_exports_goes_with_its_profiler(script):
    done = script(
        """
        import os
        from warehouse.profiler import _KinetoProfile, ProfilerActivity
        prof = _KinetoProfile(activities=[ProfilerActivity.CPU], with_stack=True)
        prof.start()
        sorted([3, 1])
        prof.stop()
        prof.export_chrome_trace("trace.json")
        print(os.listdir("export_only_prof_dir") == [prof.path.name])
        del prof
        print(os.listdir("export_only_prof_dir"))
        """
    )
    assert done.out == "True\n[]\n"
    assert "sorted" in (done.folder / "trace.json").read_text()
