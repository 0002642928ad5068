"""`host_sys`: what the host does beside the program, from the system's files to counters and tracks."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import pyarrow as pa
import pytest

pytest.importorskip("warehouse._recorder", reason="the recorder is built for Linux only")

from tests.profiler.test_record_options import NPUWH, made, rows
from warehouse.batches.recorded import RECORDED
from warehouse.profiler import HostSystem, _ExperimentalConfig
from warehouse.readers.issues import Ledger
from warehouse.readers.recorded_host import RecordedHost
from warehouse.readers.sorted_rows import SpillFolder

BUSY = """
import os, time
end = time.monotonic() + 0.5
while time.monotonic() < end:
    sum(range(10_000))
with open("large", "wb") as file:
    file.write(os.urandom(4 << 20))
    os.fsync(file.fileno())
time.sleep(0.5)
"""


@pytest.fixture
def record(tmp_path):
    def run(text, *options):
        (tmp_path / "train.py").write_text(text)
        done = subprocess.run(
            [str(NPUWH), "record", *options, "train.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120,
            check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        (warehouse,) = made(tmp_path)
        return warehouse

    return run


def series(warehouse):
    query = "SELECT family || ' ' || coalesce(instance_no || ' ', '') || name || ' ' || unit FROM counter"
    return set(rows(warehouse, query))


def values(warehouse, name):
    query = f"SELECT value FROM counter_sample_named WHERE name = '{name}' ORDER BY time_ns"
    return rows(warehouse, query)


def test_a_program_that_works_writes_and_sleeps(record, tmp_path):
    warehouse = record(BUSY, "--host-sys", "cpu", "--host-sys", "mem", "--host-sys", "disk", "--host-sys", "network")
    found = series(warehouse)
    processors = {f"CPU_USAGE {number} usage percent" for number in os.sched_getaffinity(0)}
    assert {"CPU_USAGE process usage percent", "HOST_MEM_USAGE process resident bytes", *processors} <= found
    assert "HOST_MEM_USAGE usage percent" in found
    usage = values(warehouse, "process usage")
    assert 7 <= len(usage) <= 40
    assert max(usage) > 20
    assert min(usage) < 10
    assert all(0 <= value <= 100 for value in values(warehouse, "usage"))
    assert all(1 << 20 < value < 1 << 40 for value in values(warehouse, "process resident"))
    # they are tracks of the trace, in ours and in the vendor's form
    for kind, name in (("trace", "CPU_USAGE process usage (percent)"), ("text", "Memory Usage")):
        done = subprocess.run(
            [str(NPUWH), "export", str(warehouse), "--to", str(tmp_path / kind), kind], capture_output=True, check=False
        )
        assert done.returncode == 0, done.stderr
        (trace,) = (tmp_path / kind).rglob("trace*.json")
        events = json.loads(trace.read_text())
        events = events["traceEvents"] if isinstance(events, dict) else events
        assert any(event["ph"] == "C" and event["name"] == name for event in events), name


def test_only_what_was_asked_for_and_only_in_the_window(record):
    warehouse = record("import time; time.sleep(1.5)", "--host-sys", "mem", "--after", "0.5", "--for", "0.5")
    assert {each.split()[0] for each in series(warehouse)} == {"HOST_MEM_USAGE"}
    assert 3 <= len(values(warehouse, "usage")) <= 7


def test_none_unless_asked_for(record):
    assert series(record("import threading; print(threading.active_count())")) == set()


def test_a_forked_child_leaves_it_alone(record):
    text = """
import os, time
child = os.fork()
time.sleep(0.4)
if child:
    assert os.waitpid(child, 0)[1] == 0
