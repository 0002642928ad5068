"""Our own trace for viewers: every chosen rank in one Chrome trace, small exact times, no slice and no arrow lost.

The views sql/trace/trace_*.sql hold what is shown.  A view's columns named `s:FLOW` and `f:FLOW` hold the id of a flow that
starts or ends at that row's slice.
"""

from __future__ import annotations

import gzip as gzip_file
import json
import sqlite3
from array import array
from collections import defaultdict
from collections.abc import Iterable
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import IO, Iterator

from warehouse import store
from warehouse._native import LaneSweep, RowWriter
from warehouse.export.selection import ChosenRank, rows_of
from warehouse.export.trace_events import EventArray, Row, chunks, event_writer, write_view

# the start of a flow comes before its ends
_SLICES = (
    "trace_step",
    "trace_op",
    "trace_python",
    "trace_enqueue",
    "trace_dequeue",
    "trace_gc",
    "trace_mark",
    "trace_api",
    "trace_task",
    "trace_comm_op",
    "trace_comm_task",
    "trace_interval",
)
_LANELESS = ("trace_step", "trace_enqueue", "trace_dequeue", "trace_gc")
_COUNTERS = ("trace_memory", "trace_counter")
_FLOW = RowWriter(
    ["text", "text", "text", "text", "int", "int", "int", "ns_us"], ["ph", "bp", "name", "cat", "id", "pid", "tid", "ts"]
)
_NAME = RowWriter(
    ["text", "text", "int", "int", "text", "int"], ["ph", "name", "pid", "tid", "args:name", "args:sort_index"]
)
_LANES = 500  # numbers that a thread keeps for its extra lanes


def write_trace(connection: sqlite3.Connection, ranks: list[ChosenRank], path: Path, gzip: bool) -> int:
    """Write the trace of these ranks to `path` (`gzip`: compressed); returns the number of its events, 0 if none.

    Times are us since `otherData.base_ns` with three decimals, exact to the ns.  Slices and counters are those that the
    selection meets; of a flow both ends must be met.

    >>> write_trace(connection, choose(connection, Selection()), Path("trace.json"), False)  # doctest: +SKIP
    2107
    """
    with _opened(path, gzip) as file:
        file.write(b'{"otherData":' + json.dumps(_about(connection, ranks)).encode() + b',\n"traceEvents":')
        with EventArray(file) as events:
            writer = _TraceWriter(connection, events)
            for rank in ranks:
                writer.write_rank(rank)
            writer.write_collectives(ranks)
            count = events.count
            writer.write_names(ranks)
        file.write(b"}\n")
    return count


@contextmanager
def _opened(path: Path, gzip: bool) -> Iterator[IO[bytes]]:
    with path.open("wb") as plain:
        if not gzip:
            yield plain
            return
        # no name and time in the header: equal traces are equal files
        with gzip_file.GzipFile("", "wb", 6, plain, 0) as packed:
            yield packed  # type: ignore[misc]


def _about(connection: sqlite3.Connection, ranks: list[ChosenRank]) -> dict[str, object]:
    """What the numbers mean and where they come from."""
    ((base,),) = connection.execute(*store.select("trace_base", ["base_ns"])).fetchall()
    columns = ["id", "run_id", "rank_no", "device_id", "chip_name", "host_name", "framework_version", "cann_version", "directory"]
    query = store.select("rank", columns, [("id", "in", [rank.id for rank in ranks])], order=["run_id", "rank_no", "id"])
    return {
        "tool": "npuwh " + version("npuwh"),
        "schema": store.latest_version(),
        "base_ns": str(base),
        "time": "us since base_ns (ns since the Unix epoch); three decimals are ns",
        "ranks": [dict(zip(columns, row, strict=True)) for row in connection.execute(*query).fetchall()],
    }


