"""First pass: everything the host did, nested and linked while it streams by in order of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from warehouse import _native
from warehouse.batches.records import HOST_ALLOCATION, HOST_API, HOST_OP, HOST_PYTHON
from warehouse.ingest.link import NONE, LinkTable, Numbers
from warehouse.ingest.rank_load import RankLoad, selected
from warehouse.ingest.strings import filled, nullable
from warehouse.store.loader import Column

# calls other than node launches whose link to the device the vendor draws (deliverables.md 1.7)
_EVENT_CALLS = ("aclrtRecordEvent", "aclrtStreamWaitEvent")
# ranges around a range; whoever sums up what lies in each range sees a range once for each of them
_DEEPEST = {HOST_OP: 200, HOST_PYTHON: 1000, HOST_API: 200}


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

    def __init__(self, load: RankLoad, steps: Steps, stack_base: int) -> None:
        self._load = load
        self._stack_base = stack_base
        self._has_queue = load.reader.has_queue
        self._next = {table: load.loader.reserve(table, 0) for table in ("op", "python_call", "api_call", "queue_task")}
        first = (self._next["op"], self._next["python_call"], self._next["api_call"], self._next["queue_task"])
        self._sweep = _native.HostSweep(steps.ids, steps.starts, steps.ends, *first, self._has_queue)
        self._op_steps = _OpSteps(steps)
        self._node = load.strings.text_ids("node")
        self._event_calls = load.strings.text_ids(*_EVENT_CALLS)
        self.links = HostLinks(
            load.links.table("api_call op rule sort step inside start is_flow host_step"),
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
        on_thread = kind != HOST_ALLOCATION
        pid, tid = (batch.column(name).to_numpy()[on_thread] for name in ("pid", "tid"))
        thread = np.full(len(kind), NONE, np.int64)
        thread[on_thread] = load.thread_ids(pid, tid)
        name = load.strings.required(batch.column("name"))
        key = filled(batch.column("key"))
        swept = self._sweep.feed(kind, start, end, thread, name, key)
        links = {field: np.asarray(getattr(swept, field)) for field in _LINK_FIELDS}
        self._op_steps.add(kind == HOST_OP, links)
        for code, write in (
            (HOST_OP, self._write_ops),
            (HOST_PYTHON, self._write_python_calls),
            (HOST_API, self._write_api_calls),
            (HOST_ALLOCATION, self._link_allocations),
        ):
            mask = kind == code
            if mask.any():
                found = {field: column[mask] for field, column in links.items()}
                rows = _Rows(selected(batch, mask), thread[mask], name[mask], found, _DEEPEST.get(code, 1))
                write(rows)
        self._write_queue(self._sweep.take_queue_tasks())

    def _write_ops(self, rows: _Rows) -> None:
        load = self._load
        columns = rows.slice_columns()
        columns |= {
            "sequence_no": nullable(filled(rows.batch.column("sequence_no"))),
            "forward_thread_no": rows.batch.column("forward_thread_no"),
            "shapes_id": nullable(load.strings.ids(rows.batch.column("shapes"))),
            "dtypes_id": nullable(load.strings.ids(rows.batch.column("dtypes"))),
            "stack_id": _moved(rows.batch.column("stack"), self._stack_base),
            "module_id": nullable(load.strings.ids(rows.batch.column("module"))),
        }
        self._written("op", columns, rows)

    def _write_python_calls(self, rows: _Rows) -> None:
        numbers = {name: rows.batch.column(name) for name in ("frame_no", "outer_frame_no")}
        self._written("python_call", rows.slice_columns() | numbers, rows)

    def _write_api_calls(self, rows: _Rows) -> None:
        load, links = self._load, rows.links
        level = load.strings.required(rows.batch.column("level"))
        connection = filled(rows.batch.column("connection_no"))
        columns = rows.slice_columns()
        columns |= {
            "level_id": level,
            "connection_no": nullable(connection),
            "mode_id": nullable(load.strings.ids(rows.batch.column("mode"))),
            "item_id": nullable(load.strings.ids(rows.batch.column("item"))),
            "queue_task_id": nullable(links["queue"]),
            "op_id": nullable(links["op"]),
        }
        self._written("api_call", columns, rows)
        is_node = np.isin(level, self._node)
        start = rows.batch.column("start_ns").to_numpy()
        # the order of launches within a step, and the step itself: those of the queue task's op, or the call's own
        if self._has_queue:
            sort = links["number"]
            step = np.where(links["rule"] == 1, self._op_steps.of(links["op"]), NONE)
        else:
            sort, step = start, links["step"]
        inside = np.where(is_node, links["inside"], NONE)
        is_flow = is_node | np.isin(rows.name, self._event_calls)
        kept = connection != NONE
        found = (
            connection, links["id"], links["op"], links["rule"], sort, step, inside, start, is_flow.astype(np.int64),
            links["step"],
        )  # fmt: skip
        self.links.calls.add(*(column[kept] for column in found))

    def _link_allocations(self, rows: _Rows) -> None:
        self.links.allocations.add(rows.batch.column("row").to_numpy(), rows.links["op"], rows.links["step"])

    def _written(self, table: str, columns: dict[str, Column], rows: _Rows) -> None:
        if cut := int(rows.is_cut().sum()):
            text = f"nests in more than {rows.deepest - 1} ranges and counts as outermost"
            self._load.ledger.note("warning", "deep-nesting", text, table=table, count=cut)
        self._load.count_on_threads(_THREAD_COUNTS[table], rows.thread)
        start, end = (rows.batch.column(name).to_numpy() for name in ("start_ns", "end_ns"))
        self._load.write(table, columns, (start, end))
        self._next[table] += rows.batch.num_rows

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


@dataclass
class _Rows:
    """The rows of one kind in a batch, with what the sweep found."""

    batch: pa.RecordBatch
    thread: Numbers
    name: Numbers
    links: dict[str, Numbers]
    deepest: int

    def is_cut(self) -> npt.NDArray[np.bool_]:
        """Which rows begin a tree of their own because they lie too deep."""
        depth = self.links["depth"]
        cut: npt.NDArray[np.bool_] = (depth > 0) & (depth % self.deepest == 0)
        return cut

    def slice_columns(self) -> dict[str, Column]:
        """Columns that every nested slice has."""
        return {
            "id": self.links["id"],
            "start_ns": self.batch.column("start_ns"),
            "end_ns": self.batch.column("end_ns"),
            "thread_id": self.thread,
            "name_id": self.name,
            "parent_id": nullable(np.where(self.is_cut(), NONE, self.links["parent"])),
            "depth": self.links["depth"] % self.deepest,
            "step_id": nullable(self.links["step"]),
            "lane": self.links["lane"],
        }


class _OpSteps:
    """Step of an op by its id: ops are numbered by start and steps do not overlap, so each has a range of ids."""

    def __init__(self, steps: Steps) -> None:
        self._first_step = int(steps.ids[0]) if len(steps.ids) else 0
        self._first = np.full(len(steps.ids), np.iinfo(np.int64).max)
        self._last = np.full(len(steps.ids), NONE, np.int64)

    def add(self, is_op: np.ndarray, links: dict[str, Numbers]) -> None:
        places = np.flatnonzero(is_op & (links["step"] != NONE))
        step, op = links["step"][places] - self._first_step, links["id"][places]
        ends = np.flatnonzero(np.diff(step, append=-1))  # of stretches of one step
        begins = np.r_[0, ends[:-1] + 1] if len(ends) else ends
        np.minimum.at(self._first, step[begins], op[begins])
        np.maximum.at(self._last, step[ends], op[ends])

    def of(self, op: Numbers) -> Numbers:
        """Id of the step, NONE outside steps."""
        used = np.flatnonzero(self._last != NONE)
        if not len(used):
            return np.full(len(op), NONE, np.int64)
        place = np.clip(np.searchsorted(self._first[used], op, side="right") - 1, 0, None)
        held = (self._first[used][place] <= op) & (op <= self._last[used][place])
        return np.where(held, used[place] + self._first_step, NONE)


def _moved(column: pa.Array, base: int) -> pa.Array:
    number = filled(column)
    return nullable(np.where(number == NONE, NONE, number + base))


_THREAD_COUNTS = {"op": "op_count", "python_call": "python_count", "api_call": "api_count"}
_LINK_FIELDS = ("id", "parent", "depth", "lane", "op", "rule", "queue", "number", "step", "inside")
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
