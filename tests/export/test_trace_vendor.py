"""trace_view.json in the vendor's form, on our own small profiles; test_gold compares it with the vendor's files."""

import json
from collections import Counter
from decimal import Decimal

import pytest

from warehouse import store
from warehouse.export import Selection
from warehouse.export.selection import choose
from warehouse.export.source import ExportSource
from warehouse.export.trace_vendor import write_vendor_trace
from warehouse.ingest import ingest
from warehouse.sample import write_profile

FROM, TO = 1760000000005190000, 1760000000005700000  # from inside a kernel of step 3 into step 4
PID = 41000


@pytest.fixture
def traced(tmp_path):
    """A function: writes the first chosen rank's trace_view.json; gives its events and how many were counted."""

    def written(warehouse, **wanted):
        connection = store.open_read(warehouse, query_only=False)
        try:
            path = tmp_path / "trace_view.json"
            count = write_vendor_trace(ExportSource(connection), choose(connection, Selection(**wanted))[0], path)
            found = json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)
        finally:
            connection.close()
        return found, count

    return written


def start(event):
    whole, _, part = event["ts"].partition(".")
    assert len(part) == 3
    return int(whole) * 1000 + int(part)


def end(event):
    return start(event) + int(event["dur"] * 1000)


def slices(events):
    return [event for event in events if event["ph"] == "X"]


def packed(sort_index, device):
    return (PID << 10 | sort_index << 5 | device) & 0xFFFFFFFF


def test_processes_and_what_stands_in_them(traced, sample):
    found, count = traced(sample, rank=0)
    names = {event["pid"]: event["args"]["name"] for event in found if event["name"] == "process_name"}
    labels = {event["pid"]: event["args"]["labels"] for event in found if event["name"] == "process_labels"}
    expected = {
        PID: "Python", packed(1, 0): "Python GC", packed(6, 31): f"Process {PID}", packed(7, 31): "CANN",
        packed(14, 0): "Ascend Hardware", packed(16, 0): "Communication", packed(17, 0): "NPU MEM",
        packed(24, 0): "HBM", packed(31, 0): "Overlap Analysis",
    }  # fmt: skip
    assert expected.items() <= names.items()
    assert {labels[pid] for pid in expected} == {"CPU", "NPU 0"}
    assert {event["pid"] for event in found} <= names.keys()
    named = {(event["pid"], event["tid"]) for event in found if event["name"] == "thread_name"}
    assert {(event["pid"], event["tid"]) for event in slices(found)} <= named
    assert count == len(found)
    kinds = Counter(event.get("cat") for event in slices(found))
    assert {"cpu_op", "enqueue", "dequeue", "python_function", "GC"} <= kinds.keys()


def test_numbers_are_as_the_vendor_writes_them(traced, sample):
    found, _ = traced(sample, rank=0)
    assert all(isinstance(event["ts"], str) and start(event) > 10**18 for event in found if "ts" in event)
    assert all(isinstance(event["dur"], (int, Decimal)) for event in slices(found))
    launches = [event for event in found if event.get("cat") == "HostToDevice"]
    assert all(event["name"] == "HostToDevice" + event["id"] and int(event["id"]) % 2**32 == 0 for event in launches)
    assert all(("bp" in event) == (event["ph"] == "f") for event in launches)
    torch = [event for event in found if event.get("cat") == "async_npu"]
    assert all(start(event) == event["id"] for event in torch if event["ph"] == "f")
    assert {event["id"] for event in torch if event["ph"] == "s"} == {e["id"] for e in torch if e["ph"] == "f"} != set()


def test_parents_are_left_out_where_their_parts_are_drawn(traced, sample):
    found, _ = traced(sample, rank=0)
    hardware = [event for event in slices(found) if event["pid"] == packed(14, 0)]
    assert [event["name"] for event in hardware if event["name"].startswith("KERNEL_MIX")] == []
    assert {event["args"]["Subtask Id"] for event in hardware if "Subtask Id" in event["args"]} == {0, 4294967295}


def test_level0_loses_the_host_calls_but_not_their_arrows(traced, tmp_path):
    write_profile(tmp_path / "job", level="Level0", steps=2, ops_per_step=10)
    ingest([tmp_path / "job"], tmp_path / "W.db")
    found, _ = traced(tmp_path / "W.db", rank=0)
    cann = [event for event in found if event["pid"] == packed(7, 31)]
    assert {event["ph"] for event in cann} == {"M", "s"}
    assert {event["name"] for event in cann if event["ph"] == "M"} == {
        "process_labels", "process_sort_index", "thread_name", "thread_sort_index",
    }  # fmt: skip
    communication = [event for event in slices(found) if event["pid"] == packed(16, 0)]
    assert {event["name"].split("_")[0] for event in communication} == {"hcom"}, "tasks are shown from Level1 on"


def test_a_window_takes_what_overlaps_it(traced, sample):
    whole, _ = traced(sample, rank=0)
    part, _ = traced(sample, rank=0, from_ns=FROM, to_ns=TO)

    def inside(event):
        return start(event) < TO and (end(event) > FROM or start(event) >= FROM)

    def key(event):
        return event["name"], event["pid"], event["tid"], event["ts"], event["dur"]

    assert Counter(map(key, slices(part))) == Counter(key(event) for event in slices(whole) if inside(event))
    counters = [event for event in part if event["ph"] == "C"]
    assert all(FROM <= start(event) < TO for event in counters)
    points = {(event["pid"], event["tid"], event["ts"]) for event in slices(part)}
    ends = [event for event in part if event["ph"] in "sf"]
    assert {event["ph"] for event in ends} == {"s", "f"}
    assert {(event["pid"], event["tid"], event["ts"]) for event in ends} <= points
    for category in "async_task_queue", "async_npu", "fwdbwd":
        flows = Counter((event["id"], event["ph"]) for event in ends if event["cat"] == category)
        assert {number for number, phase in flows if phase == "s"} == {
            number for number, phase in flows if phase == "f"
        }


def test_a_step_takes_its_own(traced, sample):
    part, _ = traced(sample, rank=0, step=4)
    assert [event["name"] for event in slices(part) if event["name"].startswith("ProfilerStep")] == ["ProfilerStep#4"]
    assert {event["name"] for event in slices(part) if event["pid"] == packed(31, 0)} >= {"Computing", "Free"}


def test_a_rank_with_nothing_in_the_window_has_no_trace(traced, sample):
    _, count = traced(sample, rank=0, from_ns=1, to_ns=2)
    assert count == 0
