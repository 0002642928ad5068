"""What our own settings make of a recording: filters, sampling, chunks, a budget of disk; and how wrong ones are
told."""

from __future__ import annotations

import json
import logging
import re
import time
from pathlib import Path

import pytest

from tests.profiler.agreement.observed import tables, texts_of
from warehouse.profiler import DiskLimits, ProfilerActivity, Selection, profile, schedule


@pytest.fixture(autouse=True)
def _own_folder(tmp_path, observer_cache, monkeypatch):
    monkeypatch.setenv("ASCEND_WORK_PATH", str(tmp_path))
    monkeypatch.setenv("NPUWH_CACHE", str(observer_cache))


def recorded(work, **arguments) -> Path:
    ours = profile(activities=[ProfilerActivity.CPU], **arguments)
    ours.start()
    work(ours)
    ours.stop()
    assert ours.path is not None
    return ours.path


def names(run: Path) -> list[str]:
    rows = tables(run)
    text = texts_of(rows)
    return [text[row["name"]] for row in rows["op"]]


def manifest(run: Path) -> dict:
    return json.loads((run / "NPUWH_RECORDING" / "manifest.json").read_text())


@pytest.fixture
def torch():
    return pytest.importorskip("torch", reason="torch is not installed: pip install torch==2.13.0")


def test_operators_by_name(torch):
    def work(_):
        torch.ones(3).add(1).mul(2).sum()

    every = names(recorded(work))
    assert {"aten::ones", "aten::add", "aten::mul", "aten::sum"} <= set(every)
    only = names(recorded(work, selection=Selection(include_ops=["aten::add", "aten::m*"])))
    assert only == ["aten::add", "aten::mul"]
    without = names(recorded(work, selection=Selection(include_ops=["aten::*"], exclude_ops=["aten::[a-m]*"])))
    assert without == [name for name in every if not re.match("aten::[a-m]", name)]


def test_operators_of_modules_and_their_backward_nodes(torch):
    class Wanted(torch.nn.Module):
        def forward(self, x):
            return x.sigmoid() * 2

    class Other(torch.nn.Module):
        def forward(self, x):
            return x.tanh().exp()

    net = torch.nn.Sequential(Other(), Wanted(), Other())

    def work(_):
        with torch.profiler.record_function("my range"):
            net(torch.ones(3, requires_grad=True)).sum().backward()

    found = set(names(recorded(work, selection=Selection(modules=["Want*"]))))
    assert {"my range", "aten::sigmoid", "aten::mul", "SigmoidBackward0", "aten::sigmoid_backward"} <= found
    assert not {"aten::tanh", "aten::exp", "TanhBackward0", "aten::tanh_backward", "aten::sum", "ExpBackward0"} & found
    assert "aten::tanh" in names(recorded(work))  # the filter goes with its recording


def test_operators_by_duration(torch):
    def work(_):
        with torch.profiler.record_function("long"):
            torch.ones(3).add(1)
            time.sleep(0.05)

    assert names(recorded(work, selection=Selection(shortest_us=40_000))) == ["long"]


def test_every_third_step(torch):
    def train(ours):
        for _ in range(12):
            torch.ones(3)
            ours.step()

    run = recorded(
        train, schedule=schedule(wait=1, warmup=1, active=8, repeat=1), with_stack=True,
        selection=Selection(every_step=3),
    )  # fmt: skip
    found = names(run)
    assert [name for name in found if name.startswith("ProfilerStep")] == [f"ProfilerStep#{n}" for n in range(2, 10)]
    assert found.count("aten::ones") == 3
    depths = {row["depth"] for row in tables(run)["op"]}
    assert min(depths) == 0  # nesting begins anew in each of the steps
    calls = [row for row in tables(run)["frame"] if row["event"] in (0, 2)]
    assert sum(row["depth"] == 0 for row in calls) >= 3  # so do the calls of Python


@pytest.mark.parametrize(
    "selection",
    [
        Selection(include_ops=["aten::*"]), Selection(exclude_ops=["*"]), Selection(shortest_us=1e6),
        Selection(modules=["Nothing"]), Selection(every_step=2),
    ],
    ids=lambda each: " ".join(f"{name}={value}" for name, value in vars(each).items() if value not in ((), 1, 0.0)),
)  # fmt: skip
def test_steps_are_steps_whatever_is_left_out(torch, selection):
    def train(ours):
        for _ in range(4):
            torch.ones(3)
            ours.step()

    run = recorded(train, schedule=schedule(wait=0, warmup=1, active=3, repeat=1), selection=selection)
    steps = [name for name in names(run) if name.startswith("ProfilerStep")]
    assert steps == ["ProfilerStep#1", "ProfilerStep#2", "ProfilerStep#3"]


def test_warm_up_records_nothing(torch):
    def train(ours):
        for _ in range(3):
            torch.ones(3)
            ours.step()

    found = names(recorded(train, schedule=schedule(wait=0, warmup=2, active=1, repeat=1)))
    assert found.count("aten::ones") == 1


def test_chunks_by_size_and_by_time(torch):
    def work(_):
        for _ in range(20):
            for _ in range(100):
                torch.ones(1)
            time.sleep(0.02)

    limits = DiskLimits(chunk_bytes=20_000, flush_seconds=0.01)
    by_size = manifest(recorded(work, disk_limits=limits))["chunks"]
    assert len([chunk for chunk in by_size if chunk["table"] == "op"]) > 3
    by_time = manifest(recorded(work, disk_limits=DiskLimits(chunk_seconds=0.1, flush_seconds=0.01)))["chunks"]
    assert len([chunk for chunk in by_time if chunk["table"] == "op"]) > 2
    assert sum(chunk["rows"] for chunk in by_time if chunk["table"] == "op") >= 2000


def test_a_budget_of_disk_ends_the_recording_and_says_so(torch, caplog):
    def work(_):
        for _ in range(100):
            for _ in range(100):
                torch.ones(1)
            time.sleep(0.005)

    run = recorded(work, disk_limits=DiskLimits(disk_bytes=100_000, flush_seconds=0.01))
    told = manifest(run)
    assert told["state"] == "disk-budget"
    assert sum(path.stat().st_size for path in (run / "NPUWH_RECORDING").iterdir()) < 110_000
    assert 0 < sum(chunk["rows"] for chunk in told["chunks"] if chunk["table"] == "op") < 20_000
    assert "the recording reached its limit of 100000 bytes" in caplog.text


@pytest.mark.parametrize(
    ("make", "told"),
    [
        (lambda: Selection(every_step=0), "every_step=0 is not allowed (a whole number from 1); 1 is used instead"),
        (lambda: Selection(include_ops="aten::*"), "include_ops='aten::*' is not allowed (a list of patterns)"),
        (lambda: Selection(shortest_us=-1), "shortest_us=-1 is not allowed"),
        (lambda: DiskLimits(ring_bytes=5000), "ring_bytes=5000 is not allowed (a power of two from 4096"),
        (lambda: DiskLimits(chunk_seconds=0), "chunk_seconds=0 is not allowed"),
        (lambda: profile(activities=[ProfilerActivity.CPU], selection=3), "selection=3 is not allowed"),
    ],
)
def test_wrong_settings_are_told(make, told, caplog):
    with caplog.at_level(logging.WARNING):
        make()
    assert told in caplog.text
