"""`npuwh record`: what of a script is recorded, its steps, a window of time; and how wrong options are told."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from warehouse.cli.check import findings

NPUWH = Path(sys.executable).with_name("npuwh")
TRAINING = """
import time, torch
from torch.optim.lr_scheduler import StepLR
model = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.ReLU())
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
rate = StepLR(optimizer, 2)
for step in range(9):
    optimizer.zero_grad()
    model(torch.ones(2, 4)).sum().backward()
    optimizer.step()
    rate.step()
"""
STEPS = "SELECT step_no FROM step ORDER BY id"


@pytest.fixture
def record(tmp_path, observer_cache):
    """A function: options and a script's text -> how `npuwh record` ended; its folder is tmp_path."""

    def run(text, *options):
        (tmp_path / "train.py").write_text(text)
        return subprocess.run(
            [str(NPUWH), "record", *options, "train.py"], cwd=tmp_path, capture_output=True, text=True, timeout=300,
            check=False, env={**os.environ, "NPUWH_CACHE": str(observer_cache)},
        )  # fmt: skip

    return run


def made(folder):
    """The warehouses, oldest first, after `npuwh check` found nothing but a lack of operators in them."""
    runs = sorted(folder.glob("npuwh-recordings/*_ascend_pt"), key=lambda run: run.name[-27:])
    warehouses = [run / "ASCEND_PROFILER_OUTPUT" / "npuwh.db" for run in runs]
    for warehouse in warehouses:
        assert [found for found in findings(warehouse) if "no operators" not in found] == []
    return warehouses


def rows(warehouse, query):
    connection = sqlite3.connect(warehouse)
    try:
        return [value for (value,) in connection.execute(query)]
    finally:
        connection.close()


@pytest.mark.torch
def test_operators_by_name_and_by_module(record, tmp_path):
    done = record(TRAINING, "--include-ops", "aten::*", "--exclude-ops", "aten::[a-q]*", "--only-modules", "ReLU")
    assert done.returncode == 0, done.stderr
    (warehouse,) = made(tmp_path)
    # of the module: what its forward call does, and the backward node that it made
    names = rows(warehouse, "SELECT DISTINCT name FROM op_named ORDER BY name")
    assert names == ["aten::relu", "aten::threshold_backward"]


@pytest.mark.torch
def test_every_fourth_step_of_the_optimizer(record, tmp_path):
    done = record(TRAINING, "--every-step", "4")
    assert done.returncode == 0, done.stderr
    (warehouse,) = made(tmp_path)
    assert rows(warehouse, STEPS) == list(range(10))  # each is a step, what it did is in three of them
    assert set(rows(warehouse, "SELECT step_no FROM op_named WHERE name = 'aten::addmm'")) == {0, 4, 8}
    # the optimizer's own range ends before the step that it ends
    query = (
        "SELECT count(*) FROM op_named o JOIN step s ON o.start_ns >= s.start_ns AND o.end_ns <= s.end_ns "
        "WHERE o.name = 'Optimizer.step#SGD.step'"
    )
    assert rows(warehouse, query) == [3]


@pytest.mark.torch
def test_cycles_of_steps(record, tmp_path):
    done = record(TRAINING, "--skip-first", "1", "--wait", "1", "--warmup", "1", "--active", "2", "--repeat", "2")
    assert done.returncode == 0, done.stderr
    assert [rows(warehouse, STEPS) for warehouse in made(tmp_path)] == [[3, 4], [7, 8]]


@pytest.mark.torch
def test_of_two_optimizers_the_latest_counts(record, tmp_path):
    text = """
import torch
class Mine(torch.optim.SGD):
    def step(self, closure=None):  # a step that calls the step of its base class is one
        return super().step(closure)
pair = [kind([torch.nn.Parameter(torch.ones(2))], lr=0.1) for kind in (torch.optim.SGD, Mine)]
for _ in range(3):
    for each in pair:
        each.param_groups[0]["params"][0].sum().backward()
        each.step()
"""
    done = record(text, "--steps")
    assert done.returncode == 0, done.stderr
    (warehouse,) = made(tmp_path)
    assert rows(warehouse, STEPS) == [0, 1, 2, 3]  # what comes behind the last one is a step, too


MARKS = """
import time
from warehouse.profiler import mstx
for number in range(100):
    mstx.mark(str(number))
    time.sleep(0.02)
"""