class _TraceWriter:
    """Writes the events of rank after rank and remembers which threads and flows it met."""

    def __init__(self, connection: sqlite3.Connection, events: EventArray) -> None:
        self._connection = connection
        self._events = events
        self._threads: set[tuple[int, int]] = set()  # (pid, tid) of slices
        self._processes: set[int] = set()
        self._started: defaultdict[str, set[int]] = defaultdict(set)  # ids of flows whose start was written

    def write_rank(self, rank: ChosenRank) -> None:
        self._started.clear()
        for view in _SLICES:
            self._write_slices(view, rank)
        write_view(self._events, self._connection, rank, "trace_forward_flow")
        for view in _COUNTERS:
            self._write_counters(view, rank)

    def _write_slices(self, name: str, rank: ChosenRank) -> None:
        """Slices, and after each some thousand of them the ends of flows that touch them."""
        view = store.view(name)
        names, writer = event_writer(view)
        flows = [column.name for column in view.columns if column.name[:2] in ("s:", "f:")]
        pid, tid, start, duration = map(names.index, ("pid", "tid", "ts", "dur"))
        sweep = LaneSweep() if name in _LANELESS else None
        with rows_of(self._connection, name, rank, names + flows) as cursor:
            for rows in chunks(cursor):
                if sweep is not None:
                    rows = _in_lanes(sweep, rows, tid, start, duration)
                slices = [row[: len(names)] for row in rows] if flows else rows
                self._events.write(writer.json_events(slices), len(slices))
                self._threads.update({(row[pid], row[tid]) for row in rows})
                for column, flow in enumerate(flows, len(names)):
                    ends = [(row[column], row[pid], row[tid], row[start]) for row in rows if row[column] is not None]
                    self._write_flow_ends(flow, ends, rank)

    def _write_flow_ends(self, flow: str, ends: list[Row], rank: ChosenRank) -> None:
        phase, _, name = flow.partition(":")
        if _is_part(rank):
            started = self._started[name]
            if phase == "s":
                started.update({end[0] for end in ends})
            else:
                ends = [end for end in ends if end[0] in started]
        rows = [(phase, "e", name, name, *end) for end in ends]
        self._events.write(_FLOW.json_events(rows), len(rows))

    def _write_counters(self, name: str, rank: ChosenRank) -> None:
        names, writer = event_writer(store.view(name))
        pid = names.index("pid")
        with rows_of(self._connection, name, rank, names) as cursor:
            for rows in chunks(cursor):
                self._events.write(writer.json_events(rows), len(rows))
                self._processes.update({row[pid] for row in rows})

    def write_collectives(self, ranks: list[ChosenRank]) -> None:
        """Flows between the chosen ranks' parts of one communication operation."""
        if len(ranks) < 2:
            return
        names, writer = event_writer(store.view("trace_collective_flow"))
        ids = [rank.id for rank in ranks]
        where = [("rank_id", "in", ids), ("peer_rank_id", "in", ids)]
        first = ranks[0]
        steps = [step for rank in ranks for step in rank.step_ids or ()]
        if steps:
            where.append(("step_id", "in", steps))
        window = None
        if first.from_ns is not None or first.to_ns is not None:
            window = store.Window("start_ns", "end_ns", first.from_ns or 0, first.to_ns or 2**63 - 1)
        cursor = self._connection.execute(*store.select("trace_collective_flow", names, where, window=window))
        for rows in chunks(cursor):
            self._events.write(writer.json_events(rows), len(rows))

    def write_names(self, ranks: list[ChosenRank]) -> None:
        """Names and order of the processes and threads that were met."""
        self._processes.update(pid for pid, _ in self._threads)
        ids = [rank.id for rank in ranks]
        query = store.select("trace_process", ["pid", "name", "sort_index"], [("rank_id", "in", ids)])
        for pid, name, place in self._connection.execute(*query).fetchall():
            if pid in self._processes:
                self._write_name("process", pid, 0, name, place)
        query = store.select("trace_thread", ["pid", "tid", "name"], [("rank_id", "in", ids)])
        names = {(pid, tid): name for pid, tid, name in self._connection.execute(*query)}
        for pid, tid in sorted(self._threads):
            lane = tid % _LANES if tid >= _LANES else tid - 1
            name = names.get((pid, tid - lane), "Thread")
            self._write_name("thread", pid, tid, f"{name} +{lane}" if lane else name, tid)

    def _write_name(self, kind: str, pid: int, tid: int, name: str, place: int) -> None:
        rows: list[Row] = [
            ("M", f"{kind}_name", pid, tid, name, None),
            ("M", f"{kind}_sort_index", pid, tid, None, place),
        ]
        self._events.write(_NAME.json_events(rows), len(rows))


def _in_lanes(sweep: LaneSweep, rows: list[Row], tid: int, start: int, duration: int) -> list[Row]:
    """The rows with the lane added to their thread, where a slice overlaps another without nesting."""
    begins = array("q", [row[start] for row in rows])
    ends = array("q", [row[start] + row[duration] for row in rows])
    lanes = sweep.feed(array("q", [row[tid] for row in rows]), begins, ends).tolist()
    if not any(lanes):
        return rows
    return [
        (*row[:tid], row[tid] + lane, *row[tid + 1 :]) if lane else row for row, lane in zip(rows, lanes, strict=True)
    ]


def _is_part(rank: ChosenRank) -> bool:
    return rank.from_ns is not None or rank.to_ns is not None or rank.step_ids is not None
