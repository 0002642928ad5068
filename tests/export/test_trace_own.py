"""Our own trace: what Perfetto's own loader makes of it, and that its numbers are exact and unique.

Perfetto drops a slice that overlaps another of its thread without nesting, and a flow whose end meets no slice.
"""

import gzip
import json
import shutil
from collections import Counter
from contextlib import ExitStack
from decimal import Decimal
from pathlib import Path

import pytest
from perfetto_trace import BAD, SLICES, check, row_count, wanted_flows

from warehouse import store
from warehouse.export import Selection, export
from warehouse.export.selection import choose
from warehouse.export.source import open_source
from warehouse.export.trace_own import write_trace
from warehouse.ingest import ingest
from warehouse.sample import write_profile

SHARED = Path(__file__).parents[3] / "shared" / "data"
GOLD = sorted(path.parent.name for path in SHARED.glob("gold/*/expected"))
REAL = SHARED / "msinsight" / "test" / "data" / "pytorch" / "db"
DAY = 86_400 * 10**9


@pytest.fixture
def traced(tmp_path):
    """A function: writes the trace of what is chosen of a warehouse; gives connection, ranks and path."""
    paths = []
    with ExitStack() as stack:

        def written(warehouse, **wanted):
            source = stack.enter_context(open_source(warehouse))
            ranks = choose(source.connection, Selection(**wanted))
            paths.append(tmp_path / f"trace{len(paths)}.json")
            write_trace(source, ranks, paths[-1], False)
            return source.connection, ranks, paths[-1]

        yield written


def events(path):
    return json.loads(path.read_text(encoding="utf-8"), parse_float=Decimal)["traceEvents"]


def nanoseconds(value):
    exact = Decimal(value) * 1000
    assert exact == int(exact)
    return int(exact)


@pytest.mark.parametrize("rank", [0, 1, None])
def test_perfetto_loses_nothing(perfetto, traced, sample, rank):
    check(perfetto, *traced(sample, rank=rank))


@pytest.mark.parametrize(
    "settings",
    [
        {"level": "Level0", "graph": "bare"},
        {"level": "Level2", "generation": "1.0.0", "graph": "replay", "queue": False},
        {"graph": "none", "queue": False, "stack": False},
    ],
    ids=lambda settings: "-".join(map(str, settings.values())),
)
def test_perfetto_loses_nothing_of_other_profiles(perfetto, traced, tmp_path, settings):
    write_profile(tmp_path / "job", steps=2, ops_per_step=10, **settings)
    ingest([tmp_path / "job"], tmp_path / "W.db")
    check(perfetto, *traced(tmp_path / "W.db"))


@pytest.mark.shared
@pytest.mark.skipif(not GOLD, reason="../shared is not there")
@pytest.mark.parametrize("scenario", GOLD)
def test_perfetto_loses_nothing_of_gold(perfetto, traced, gold, scenario):
    output, _ = gold(scenario)
    for rank in [None, *range(len(list(output.glob("*_ascend_pt"))))]:
        check(perfetto, *traced(output.with_name("W.db"), rank=rank))


@pytest.mark.shared
@pytest.mark.skipif(not REAL.is_dir(), reason="../shared is not there")
def test_perfetto_loses_nothing_of_real_profiles(perfetto, traced, tmp_path):
    ingest([REAL], tmp_path / "W.db")
    check(perfetto, *traced(tmp_path / "W.db"))
    for run in 1, 2:
        for rank in 0, 1:
            check(perfetto, *traced(tmp_path / "W.db", run=run, rank=rank))


def test_times_are_exact_to_the_nanosecond(traced, sample):
    connection, _, path = traced(sample, rank=1)
    about = json.loads(path.read_text(encoding="utf-8"))["otherData"]
    shown = Counter(
        (int(about["base_ns"]) + nanoseconds(event["ts"]), nanoseconds(event["dur"]), event["name"])
        for event in events(path)
        if event["ph"] == "X" and event["cat"] in ("op", "kernel")
    )
    ((rank_id,),) = connection.execute(*store.select("rank", ["id"], [("rank_no", "=", 1)])).fetchall()
    stored = Counter(
        connection.execute(*store.select("op_named", ["start_ns", "duration_ns", "name"], [("rank_id", "=", rank_id)]))
    )
    kernels = [("rank_id", "=", rank_id), ("kernel_id", "<>", None)]
    stored += Counter(
        connection.execute(*store.select("device_task_named", ["start_ns", "duration_ns", "name"], kernels))
    )
    assert shown == stored
    assert all(0 <= Decimal(event["ts"]) * 1000 < DAY for event in events(path) if "ts" in event)


