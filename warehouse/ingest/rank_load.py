"""What all passes over one rank's records share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from warehouse.ingest.link import NONE, LinkStore, Numbers
from warehouse.ingest.strings import StringMap
from warehouse.readers.issues import Ledger
from warehouse.readers.reader import ProfileReader
from warehouse.store import Loader
from warehouse.store.loader import Column

_THREAD_COUNTS = ("op_count", "queue_count", "python_count", "api_count", "mark_count", "gc_count")
Progress = Callable[[str, int], None]


@dataclass
class Extent:
    """Bounds of a table's slices in a rank: how far back a window has to look."""

    rows: int = 0
    first_start: int | None = None
    last_end: int | None = None
    longest: int = 0


@dataclass
class RankLoad:
    """One rank on its way into the warehouse."""

    loader: Loader
    reader: ProfileReader
    links: LinkStore
    rank_id: int
    source_id: int
    strings: StringMap
    progress: Progress
    extents: dict[str, Extent] = field(default_factory=dict)
    threads: dict[tuple[int, int], int] = field(default_factory=dict)
    dequeue_threads: set[int] = field(default_factory=set)
    thread_counts: dict[str, Counter[int]] = field(default_factory=dict)

    @property
    def ledger(self) -> Ledger:
        return self.reader.ledger

    def write(self, table: str, columns: Mapping[str, Column], slices: tuple[Numbers, Numbers] | None = None) -> None:
        """Append rows of this rank; `slices` are their starts and ends where the table has any."""
        count = self.loader.write(table, {**columns, "rank_id": self.rank_id})
        self.progress(table, count)
        if slices is not None and count:
            extent = self.extents.setdefault(table, Extent())
            start, end = int(slices[0].min()), int(slices[1].max())
            extent.rows += count
            extent.first_start = start if extent.first_start is None else min(start, extent.first_start)
            extent.last_end = end if extent.last_end is None else max(end, extent.last_end)
            extent.longest = max(extent.longest, int((slices[1] - slices[0]).max()))

    def thread_ids(self, pid: Numbers, tid: Numbers) -> Numbers:
        """Ids of `thread`, new threads being given one; their rows are written at the end.  Numbers are unsigned: a
        negative one is the same bits."""
        if not len(pid):
            return np.empty(0, np.int64)
        pid, tid = (np.where(number < 0, number & 0xFFFFFFFF, number) for number in (pid, tid))
        pairs, position = np.unique(np.stack([pid, tid]), axis=1, return_inverse=True)
        ids = [self._thread(int(process), int(thread)) for process, thread in pairs.T.tolist()]
        return np.array(ids, dtype=np.int64)[position.reshape(-1)]

    def optional_thread_ids(self, pid: Numbers, tid: Numbers) -> Numbers:
        """As `thread_ids`, with NONE for NONE."""
        ids = np.full(len(pid), NONE, np.int64)
        ids[pid != NONE] = self.thread_ids(pid[pid != NONE], tid[pid != NONE])
        return ids

    def count_on_threads(self, column: str, thread: Numbers) -> None:
        """Note what was recorded on each thread."""
        ids, counts = np.unique(thread[thread >= 0], return_counts=True)
        self.thread_counts.setdefault(column, Counter()).update(dict(zip(ids.tolist(), counts.tolist(), strict=True)))

    def _thread(self, pid: int, tid: int) -> int:
        if (pid, tid) not in self.threads:
            self.threads[pid, tid] = self.loader.reserve("thread", 1)
        return self.threads[pid, tid]

    def finish(self) -> None:
        """Write what is known only at the end: threads, extents."""
        if self.threads:
            ids = list(self.threads.values())
            columns: dict[str, Column] = {
                "id": ids,
                "pid": [pid for pid, _ in self.threads],
                "tid": [tid for _, tid in self.threads],
                "is_dequeue": [int(id_ in self.dequeue_threads) for id_ in ids],
            }
            for column in _THREAD_COUNTS:
                counts = self.thread_counts.get(column, Counter())
                columns[column] = [counts[id_] for id_ in ids]
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


def selected(batch: pa.RecordBatch, mask: np.ndarray) -> pa.RecordBatch:
    """The rows of a batch where the mask is true."""
    return batch.filter(pa.array(mask))