def test_a_window_of_time(record, tmp_path):
    done = record(MARKS, "--after", "0.6", "--for", "0.5", "--stack")
    assert done.returncode == 0, done.stderr
    (warehouse,) = made(tmp_path)
    numbers = [int(text) for text in rows(warehouse, "SELECT message FROM mark_named ORDER BY start_ns")]
    assert numbers == list(range(numbers[0], numbers[-1] + 1))
    assert numbers[0] > 0
    assert numbers[-1] < 99
    assert 2 <= len(numbers) <= 26
    names = rows(warehouse, "SELECT name FROM python_call_named")
    assert sum("train.py(1): <module>" in name for name in names) == 1  # it was open already


def test_a_window_that_never_opens(record, tmp_path):
    done = record("print('short')", "--after", "60")
    assert (done.returncode, done.stdout) == (0, "short\n")
    (warehouse,) = made(tmp_path)
    assert rows(warehouse, "SELECT count(*) FROM mark_named") == [0]


def test_marks_by_domain_names_and_limits(record, tmp_path):
    text = """
from warehouse.profiler import mstx
for domain in ("ours", "theirs", "default"):
    mstx.mark("in " + domain, domain=domain)
"""
    done = record(
        text, "--mstx-domain-include", "ours", "--worker", "node7", "--metadata", "who=me = you", "--metadata", "n=1",
        "--disk-bytes", "1G", "--chunk-bytes", "1M", "--chunk-seconds", "5", "--flush-seconds", "0.5",
        "--ring-bytes", "64K",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (warehouse,) = made(tmp_path)
    assert rows(warehouse, "SELECT message FROM mark_named") == ["in ours"]
    assert rows(warehouse, "SELECT value FROM rank_metadata WHERE name = 'who'") == ["me = you"]
    (run,) = tmp_path.glob("npuwh-recordings/node7_*_ascend_pt")
    facts = json.loads((run / "profiler_info.json").read_text())
    assert facts["config"]["experimental_config"]["_mstx_domain_include"] == ["ours"]


def test_a_limit_of_disk_ends_the_recording_and_says_so(record, tmp_path):
    done = record("[str(n).upper() for n in range(300_000)]\nprint('went on')", "--stack", "--disk-bytes", "64K",
                  "--flush-seconds", "0.01")  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "went on\n")
    assert "the recording reached its limit of 65536 bytes" in done.stderr


def test_without_analysis(record, tmp_path):
    assert record("print(1)", "--no-analyse").returncode == 0
    (run,) = tmp_path.glob("npuwh-recordings/*_ascend_pt")
    assert not (run / "ASCEND_PROFILER_OUTPUT").exists()


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--every-step", "0"], "--every-step=0 is not allowed (a whole number from 1)"),
        (["--every-step", "x"], "Invalid value for '--every-step'"),
        (["--shortest-us", "-1"], "--shortest-us=-1.0 is not allowed (a number from 0)"),
        (["--after", "-1"], "--after=-1.0 is not allowed (seconds from 0)"),
        (["--for", "0"], "--for=0.0 is not allowed (seconds above 0)"),
        (["--disk-bytes", "5X"], "'5X' is no number of bytes"),
        (["--ring-bytes", "5000"], "--ring-bytes=5000 is not allowed (a power of two from 4096 to 1073741824)"),
        (["--chunk-seconds", "0"], "--chunk-seconds=0.0 is not allowed (seconds above 0)"),
        (["--wait", "2"], "--skip-first, --wait, --warmup and --repeat go with --active"),
        (["--active", "0"], "--active=0 is not allowed (a whole number from 1)"),
        (["--gc", "-3"], "--gc=-3.0 is not allowed"),
        (["--worker", "a/b"], "--worker='a/b' is not allowed"),
        (["-o", "~nobody-of-this-name/x"], "--output='~nobody-of-this-name/x' is not allowed (a path)"),
        (["-o", "/dev/null"], "--output='/dev/null' is not allowed (a folder that can be written: File exists)"),
        (["-o", "r" * 300], "is not allowed (a folder that can be written: File name too long)"),
        (["--metadata", "x"], "--metadata x: has to be NAME=TEXT"),
        (["--mstx-domain-include", "a", "--mstx-domain-exclude", "b"], "--mstx-domain-exclude=['b'] is not allowed"),
    ],
)
def test_wrong_options_are_told_before_the_script_starts(record, tmp_path, options, told):
    done = record("print('ran')", *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("npuwh: ")
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "npuwh-recordings").exists()