def test_numbers_are_small_and_unique_over_ranks_and_runs(traced, tmp_path):
    for job in "first", "second":
        write_profile(tmp_path / job / "job", steps=1, ops_per_step=8)
    ingest([tmp_path / "first", tmp_path / "second"], tmp_path / "W.db")
    _, ranks, path = traced(tmp_path / "W.db")
    assert len(ranks) == 4
    found = events(path)
    assert all(isinstance(event[key], int) and 0 <= event[key] < 2**32 for event in found for key in ("pid", "tid"))
    assert all(0 <= event["id"] < 2**53 for event in found if "id" in event)
    processes = [event["args"]["name"] for event in found if event["name"] == "process_name"]
    assert len(processes) == len(set(processes)) == 4 * 7
    assert len({event["pid"] for event in found if event["ph"] == "X"}) == 4 * 5
    assert {pid: n for pid, n in Counter(e["pid"] for e in found if e["name"] == "process_name").items() if n > 1} == {}


def test_every_process_and_thread_has_its_name(traced, sample):
    _, _, path = traced(sample)
    found = events(path)
    names = {(event["pid"], event["tid"]): event["args"]["name"] for event in found if event["name"] == "thread_name"}
    used = {(event["pid"], event["tid"]) for event in found if event["ph"] == "X"}
    assert names.keys() == used
    assert {"Steps", "Thread 41000 operators", "Thread 41000 Python", "Stream 2"} <= set(names.values())
    assert any(name.endswith(" +1") for name in names.values()), "no extra lane, though the sample has overlaps"
    processes = {event["pid"]: event["args"]["name"] for event in found if event["name"] == "process_name"}
    assert processes.keys() == {event["pid"] for event in found}
    assert "rank 1 SimNPU 1 streams" in processes.values()
    order = {event["pid"]: event["args"]["sort_index"] for event in found if event["name"] == "process_sort_index"}
    assert sorted(processes, key=order.get) == sorted(processes)


def test_counters_have_their_values(traced, sample):
    connection, ranks, path = traced(sample, rank=0)
    found = [event for event in events(path) if event["ph"] == "C"]
    assert len(found) == row_count(connection, ["trace_counter", "trace_memory"], ranks)
    assert all(event["args"] and all(value is not None for value in event["args"].values()) for event in found)


def test_compressed_and_twice_the_same(sample, tmp_path):
    for name, packed in ("plain", False), ("packed", True), ("again", True):
        export(sample, tmp_path / name, ["trace"], gzip=packed)
    plain = (tmp_path / "plain" / "trace.json").read_bytes()
    packed = (tmp_path / "packed" / "trace.json.gz").read_bytes()
    assert gzip.decompress(packed) == plain
    assert packed == (tmp_path / "again" / "trace.json.gz").read_bytes()


def span(events_of_a_kind):
    begin = min(nanoseconds(event["ts"]) for event in events_of_a_kind)
    return begin, max(nanoseconds(event["ts"]) + nanoseconds(event["dur"]) for event in events_of_a_kind)


def overlaps(event, begin, end):
    start = nanoseconds(event["ts"])
    return start < end and (start + nanoseconds(event["dur"]) > begin or start >= begin)


