"""What all passes over one rank's records share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from warehouse.ingest.link import NONE, LinkStore, Numbers
from warehouse.ingest.pairs import Pairs
from warehouse.ingest.progress import RankProgress
from warehouse.ingest.strings import StringMap
from warehouse.readers.issues import Ledger
from warehouse.readers.reader import ProfileReader
from warehouse.store import Loader
from warehouse.store.loader import Column

_THREAD_COUNTS = ("op_count", "queue_count", "python_count", "api_count", "mark_count", "gc_count")


@dataclass
class Extent:
    """Bounds of a table's slices in a rank: how far back a window has to look."""

    rows: int = 0
    first_start: int = 0  # while there are no rows
    last_end: int = 0
    longest: int = 0

    def add(self, starts: Numbers, ends: Numbers, count: int) -> None:
        """Take slices, at least one, of `count` rows."""
        start, end = int(starts.min()), int(ends.max())
        self.first_start = min(start, self.first_start) if self.rows else start
        self.last_end = max(end, self.last_end) if self.rows else end
        self.rows += count
        self.longest = max(self.longest, int((ends - starts).max()))


@dataclass
class RankLoad:
    """One rank on its way into the warehouse."""

    loader: Loader
    reader: ProfileReader
    links: LinkStore
    rank_id: int
    source_id: int
    strings: StringMap
    progress: RankProgress
    input_bytes: int
    extents: dict[str, Extent] = field(default_factory=dict)
    momentary: dict[str, Extent] = field(default_factory=dict)  # of tables that no window asks for
    dequeue_threads: set[int] = field(default_factory=set)
    _threads: Pairs = field(default_factory=Pairs)  # (pid, tid); their ids in `thread` follow each other
    _thread_counts: dict[str, Numbers] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._first_thread = self.loader.reserve("thread", 0)

    @property
    def ledger(self) -> Ledger:
        return self.reader.ledger

    def write(self, table: str, columns: Mapping[str, Column], slices: tuple[Numbers, Numbers] | None = None) -> None:
        """Append rows of this rank; `slices` are their starts and ends where the table has any."""
        count = self.loader.write(table, {**columns, "rank_id": self.rank_id})
        self.progress.loaded(count)
        if slices is not None and count:
            self.extents.setdefault(table, Extent()).add(*slices, count)

    def moments(self, table: str, time: Numbers) -> None:
        """Note when rows of a table happened that have a time and no slices."""
        if len(time):
            self.momentary.setdefault(table, Extent()).add(time, time, len(time))

    def thread_ids(self, pid: Numbers, tid: Numbers, without: Numbers | None = None) -> Numbers:
        """Ids of `thread`, new threads being given one; their rows are written at the end.  Numbers are unsigned: a
        negative one is the same bits.  `without`: places of what is on no thread, and gets NONE."""
        if without is not None and len(without):
            ids = np.full(len(pid), NONE, np.int64)
            on_thread = np.ones(len(pid), bool)
            on_thread[without] = False
            ids[on_thread] = self.thread_ids(pid[on_thread], tid[on_thread])
            return ids
        if min(pid.min(initial=0), tid.min(initial=0)) < 0:
            pid, tid = (np.where(number < 0, number & 0xFFFFFFFF, number) for number in (pid, tid))
        before = len(self._threads)
        ids = self._threads.ids(pid, tid) + self._first_thread
        self.loader.reserve("thread", len(self._threads) - before)
        return ids

    def optional_thread_ids(self, pid: Numbers, tid: Numbers) -> Numbers:
        """As `thread_ids`, with NONE for NONE."""
        ids = np.full(len(pid), NONE, np.int64)
        ids[pid != NONE] = self.thread_ids(pid[pid != NONE], tid[pid != NONE])
        return ids

    def count_on_threads(self, column: str, thread: Numbers) -> None:
        """Note what was recorded on each thread."""
        counts = np.bincount(thread[thread != NONE] - self._first_thread, minlength=len(self._threads))
        before = self._thread_counts.get(column, np.empty(0, np.int64))
        counts[: len(before)] += before
        self._thread_counts[column] = counts

    def finish(self) -> None:
        """Write what is known only at the end: threads, extents."""
        if count := len(self._threads):
            pid, tid = self._threads.columns()
            ids = np.arange(self._first_thread, self._first_thread + count)
            is_dequeue = np.isin(ids, list(self.dequeue_threads)).astype(np.int64)
            columns: dict[str, Column] = {"id": ids, "pid": pid, "tid": tid, "is_dequeue": is_dequeue}
            if names := self.reader.thread_names():
                columns["name"] = [names.get(place) for place in zip(pid.tolist(), tid.tolist(), strict=True)]
            for column in _THREAD_COUNTS:
                counts = self._thread_counts.get(column, np.empty(0, np.int64))
                columns[column] = np.pad(counts, (0, count - len(counts)))
            self.write("thread", columns)
        if self.extents:
            extents = self.extents.values()
            columns = {
                "table_name": list(self.extents),
                "row_count": [extent.rows for extent in extents],
                "min_start_ns": [extent.first_start for extent in extents],
                "max_end_ns": [extent.last_end for extent in extents],
                "max_duration_ns": [extent.longest for extent in extents],
            }
            self.write("event_extent", columns)
        if self.strings.unresolved:
            self.ledger.note(
                "warning",
                "unknown-string",
                "has no text in STRING_IDS",
                table="STRING_IDS",
                count=self.strings.unresolved,
            )
