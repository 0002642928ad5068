"""Our own trace for viewers: every chosen rank in one Chrome trace, small exact times, no slice and no flow lost.

The views sql/trace/trace_*.sql hold what is shown; here they follow one another, threads get names, flows two ends.
"""

from __future__ import annotations

import gzip as gzip_file
import json
import sqlite3
from array import array
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import IO, Any, cast

from warehouse import store
from warehouse._native import LaneSweep, RowWriter
from warehouse.export.native_rows import runs
from warehouse.export.row_section import FLOW_COLUMNS, RowSection, events_of
from warehouse.export.selection import ChosenRank, rows_of
from warehouse.export.source import ExportSource
from warehouse.export.trace_events import EventArray, Row, chunks, event_writer, interval_parts, peer_is_chosen

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
_LANELESS = ("trace_step", "trace_enqueue", "trace_dequeue", "trace_gc")  # no lane is stored for these
_COUNTERS = ("trace_memory", "trace_counter")
_FLOWS = (
    "trace_queue_flow",
    "trace_forward_flow",
    "trace_op_flow",
    "trace_launch_flow",
    "trace_replay_flow",
    "trace_mark_flow",
)
_FLOW_END = RowWriter(
    ["text", "text", "text", "text", "int", "int", "int", "ns_us"],
    ["ph", "bp", "name", "cat", "id", "pid", "tid", "ts"],
)
_NAME = RowWriter(
    ["text", "text", "int", "int", "text", "int"], ["ph", "name", "pid", "tid", "args:name", "args:sort_index"]
)
_CENTURY = 100 * 366 * 86_400 * 10**9  # ns
_LANES = 500  # numbers that a thread keeps free behind it for its extra lanes


def write_trace(source: ExportSource, ranks: list[ChosenRank], path: Path, gzip: bool) -> int:
    """Write the trace of these ranks to `path` (`gzip`: compressed); returns the number of its events, 0 if none.

    Times are us since `otherData.base_ns` with three decimals, exact to the ns.  Slices and counters are those that the
    selection meets; of a flow both ends must be met.

    >>> write_trace(source, choose(source.connection, Selection()), Path("trace.json"), False)  # doctest: +SKIP
    2107
    """
    return source.written(lambda way: _write(way, ranks, path, gzip))


def _write(source: ExportSource, ranks: list[ChosenRank], path: Path, gzip: bool) -> int:
    with _opened(path, gzip) as file:
        file.write(b'{"otherData":' + json.dumps(_about(source.connection, ranks)).encode() + b',\n"traceEvents":')
        with EventArray(file, is_packed=gzip) as events:
            writer = _TraceWriter(source, events)
            for rank in ranks:
                writer.write_rank(rank)
            if len(ranks) > 1:
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
        # no name and no time in the header: equal traces are equal files
        with gzip_file.GzipFile("", "wb", 6, plain, 0) as packed:
            yield cast("IO[bytes]", packed)


def _about(connection: sqlite3.Connection, ranks: list[ChosenRank]) -> dict[str, object]:
    """What the numbers mean and where they come from."""
    ((base,),) = connection.execute(*store.select("trace_base", ["base_ns"])).fetchall()
    columns = "id run_id rank_no device_id chip_name host_name framework_version cann_version directory".split()
    chosen = [("id", "in", [rank.id for rank in ranks])]
    query = store.select("rank", columns, chosen, order=["run_id", "rank_no", "id"])
    return {
        "tool": "npuwh " + version("npuwh"),
        "schema": store.latest_version(),
        "base_ns": str(base),
        "time": "us since base_ns (ns since the Unix epoch); three decimals are ns",
        "ranks": [dict(zip(columns, row, strict=True)) for row in connection.execute(*query).fetchall()],
    }


def _slices(rows: list[Row], tid: int, start: int, duration: int) -> tuple[array[int], array[int], array[int]]:
    begins = array("q", [row[start] for row in rows])
    ends = array("q", [row[start] + max(row[duration], 0) for row in rows])
    return array("q", [row[tid] for row in rows]), begins, ends


def _numbered(row: Row, places: tuple[int, ...]) -> Row:
    """The row with 0 where one of those numbers is missing, and what is too large for a time cut to a century."""
    values = list(row)
    for place in places:
        values[place] = max(-_CENTURY, min(_CENTURY, int(values[place] or 0)))
    return tuple(values)