def test_a_window_takes_what_overlaps_it_and_flows_with_both_ends_in_it(perfetto, traced, sample):
    _, _, whole = traced(sample)
    base = int(json.loads(whole.read_text(encoding="utf-8"))["otherData"]["base_ns"])
    first, last = span([event for event in events(whole) if event["ph"] == "X" and event["cat"] == "kernel"])
    begin, end = first + (last - first) // 3, first + (last - first) // 2
    _, _, part = traced(sample, from_ns=base + begin, to_ns=base + end)

    def slices(path):
        return [event for event in events(path) if event["ph"] == "X"]

    def key(event):
        return event["pid"], event["tid"], event["ts"], event["dur"], event["name"]

    assert Counter(map(key, slices(part))) == Counter(
        key(event) for event in slices(whole) if overlaps(event, begin, end)
    )
    chosen = {key(event)[:3] for event in slices(part)}
    pairs = {}
    for event in events(whole):
        if event["ph"] in "sf":
            pairs.setdefault((event["cat"], event["id"]), {})[event["ph"]] = (event["pid"], event["tid"], event["ts"])
    both = {flow for flow, pair in pairs.items() if pair["s"] in chosen and pair["f"] in chosen}
    found = {(event["cat"], event["id"]) for event in events(part) if event["ph"] == "f"}
    assert found == both != set()
    assert perfetto(part, BAD) == []
    assert int(perfetto(part, "SELECT count(*) FROM flow")[0][0]) == len(found)


def test_a_step_takes_its_slices(perfetto, traced, sample):
    connection, ranks, path = traced(sample, rank=0, step=4)
    shown = Counter(
        event["args"].get("step") for event in events(path) if event["ph"] == "X" and event["cat"] == "kernel"
    )
    query = store.select(
        "device_task_named", ["id"], [("rank_id", "=", ranks[0].id), ("step_no", "=", 4), ("kernel_id", "<>", None)]
    )
    assert shown == {4: len(connection.execute(*query).fetchall())}
    assert perfetto(path, BAD) == []


@pytest.fixture
def changed(sample, tmp_path):
    """A copy of the sample's warehouse that a test adds rows to."""
    return Path(shutil.copy(sample, tmp_path / "changed.db"))


def test_slices_without_a_stored_lane_get_one(perfetto, traced, changed):
    with store.add_to(changed) as loader:
        ((thread_id, rank_id),) = loader.connection.execute(
            *store.select("thread", ["id", "rank_id"], [("op_count", ">", 0)], limit=1)
        ).fetchall()
        ((base,),) = loader.connection.execute(*store.select("trace_base")).fetchall()
        start = base + DAY
        columns = {
            "rank_id": rank_id,
            "start_ns": [start, start + 50],
            "end_ns": [start + 100, start + 150],
            "thread_id": thread_id,
        }
        loader.write("gc_event", columns)
        halves = {
            "rank_id": rank_id, "correlation_no": [9001, 9002], "enqueue_thread_id": thread_id,
            "enqueue_start_ns": [start, start + 50], "enqueue_end_ns": [start + 100, start + 150],
            "dequeue_thread_id": thread_id,
            "dequeue_start_ns": [start + 200, start + 250], "dequeue_end_ns": [start + 300, start + 350],
        }  # fmt: skip
        loader.write("queue_task", halves)
    connection, ranks, path = traced(changed)
    added = [event for event in events(path) if event["ph"] == "X" and nanoseconds(event["ts"]) >= DAY]
    assert sorted(Counter((event["name"], event["tid"] % 1000) for event in added).values()) == [1] * 6
    assert perfetto(path, BAD) == []
    ((slices, flows),) = perfetto(path, "SELECT (SELECT count(*) FROM slice), (SELECT count(*) FROM flow)")
    assert int(slices) == row_count(connection, SLICES, ranks)
    assert int(flows) == wanted_flows(connection, ranks).total()


def test_a_flow_that_the_clocks_turn_round_is_kept(perfetto, traced, changed):
    with store.add_to(changed) as loader:
        query = store.select("trace_launch_flow", ["start_ns", "peer_start_ns", "rank_id"], limit=1)
        ((task, call, rank_id),) = loader.connection.execute(*query).fetchall()
        shift = task - call + 500
        loader.connection.execute(
            "UPDATE device_task SET start_ns = start_ns - ?, end_ns = end_ns - ? WHERE rank_id = ?",
            [shift, shift, rank_id],
        )
    connection, ranks, path = traced(changed)
    assert wanted_flows(connection, ranks).total() == int(perfetto(path, "SELECT count(*) FROM flow")[0][0])
    assert perfetto(path, BAD) == []
