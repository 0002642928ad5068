"""CANN calls of the host, and for every record of the host the calls it lies in (cann-files.md 4.1, 6.1)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.batches.records import HOST_API
from warehouse.readers.issues import INFO, WARNING
from warehouse.readers.raw_dictionary import Names
from warehouse.readers.raw_rows import NONE, Numbers, numbers, or_null, record, rows, with_columns
from warehouse.readers.raw_run import RawRun
from warehouse.readers.sorted_rows import SortedRows

ACL, MODEL, NODE, COMMUNICATION, RUNTIME = 20000, 15000, 10000, 5500, 5000
_LEVELS = {ACL: "acl", MODEL: "model", NODE: "node", COMMUNICATION: "communication", RUNTIME: "runtime"}
# an acl call's type has its class in the high half (3)
_ACL_CLASSES = {
    1: "ACL_OP", 2: "ACL_MODEL", 3: "ACL_RTS", 4: "ACL_OTHERS", 5: "ACL_NN", 6: "ACL_ASCENDC", 7: "HOST_HCCL",
    9: "ACL_DVPP", 10: "ACL_GRAPH", 11: "ACL_ATB",
}  # fmt: skip
_CALL, _POINT = 0, 1
LINKS = (
    "acl", "model", "node", "outer", "comm", "parent", "model_item", "node_item", "outer_item", "comm_item",
    "node_type", "outer_type", "comm_type",
)  # fmt: skip


class CallPart:
    """Calls as host events.  Add points (records with a thread and a time) before `load`; afterwards `located` gives
    them with what they lie in.  A call's number is its place in the order of time: the connection number of what it
    launches.
    """

    def __init__(self, run: RawRun, names: Names, host_events: SortedRows, clock: _native.TickClock, pid: int) -> None:
        self._run = run
        self._names = names
        self._events = host_events
        self._clock = clock
        self._pid = pid
        self._begin_ns = run.config.host.begin_ns or 0
        self._moments = SortedRows(["start", "order", "-level", "-end", "row"], run.spill)
        self._points: dict[str, SortedRows] = {}
        self._located: dict[str, SortedRows] = {}
        self._early = 0

    def ns(self, ticks: pa.Array) -> Numbers:
        """Host ticks as ns of the wall clock."""
        return np.asarray(self._clock.column_ns(ticks))

    def add_points(self, stream: str, batch: pa.RecordBatch) -> None:
        """Take rows with columns `time` (ns), `thread`, `row` (their number in the stream) and whatever else."""
        which = list(self._points)
        if stream not in self._points:
            self._points[stream] = SortedRows(["time", "row"], self._run.spill)
            which.append(stream)
        self._points[stream].add(batch)
        time, thread, row = numbers(batch, "time", "thread", "row")
        self._moments.add(
            rows(
                len(time),
                start=time,
                order=0,
                level=0,
                end=time,
                row=row,
                kind=_POINT,
                thread=thread,
                item=0,
                type=0,
                which=which.index(stream),
            )
        )

    def points(self, stream: str) -> Iterator[pa.RecordBatch]:
        """What was added, sorted by time."""
        if stream in self._points:
            yield from self._points[stream].batches()

    def load(self) -> None:
        """Decode the calls and find out what lies in them."""
        row = 0
        lone = 0
        for kind, _, batch in self._run.host_stream("api_event"):
            if kind != "api":
                lone += batch.num_rows
                continue
            level, type_, thread, item = numbers(batch, "level", "type", "thread", "item")
            start, end = self.ns(batch.column("start")), self.ns(batch.column("end"))
            (began,) = numbers(batch, "start")
            number = np.arange(row, row + len(level))
            row += len(level)
            good = (began > 0) & (end >= start)
            bad = int((~good).sum())
            if bad:
                text = "a call without a start, or that ends before it starts; it was left out"
                self._run.ledger.note(WARNING, "time-order", text, table="api_event", count=bad)
            calls = rows(
                len(level), start=start, order=1, level=level, end=end, row=number, kind=_CALL, thread=thread,
                item=item, type=type_, which=-1,
            )  # fmt: skip
            self._moments.add(calls.filter(pa.array(good)))
        if lone:
            self._run.ledger.note(
                INFO, "lone-event", "halves of calls without their partner", table="api_event", count=lone
            )
        self._sweep()

    def _sweep(self) -> None:
        sweep = _native.CallSweep()
        waiting = {stream: _Queue(points.batches()) for stream, points in self._points.items()}
        streams = list(self._points)
        self._located = {stream: SortedRows(["time", "row"], self._run.spill) for stream in streams}
        next_id = 0
        for batch in self._moments.batches():
            kind, start, end, thread, level, item, type_, which = numbers(
                batch, "kind", "start", "end", "thread", "level", "item", "type", "which"
            )
            swept = sweep.feed(kind, start, end, thread, level, item, type_)
            links = {name: np.asarray(getattr(swept, name)) for name in LINKS}
            calls = np.flatnonzero(kind == _CALL)
            self._add_calls(next_id, *(column[calls] for column in (start, end, thread, level, item, type_)))
            next_id += len(calls)
            for place, stream in enumerate(streams):
                mine = np.flatnonzero(which == place)
                if len(mine):
                    points = waiting[stream].take(len(mine))
                    self._located[stream].add(with_columns(points, {name: links[name][mine] for name in LINKS}))
        if self._early:
            text = "calls that ended before the recording began; they were left out"
            self._run.ledger.note(INFO, "early", text, table="api_event", count=self._early)

    def _add_calls(
        self, first: int, start: Numbers, end: Numbers, thread: Numbers, level: Numbers, item: Numbers, type_: Numbers
    ) -> None:
        """Calls as host events: named after their type, communication after what they handle."""
        count = len(start)
        type_name = self._names.of_types(level, type_)
        handled = self._items(level, type_name, item)
        is_comm = (level == COMMUNICATION) & (item != 0)
        name = np.where(is_comm, handled, type_name)
        mode = np.where(is_comm, type_name, NONE)
        mode[level == ACL] = self._acl_classes(type_[level == ACL])
        word = self._run.strings.own
        text = np.full(count, word("other"), np.int64)
        for number, level_name in _LEVELS.items():
            text[level == number] = word(level_name)
        events = record(
            "host_event", count, kind=HOST_API, start_ns=start, end_ns=end, pid=self._pid, tid=thread, name=name,
            connection_no=np.arange(first, first + count), level=text, row=np.arange(first, first + count),
            item=or_null(handled), mode=or_null(mode),
        )  # fmt: skip
        kept = end >= self._begin_ns
        self._early += int((~kept).sum())
        self._events.add(events.filter(pa.array(kept)))

    def _items(self, level: Numbers, type_name: Numbers, item: Numbers) -> Numbers:
        """What the calls handle: the text of a hash, but the number of a model or of a step; NONE for 0."""
        is_number = (level == MODEL) | ((level == NODE) & self._names.types_named(type_name, ("step_info",)))
        handled = np.full(len(item), NONE, np.int64)
        handled[~is_number] = self._names.of_hashes(item[~is_number])
        handled[is_number] = self._names.of_numbers(item[is_number])
        return handled

    def _acl_classes(self, types: Numbers) -> Numbers:
        distinct, place = np.unique(types >> 16, return_inverse=True)
        own = self._run.strings.own
        words: Numbers = np.array([own(_ACL_CLASSES.get(each, str(each))) for each in distinct.tolist()], np.int64)
        return words[place.reshape(-1)] if len(words) else words

    def located(self, stream: str) -> SortedRows | None:
        """The points of a stream in order of time, with the columns `LINKS`; None if there are none."""
        return self._located.get(stream)


class _Queue:
    """Batches from which any number of rows can be taken."""

    def __init__(self, source: Iterator[pa.RecordBatch]) -> None:
        self._source = source
        self._rest: pa.RecordBatch | None = None

    def take(self, count: int) -> pa.RecordBatch:
        parts = []
        while count:
            if self._rest is None or not self._rest.num_rows:
                self._rest = next(self._source)
            part = self._rest.slice(0, count)
            self._rest = self._rest.slice(part.num_rows)
            count -= part.num_rows
            parts.append(part)
        return parts[0] if len(parts) == 1 else pa.Table.from_batches(parts).combine_chunks().to_batches()[0]
