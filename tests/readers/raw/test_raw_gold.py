"""Raw profiles against what the vendor's parsers made of them: texts, traces, and every record of their databases."""

import json
from collections import Counter
from pathlib import Path

import pytest
from gold.declared import OF_RAW_PROFILES, compare

from warehouse.readers.official import OfficialReader
from warehouse.readers.raw import RawReader
from warehouse.readers.raw_files import find_raw

GOLD = Path(__file__).parents[4] / "shared" / "data" / "gold"
SCENARIOS = sorted(path.parent.name for path in GOLD.glob("*/expected"))
OUTPUT = "ASCEND_PROFILER_OUTPUT"

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not SCENARIOS, reason="../shared is not there")]

TEXTS = frozenset(
    "name level dtypes shapes component frame module scope op_type core input_shapes input_dtypes input_formats "
    "output_shapes output_dtypes output_formats attributes state hf32 grid block type group data_type algorithm "
    "rdma_type transport link_type direction action event_type message domain".split()
)
NUMBERS_OF_ITS_OWN = frozenset("row connection_no descriptor_no task_row op_row stack graph_no".split())
# what databases do not hold
RAW_ONLY = {
    "host_event": "item mode module frame_no outer_frame_no".split(), "device_event": ["batch_no"],
    "memory_copy": ["engine"], "comm_task": ["estimated_us"], "allocation": ["address"],
}  # fmt: skip
KINDS = (
    "step stack_frame host_event gc_event mark kernel device_event graph_run task_metric memory_copy comm_task "
    "memory_event allocation memory_record module_memory device_memory"
).split()


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_text_and_trace_are_equal(gold, scenario):
    printed = compare(OF_RAW_PROFILES, *gold(scenario))
    assert printed.endswith("-> EQUAL"), printed


def _metrics(reader):
    """The rows of `task_metrics` as those of `task_metric`."""
    names = list(enumerate(reader.metric_names()))
    rows = [row for batch in reader.read("task_metrics") for row in batch.to_pylist()]
    return [{"task_row": row["task_row"], "name": name, "value": row[str(at)]} for row in rows for at, name in names]


def _records(reader):
    """Rows by kind, their texts in place of numbers, tasks and stacks told by what they are."""
    found = {kind: [row for batch in reader.read(kind) for row in batch.to_pylist()] for kind in KINDS}
    texts = {}
    for batch in [*reader.strings(), reader.words()]:
        texts |= dict(zip(batch.column("id").to_pylist(), batch.column("value").to_pylist(), strict=True))
    found["task_metric"] += _metrics(reader)
    for rows in found.values():
        for row in rows:
            row |= {name: texts[row[name]] for name in TEXTS & row.keys() if row[name] is not None}
    stacks, tasks, kernels = {}, {}, {}
    for row in found.pop("stack_frame"):
        stacks.setdefault(row["stack"], []).append((row["depth"], row["frame"]))
    for row in found["kernel"]:
        kernels[row["descriptor_no"]] = _plain(row)
    for row in found["device_event"]:
        if row["kind"] == 0:
            tasks[row["row"]] = (row["start_ns"], row["stream_no"], row["task_no"], row["context_no"])
            row["kernel"] = kernels.get(row["descriptor_no"])
    for kind, rows in found.items():
        for row in rows:
            if "task_row" in row:
                row["task"] = tasks[row["task_row"]]
            if row.get("stack") is not None:
                row["frames"] = tuple(sorted(stacks[row["stack"]]))
            if kind == "host_event" and row["sequence_no"] == -1:
                row["sequence_no"] = None
    return found


def _known_to_databases(kind, rows):
    """Without what databases do not hold."""
    unknown = dict.fromkeys(RAW_ONLY.get(kind, ()))
    return [row | unknown for row in rows if kind != "memory_copy" or row["size_bytes"] is not None]


def _plain(row):
    """What can be compared: no numbers that a reader gives itself, one word for what is missing."""
    # what the vendor says of the attributes of a task without description differs from run to run
    unsure = {"attributes"} if row.get("input_shapes") in (None, "N/A") else set()
    dropped = NUMBERS_OF_ITS_OWN | {"symbol"} | unsure  # databases hold no symbol of a kernel
    return tuple(sorted((k, v) for k, v in row.items() if k not in dropped and v not in (None, "", "N/A")))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_records_are_those_of_the_database(raw, scenario):
    for root in sorted(raw(scenario).glob("*_ascend_pt")):
        (database,) = (GOLD / scenario / "expected" / root.name / OUTPUT).glob("ascend_pytorch_profiler*.db")
        (info,) = root.glob("profiler_info*.json")
        with RawReader(find_raw(root), json.loads(info.read_text())) as ours, OfficialReader(database) as theirs:
            found, expected = _records(ours), _records(theirs)
        for kind, rows in found.items():
            found[kind] = _known_to_databases(kind, rows)
        for row in expected["comm_task"]:
            if row["size_bytes"] == -1:  # nothing is known of it
                row["size_bytes"] = row["bandwidth"] = None
        for kind in found:
            mine, others = (Counter(map(_plain, side[kind])) for side in (found, expected))
            assert mine - others == others - mine == Counter(), kind


def _samples(reader):
    """Samples by what they count, whole numbers as in databases."""
    keys, found = {}, Counter()
    for kind, batch in reader.counters():
        for row in batch.to_pylist():
            if kind == "counter_series":
                keys[row.pop("series")] = tuple(row.values())
            else:
                found[(*keys[row["series"]], row["time_ns"], int(row["value"]))] += 1
    return found


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_counters_are_those_of_the_database(raw, scenario):
    for root in sorted(raw(scenario).glob("*_ascend_pt")):
        (database,) = (GOLD / scenario / "expected" / root.name / OUTPUT).glob("ascend_pytorch_profiler*.db")
        (info,) = root.glob("profiler_info*.json")
        with RawReader(find_raw(root), json.loads(info.read_text())) as ours, OfficialReader(database) as theirs:
            found, expected = _samples(ours), _samples(theirs)
        assert found == expected


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_byte_is_accounted_for(raw, scenario):
    for root in sorted(raw(scenario).glob("*_ascend_pt")):
        (info,) = root.glob("profiler_info*.json")
        with RawReader(find_raw(root), json.loads(info.read_text())) as reader:
            for path, (decoded, rejected) in reader.bytes_of.items():
                size = path.stat().st_size
                unread = any(issue.code == "not-read" for issue in getattr(reader.ledgers.get(path), "issues", ()))
                assert (decoded, rejected) == ((0, size) if unread else (size, 0))
            assert all(ledger.balanced() for ledger in reader.ledgers.values())
