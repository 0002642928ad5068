"""CANN calls of the host, and for every record of the host the calls it lies in (cann-files.md 4.1, 6.1)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.batches.records import HOST_API
from warehouse.readers.issues import INFO, WARNING
from warehouse.readers.raw_dictionary import Names
from warehouse.readers.raw_rows import NONE, numbers
from warehouse.readers.raw_run import RawRun
from warehouse.readers.sorted_rows import Columns, Numbers, SortedRows

ACL, MODEL, NODE, COMMUNICATION, RUNTIME = 20000, 15000, 10000, 5500, 5000
_LEVELS = {ACL: "acl", MODEL: "model", NODE: "node", COMMUNICATION: "communication", RUNTIME: "runtime"}
# an acl call's type has its class in the high half (3)
_ACL_CLASSES = {
    1: "ACL_OP", 2: "ACL_MODEL", 3: "ACL_RTS", 4: "ACL_OTHERS", 5: "ACL_NN", 6: "ACL_ASCENDC", 7: "HOST_HCCL",
    9: "ACL_DVPP", 10: "ACL_GRAPH", 11: "ACL_ATB",
}  # fmt: skip


class CallPart:
    """Calls as host events; `located` gives records with what they lie in.  A call's number is its place in the order
    of time: the connection number of what it launches."""

    def __init__(self, run: RawRun, names: Names, host_events: SortedRows, clock: _native.TickClock, pid: int) -> None:
        self._run = run
        self._names = names
        self._events = host_events
        self._clock = clock
        self._pid = pid
        self._begin_ns = run.config.host.begin_ns or 0
        self._calls = SortedRows(["start", "-level", "-end", "row"], run.spill)
        self._early = 0

    def ns(self, ticks: pa.Array) -> Numbers:
        """Host ticks as ns of the wall clock."""
        return np.asarray(self._clock.column_ns(ticks))

    def load(self) -> None:
        """Decode the calls."""
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
            self._calls.add_columns(
                len(level), good, start=start, level=level, end=end, row=number, thread=thread, item=item, type=type_
            )
        if lone:
            self._run.ledger.note(
                INFO, "lone-event", "halves of calls without their partner", table="api_event", count=lone
            )
        first = 0
        for calls in self._calls.columns():
            self._add_events(first, *(calls[name] for name in ("start", "end", "thread", "level", "item", "type")))
            first += len(calls["start"])
        if self._early:
            text = "calls that ended before the recording began; they were left out"
            self._run.ledger.note(INFO, "early", text, table="api_event", count=self._early)

    def _add_events(
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
        for each, level_name in _LEVELS.items():
            text[level == each] = word(level_name)
        kept = end >= self._begin_ns
        self._early += int((~kept).sum())
        number = np.arange(first, first + count)
        self._events.add_columns(
            count, kept, ("item", "mode"), kind=HOST_API, start_ns=start, end_ns=end, pid=self._pid, tid=thread,
            name=name, connection_no=number, level=text, row=number, item=handled, mode=mode,
        )  # fmt: skip

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

    def located(self, points: SortedRows, links: tuple[str, ...]) -> Iterator[Columns]:
        """Points, sorted by `time` (ns) and with a `thread`, with what of the calls is wanted (CallLocator): ids of the
        calls that each lies in, and what they handle."""
        locator = _native.CallLocator(self._calls.native)
        for columns in points.columns(together=["time"]):
            found = np.asarray(locator.locate(columns["time"], columns["thread"], links))
            yield {**columns, **dict(zip(links, found, strict=True))}