class _TraceWriter:
    """Writes the events of rank after rank and remembers which processes and threads it met."""

    def __init__(self, source: ExportSource, events: EventArray) -> None:
        self._connection = source.connection
        self._native = source.native
        self._events = events
        self._processes: set[int] = set()
        self._threads: set[tuple[int, int]] = set()  # (pid, tid) of slices
        self._moved: dict[tuple[int, int], int] = {}  # (tid, ts) of slices that got a lane here: the lane

    def write_rank(self, rank: ChosenRank) -> None:
        self._moved.clear()
        sections = [
            events_of(view, rank, where, meets="threads", is_laneless=view in _LANELESS)
            for view in _SLICES
            for where in interval_parts(self._connection, view, rank)
        ]
        sections += [events_of(view, rank, meets="processes") for view in _COUNTERS]
        sections += [RowSection(view, rank, FLOW_COLUMNS, "flows", peer_is_chosen(view, rank)) for view in _FLOWS]
        for native, together in runs(self._native, sections):
            if native is not None:
                for pid, tid in self._events.write_natively(native, together, self._moved).threads:
                    self._meet(pid, tid)
            else:
                for section in together:
                    self._write_by_cursor(section)

    def _meet(self, pid: int, tid: int | None) -> None:
        if tid is None:
            self._processes.add(pid)
        else:
            self._threads.add((pid, tid))

    def _write_by_cursor(self, section: RowSection) -> None:
        with rows_of(self._connection, section.view, section.rank, section.columns, section.where) as cursor:
            if section.shape == "flows":
                self._write_flows(cursor)
            elif section.meets == "threads":
                self._write_slices(section, cursor)
            else:
                self._write_counters(section, cursor)

    def _write_slices(self, section: RowSection, cursor: sqlite3.Cursor) -> None:
        names, writer = list(section.columns), event_writer(section)
        pid, tid = names.index("pid"), names.index("tid")
        sweep = LaneSweep() if section.is_laneless else None
        for rows in chunks(cursor):
            placed = rows if sweep is None else self._in_lanes(sweep, rows, names)
            threads = {(row[pid], row[tid]) for row in placed}
            if None in {number for thread in threads for number in thread}:
                placed = [_numbered(row, (pid, tid)) for row in placed]
                threads = {(row[pid], row[tid]) for row in placed}
            self._events.write(writer.json_events(placed), len(placed))
            self._threads.update(threads)

    def _in_lanes(self, sweep: LaneSweep, rows: list[Row], names: list[str]) -> list[Row]:
        """The rows with the lane added to their thread, where a slice overlaps another without nesting."""
        tid, start, duration = map(names.index, ("tid", "ts", "dur"))
        try:
            fed = _slices(rows, tid, start, duration)
        except (TypeError, OverflowError):  # a damaged warehouse: no number, or one that is no time
            rows = [_numbered(row, (tid, start, duration)) for row in rows]
            fed = _slices(rows, tid, start, duration)
        lanes = sweep.feed(*fed).tolist()
        if not any(lanes):
            return rows
        self._moved.update({(row[tid], row[start]): lane for row, lane in zip(rows, lanes, strict=True) if lane})
        return [(*row[:tid], row[tid] + lane, *row[tid + 1 :]) for row, lane in zip(rows, lanes, strict=True)]

    def _write_counters(self, section: RowSection, cursor: sqlite3.Cursor) -> None:
        pid, writer = section.columns.index("pid"), event_writer(section)
        for rows in chunks(cursor):
            self._events.write(writer.json_events(rows), len(rows))
            self._processes.update({row[pid] for row in rows})

    def _write_flows(self, cursor: sqlite3.Cursor) -> None:
        """Two events a flow, both at the start of their slices.

        A viewer drops a flow that ends before it begins, as one does where the device's clock is behind the host's:
        such a flow is drawn from the earlier slice to the later one.
        """
        for rows in chunks(cursor):
            ends: list[Row] = []
            for name, number, from_pid, from_tid, from_ts, to_pid, to_tid, to_ts in rows:
                begin = (from_pid, self._in_lane(from_tid, from_ts), from_ts)
                end = (to_pid, self._in_lane(to_tid, to_ts), to_ts)
                first, last = (end, begin) if to_ts < from_ts else (begin, end)
                ends += (("s", "e", name, name, number, *first), ("f", "e", name, name, number, *last))
            self._events.write(_FLOW_END.json_events(ends), len(ends))

    def _in_lane(self, tid: int | None, ts: int) -> int:
        return (tid or 0) + self._moved.get((tid or 0, ts), 0)

    def write_collectives(self, ranks: list[ChosenRank]) -> None:
        """Flows between the chosen ranks' parts of one communication operation."""
        ids = [rank.id for rank in ranks]
        where: list[tuple[str, str, Any]] = [("rank_id", "in", ids), ("peer_rank_id", "in", ids)]
        steps = [step for rank in ranks for step in rank.step_ids or ()]
        if steps:
            where += [("step_id", "in", steps), ("peer_step_id", "in", steps)]
        from_ns, to_ns = ranks[0].from_ns, ranks[0].to_ns
        window = None
        if from_ns is not None or to_ns is not None:
            window = store.Window("start_ns", "end_ns", from_ns or 0, 2**63 - 1 if to_ns is None else to_ns)
            where += peer_is_chosen("trace_collective_flow", ranks[0])
        query = store.select("trace_collective_flow", FLOW_COLUMNS, where, window=window)
        self._moved.clear()
        with store.reading(store.file_of(self._connection), "view trace_collective_flow"):
            self._write_flows(self._connection.execute(*query))

    def write_names(self, ranks: list[ChosenRank]) -> None:
        """Names and order of the processes and threads that were met."""
        self._processes.update(pid for pid, _ in self._threads)
        chosen = [("rank_id", "in", [rank.id for rank in ranks])]
        for pid, name, place in self._rows("trace_process", ["pid", "name", "sort_index"], chosen):
            if pid in self._processes:
                self._write_name("process", pid, 0, name, place)
        names = {(pid, tid): name for pid, tid, name in self._rows("trace_thread", ["pid", "tid", "name"], chosen)}
        for pid, tid in sorted(self._threads):
            lane = tid % _LANES if tid >= _LANES else tid - 1
            name = names.get((pid, tid - lane), f"Thread {tid - lane}")
            self._write_name("thread", pid, tid, f"{name} +{lane}" if lane else name, tid)

    def _rows(self, view: str, columns: list[str], where: list[tuple[str, str, Any]]) -> list[Row]:
        with store.reading(store.file_of(self._connection), f"view {view}"):
            return self._connection.execute(*store.select(view, columns, where)).fetchall()

    def _write_name(self, kind: str, pid: int, tid: int, name: str, place: int) -> None:
        rows: list[Row] = [
            ("M", f"{kind}_name", pid, tid, name, None),
            ("M", f"{kind}_sort_index", pid, tid, None, place),
        ]
        self._events.write(_NAME.json_events(rows), len(rows))