"""
    assert len(values(record(text, "--host-sys", "mem"), "usage")) >= 3


def test_what_cannot_be_recorded_is_told_at_once(caplog):
    config = _ExperimentalConfig(host_sys=[HostSystem.CPU, HostSystem.OSRT, HostSystem.NUMA])
    assert config.host_sys == ["cpu", "osrt", "numa"]
    (line,) = caplog.messages
    assert line.startswith("host_sys: osrt and numa cannot be recorded without ")


@pytest.fixture
def counters():
    """A function: batches of (time, value, whole, series, begins) -> {(family, instance, name): [(time, value)]}."""

    def load(texts, *batches):
        recording = SimpleNamespace(
            read=lambda table: [
                pa.RecordBatch.from_pylist(
                    [dict(zip(RECORDED[table].names, row, strict=True)) for row in batch], schema=RECORDED[table]
                )
                for batch in batches
            ],
            clock=SimpleNamespace(ns=lambda ticks: ticks),
            texts_by_number=lambda wanted: {number: texts[number] for number in wanted},
        )
        run = SimpleNamespace(recording=recording, spill=SpillFolder(), ledger=Ledger())
        host = RecordedHost(run, 5)
        host.load()
        found, keys = {}, {}
        for kind, batch in host.batches():
            for row in batch.to_pylist():
                if kind == "counter_series":
                    keys[row["series"]] = (row["family"], row["instance_no"], row["name"])
                else:
                    found.setdefault(keys[row["series"]], []).append((row["time_ns"], row["value"]))
        assert not keys or min(keys) == 5
        return found, run.ledger.issues

    return load


S = 1_000_000_000


def test_shares_and_rates(counters):
    texts = {1: "cpu 3", 2: "memory system", 3: "network all", 4: "cpu process"}
    found, issues = counters(
        texts,
        [
            (1 * S, 50, 200, 1, 1), (1 * S, 256, 1024, 2, 1), (1 * S, 0, 2048, 3, 1), (1 * S, 0, 0, 4, 1),
            (2 * S, 60, 220, 1, 0), (2 * S, 512, 1024, 2, 0), (2 * S, 1024, 2048, 3, 0), (2 * S, 2 * S, 0, 4, 0),
        ],
        # over the border of batches; then one after a pause: nothing is known of the time before
        [(4 * S, 60, 260, 1, 0), (4 * S, 5120, 2048, 3, 0), (9 * S, 90, 290, 1, 1), (10 * S, 95, 300, 1, 0)],
    )  # fmt: skip
    assert issues == []
    # a change stands where it begins
    assert found == {
        ("CPU_USAGE", 3, "usage"): [(1 * S, 50.0), (2 * S, 0.0), (9 * S, 50.0)],
        ("HOST_MEM_USAGE", None, "usage"): [(1 * S, 25.0), (2 * S, 50.0)],
        ("HOST_NETWORK_USAGE", None, "speed"): [(1 * S, 1.0), (2 * S, 2.0)],
        ("HOST_NETWORK_USAGE", None, "usage"): [(1 * S, 50.0), (2 * S, 100.0)],
        ("CPU_USAGE", None, "process usage"): [(1 * S, 200.0)],
    }


def test_samples_that_cannot_be(counters):
    """A counter that went back, a speed that nobody knows, times that stand still, series of another version."""
    texts = {1: "disk read", 2: "network all", 3: "tape read", 4: "cpu x", 5: "memory system"}
    found, issues = counters(
        texts,
        [
            (1 * S, 4096, 0, 1, 1), (2 * S, 1024, 0, 1, 0), (2 * S, 9999, 0, 1, 0), (3 * S, 11023, 0, 1, 0),
            (1 * S, 0, 0, 2, 1), (2 * S, 1024, 0, 2, 0), (1 * S, 1, 0, 3, 1), (1 * S, 1, 0, 4, 1), (1 * S, 7, 0, 5, 1),
        ],
    )  # fmt: skip
    assert found == {
        ("HOST_DISK_USAGE", None, "readRate"): [(2 * S, 1.0)],
        ("HOST_NETWORK_USAGE", None, "speed"): [(1 * S, 1.0)],
    }
    assert [(issue.code, issue.count) for issue in issues] == [("unknown-series", 2)]


def test_what_a_killed_process_had_recorded_is_read(tmp_path):
    text = """
import os, signal, time
from warehouse.profiler import HostSystem, ProfilerActivity, _ExperimentalConfig, profile
from warehouse.profiler import DiskLimits, tensorboard_trace_handler
config = _ExperimentalConfig(host_sys=[HostSystem.MEM], export_type="db")
ours = profile(
    activities=[ProfilerActivity.CPU], experimental_config=config, disk_limits=DiskLimits(flush_seconds=0.05),
    on_trace_ready=tensorboard_trace_handler("result"),
)
ours.start()
time.sleep(1)
os.kill(os.getpid(), signal.SIGKILL)
"""
    killed = subprocess.run([sys.executable, "-c", text], cwd=tmp_path, capture_output=True, check=False)
    assert killed.returncode == -9
    read = subprocess.run(
        [str(NPUWH), "ingest", "result", "-o", "W.db"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert read.returncode == 0, read.stderr
    assert "the recording ends early" in read.stderr
    assert len(values(tmp_path / "W.db", "process resident")) >= 5
