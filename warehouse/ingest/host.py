"""First pass: everything the host did, nested and linked while it streams by in order of time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.batches.records import HOST_ALLOCATION, HOST_API, HOST_OP, HOST_PYTHON
from warehouse.ingest.link import NONE, LinkTable, Numbers
from warehouse.ingest.rank_load import RankLoad
from warehouse.ingest.strings import HAS_NAMESPACE, IS_MODULE, filled, is_one_of, nullable
from warehouse.ingest.summaries import Summaries
from warehouse.store.loader import Column

# calls other than node launches whose link to the device the vendor draws (deliverables.md 1.7)
_EVENT_CALLS = ("aclrtRecordEvent", "aclrtStreamWaitEvent")


@dataclass
class Steps:
    """The steps of a rank in time order; ids are consecutive."""

    ids: Numbers
    starts: Numbers
    ends: Numbers


@dataclass
class HostLinks:
    """What later passes look up: calls by connection number, ops of allocations by row of the allocation."""

    calls: LinkTable
    allocations: LinkTable


def load_steps(load: RankLoad) -> tuple[Steps, list[dict[str, int]]]:
    """Read the steps; their rows are written when the device windows are known."""
    rows = [row for batch in load.reader.read("step") for row in batch.to_pylist()]
    first = load.loader.reserve("step", len(rows))
    steps = Steps(
        np.arange(first, first + len(rows), dtype=np.int64),
        np.array([row["start_ns"] for row in rows], dtype=np.int64),
        np.array([row["end_ns"] for row in rows], dtype=np.int64),
    )
    return steps, rows


class HostPass:
    """Streams `host_event` batches into op, python_call, api_call and queue_task."""

    def __init__(self, load: RankLoad, steps: Steps, stack_base: int, summaries: Summaries) -> None:
        self._load = load
        self._summaries = summaries
        self._stack_base = stack_base
        self._has_queue = load.reader.has_queue
        self._next = {table: load.loader.reserve(table, 0) for table in ("op", "python_call", "api_call", "queue_task")}
        first = (self._next["op"], self._next["python_call"], self._next["api_call"], self._next["queue_task"])
        self._sweep = _native.HostSweep(steps.ids, steps.starts, steps.ends, *first, self._has_queue)
        self._op_steps = _OpSteps(steps)
        self._node = load.strings.text_ids("node")
        self._event_calls = load.strings.text_ids(*_EVENT_CALLS)
        self.links = HostLinks(
            load.links.table("api_call op rule sort step inside start is_flow host_step python"),
            load.links.table("op step"),
        )

    def run(self) -> HostLinks:
        """Read, sweep, link and write everything."""
        load = self._load
        for batch in load.reader.read("host_event"):
            self._take(batch)
        self._write_queue(self._sweep.finish())
        for table, next_id in self._next.items():
            load.loader.reserve(table, next_id - load.loader.reserve(table, 0))
        return self.links

    def _take(self, batch: pa.RecordBatch) -> None:
        load = self._load
        kind, start, end = (batch.column(name).to_numpy() for name in ("kind", "start_ns", "end_ns"))
        places = {code: np.flatnonzero(kind == code) for code in (HOST_OP, HOST_PYTHON, HOST_API, HOST_ALLOCATION)}
        pid, tid = (batch.column(name).to_numpy() for name in ("pid", "tid"))
        thread = load.thread_ids(pid, tid, places[HOST_ALLOCATION])
        text, level = (load.strings.required(batch.column(name)) for name in ("name", "level"))
        module = load.strings.ids(batch.column("module"))
        found: dict[str, Any] = {"thread": thread, "text": text, "level": level, "module": module}
        key = self._keys(batch, kind, level)
        swept = self._sweep.feed(kind, start, end, thread, text, key, module)
        self._summaries.add_host(kind, start, end, text, key, module, swept)
        found |= {name: getattr(swept, name) for name in _SWEPT}
        for code, write in (
            (HOST_OP, self._write_ops),
            (HOST_PYTHON, self._write_python_calls),
            (HOST_API, self._write_api_calls),
            (HOST_ALLOCATION, self._link_allocations),
        ):
            if len(places[code]):
                columns = [found[name] if name in found else batch.column(name) for name in _COLUMNS[code]]
                taken = map(np.asarray, _native.take_rows(columns, places[code]))
                write(dict(zip(_COLUMNS[code], taken, strict=True)))
        self._write_queue(self._sweep.take_queue_tasks())

    def _keys(self, batch: pa.RecordBatch, kind: Numbers, level: Numbers) -> Numbers:
        """What the sweep takes as keys: correlation numbers of queue events, levels of calls, 1 for the operators and
        frames that it looks for around others."""
        forms = self._load.strings.forms(batch.column("name"))
        key = np.where(kind == HOST_OP, (forms & HAS_NAMESPACE) > 0, filled(batch.column("key")))
        key = np.where(kind == HOST_PYTHON, (forms & IS_MODULE) > 0, key)
        return np.where(kind == HOST_API, level, key)

    def _write_ops(self, rows: dict[str, Numbers]) -> None:
        load = self._load
        self._op_steps.add(rows["id"], rows["step"])
        columns: dict[str, Column] = {
            "sequence_no": nullable(rows["sequence_no"]),
            "forward_thread_no": nullable(rows["forward_thread_no"]),
            "stack_id": nullable(_moved(rows["stack"], self._stack_base)),
            **{f"{name}_id": nullable(load.strings.ids(rows[name])) for name in ("shapes", "dtypes")},
            "module_id": nullable(rows["module"]),
            "framework_op_id": nullable(np.where(rows["framework"] == rows["id"], NONE, rows["framework"])),
        }
        self._write_slices("op", rows, columns)

    def _write_python_calls(self, rows: dict[str, Numbers]) -> None:
        columns: dict[str, Column] = {name: nullable(rows[name]) for name in ("frame_no", "outer_frame_no")}
        self._write_slices("python_call", rows, columns)

    def _write_api_calls(self, rows: dict[str, Numbers]) -> None:
        load = self._load
        columns: dict[str, Column] = {
            "level_id": rows["level"],
            "connection_no": nullable(rows["connection_no"]),
            "mode_id": nullable(load.strings.ids(rows["mode"])),
            "item_id": nullable(load.strings.ids(rows["item"])),
            "queue_task_id": nullable(rows["queue"]),
            "op_id": nullable(rows["op"]),
        }
        self._write_slices("api_call", rows, columns)
        self._summaries.add_calls(
            rows["level"], rows["text"], rows["end_ns"] - rows["start_ns"], rows["outer_key"], rows["outer_name"]
        )
        is_node = is_one_of(rows["level"], self._node)
        # the order of launches within a step, and the step itself: those of the queue task's op, or the call's own
        if self._has_queue:
            sort = rows["number"]
            step = np.where(rows["rule"] == 1, self._op_steps.of(rows["op"]), NONE)
        else:
            sort, step = rows["start_ns"], rows["step"]
        inside = np.where(is_node, rows["inside"], NONE)
        is_flow = (is_node | is_one_of(rows["text"], self._event_calls)).astype(np.int64)
        self.links.calls.add(
            rows["connection_no"], rows["id"], rows["op"], rows["rule"], sort, step, inside, rows["start_ns"], is_flow,
            rows["step"], rows["python"],
        )  # fmt: skip

    def _link_allocations(self, rows: dict[str, Numbers]) -> None:
        self.links.allocations.add(rows["row"], rows["op"], rows["step"])

    def _write_slices(self, table: str, rows: dict[str, Numbers], more: dict[str, Column]) -> None:
        """Write slices with the columns that all of them have, and more."""
        self._load.count_on_threads(_THREAD_COUNTS[table], rows["thread"])
        columns: dict[str, Column] = {
            "id": rows["id"],
            "start_ns": rows["start_ns"],
            "end_ns": rows["end_ns"],
            "thread_id": rows["thread"],
            "name_id": rows["text"],
            "parent_id": nullable(rows["parent"]),
            "depth": rows["depth"],
            "step_id": nullable(rows["step"]),
            "lane": rows["lane"],
            **more,
        }
        self._load.write(table, columns, (rows["start_ns"], rows["end_ns"]))
        self._next[table] += len(rows["id"])

    def _write_queue(self, tasks: _native.QueueTasks) -> None:
        columns = {column: np.asarray(getattr(tasks, field)) for column, field in _QUEUE_COLUMNS.items()}
        count = len(columns["id"])
        if not count:
            return
        start = np.where(columns["enqueue_start_ns"] >= 0, columns["enqueue_start_ns"], columns["dequeue_start_ns"])
        end = np.maximum(columns["enqueue_end_ns"], columns["dequeue_end_ns"])
        self._next["queue_task"] = max(self._next["queue_task"], int(columns["id"].max()) + 1)
        arrays = {name: nullable(column) for name, column in columns.items()}
        self._load.write("queue_task", arrays, (start, end))
        for half in ("enqueue_thread_id", "dequeue_thread_id"):
            self._load.count_on_threads("queue_count", columns[half])
        self._load.dequeue_threads.update(np.unique(columns["dequeue_thread_id"]).tolist())


class _OpSteps:
    """Step of an op by its id: ops are numbered by start and steps do not overlap, so each has a range of ids."""

    def __init__(self, steps: Steps) -> None:
        self._first_step = int(steps.ids[0]) if len(steps.ids) else 0
        self._first = np.full(len(steps.ids), np.iinfo(np.int64).max)
        self._last = np.full(len(steps.ids), NONE, np.int64)

    def add(self, op: Numbers, step: Numbers) -> None:
        """Ops in order of their ids, NONE for no step."""
        step = step - self._first_step
        ends = np.flatnonzero(np.diff(step, append=NONE - 1 - self._first_step))  # of stretches of one step
        begins = np.r_[0, ends[:-1] + 1]
        inside = step[ends] != NONE - self._first_step
        np.minimum.at(self._first, step[begins][inside], op[begins][inside])
        np.maximum.at(self._last, step[ends][inside], op[ends][inside])

    def of(self, op: Numbers) -> Numbers:
        """Id of the step, NONE outside steps."""
        used = np.flatnonzero(self._last != NONE)
        if not len(used):
            return np.full(len(op), NONE, np.int64)
        place = np.clip(np.searchsorted(self._first[used], op, side="right") - 1, 0, None)
        held = (self._first[used][place] <= op) & (op <= self._last[used][place])
        return np.where(held, used[place] + self._first_step, NONE)


def _moved(number: Numbers, base: int) -> Numbers:
    return np.where(number == NONE, NONE, number + base)


_THREAD_COUNTS = {"op": "op_count", "python_call": "python_count", "api_call": "api_count"}
_SWEPT = (
    "id", "parent", "depth", "lane", "op", "rule", "queue", "number", "step", "inside", "python", "framework",
    "outer_name", "outer_key",
)  # fmt: skip
_SLICE = ("start_ns", "end_ns", "thread", "text", "id", "parent", "depth", "lane", "step")
# what each kind of event needs of the batch and of what was found for it
_COLUMNS = {
    HOST_OP: (*_SLICE, "sequence_no", "forward_thread_no", "stack", "shapes", "dtypes", "module", "framework"),
    HOST_PYTHON: (*_SLICE, "frame_no", "outer_frame_no"),
    HOST_API: (
        *_SLICE, "level", "connection_no", "mode", "item", "queue", "number", "op", "rule", "inside", "python",
        "outer_name", "outer_key",
    ),
    HOST_ALLOCATION: ("row", "op", "step"),
}  # fmt: skip
_QUEUE_COLUMNS = {
    "id": "id",
    "correlation_no": "correlation",
    "op_id": "op",
    "step_id": "step",
    "enqueue_name_id": "enqueue_name",
    "enqueue_start_ns": "enqueue_start",
    "enqueue_end_ns": "enqueue_end",
    "enqueue_thread_id": "enqueue_thread",
    "dequeue_name_id": "dequeue_name",
    "dequeue_start_ns": "dequeue_start",
    "dequeue_end_ns": "dequeue_end",
    "dequeue_thread_id": "dequeue_thread",
}
