"""Which records of a recording can be: what contradicts the recording itself is left out, and told.

Chunks have check sums, so that damage does not get here; but nobody knows who wrote a file.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from warehouse.readers.recorded_clock import RecordedClock

Mask = npt.NDArray[np.bool_]

SLACK_SECONDS = 10  # anchors come every second, and with every write
_LONG_SECONDS = 10 * 86_400
_MOST_DEPTH = 1 << 24  # the recorder has 24 bits for it
_LAST_SCOPE = 31  # torch 2.13 has 10 of them
_LAST_EVENT = 4
_LAST_ACTION, _LAST_COMPONENT, _LAST_RING = 2, 2, 1
_TIMES = {
    "op": ("start_ticks", "end_ticks"), "frame": ("time_ticks",), "memory": ("time_ticks",),
    "mark": ("start_ticks", "end_ticks"), "gc": ("start_ticks", "end_ticks"), "queue_mark": ("time_ticks",),
    "gap": ("first_ticks", "last_ticks"), "parameter": ("time_ticks",), "host": ("time_ticks",),
}  # fmt: skip
_BEGUN_EARLIER = ("mark",)  # a range of the program's own may be older than the recording
_THREADS = {"op": ("thread", "end_thread"), "mark": ("thread", "end_thread"), "host": ()}
_LARGEST = {
    "op": {"scope": _LAST_SCOPE, "is_async": 1},
    "frame": {"event": _LAST_EVENT, "depth": _MOST_DEPTH},
    "memory": {"action": _LAST_ACTION, "component": _LAST_COMPONENT},
    "gap": {"ring": _LAST_RING},
}
OUT_OF_TIME = "lie outside of the recording's time, or end before they start"
UNLISTED = "are of threads that the recording does not list"
IMPOSSIBLE = "hold numbers that mean nothing"


class RecordCheck:
    """Masks of the good records; `op` are whole ranges (batches/recorded_ops.py).

    `threads` None: their list itself is damaged, so that every number may be one.  `is_clock_whole`: whether anchors
    reach from the beginning to the end of the recording.

    >>> clock = RecordedClock([(0, 0, 10**18), (10**9, 10**9, 10**18)])
    >>> check = RecordCheck(clock, {1}, is_clock_whole=True)
    >>> columns = {"start_ticks": [5, 5, 5], "end_ticks": [9, 4, 9], "thread": [1, 1, 8], "end_thread": [1, 1, 1]}
    >>> good, faults = check.good("mark", pa.RecordBatch.from_pydict(columns))
    >>> good.tolist(), faults == {OUT_OF_TIME: 1, UNLISTED: 1}
    ([True, False, False], True)
    """

    def __init__(self, clock: RecordedClock, threads: Iterable[int] | None, *, is_clock_whole: bool) -> None:
        slack, long = (clock.ticks_of(seconds) for seconds in (SLACK_SECONDS, _LONG_SECONDS))
        self._earliest = clock.first - (slack if is_clock_whole else long)
        self._latest = clock.last + (slack if is_clock_whole else long)
        self._long = long
        self._threads = None if threads is None else np.array(sorted(threads), np.int64)

    def good(self, table: str, batch: pa.RecordBatch) -> tuple[Mask, dict[str, int]]:
        """Which records can be, and how many cannot for each reason."""
        good = np.ones(batch.num_rows, bool)
        faults: dict[str, int] = {}
        for text, mask in (
            (OUT_OF_TIME, self._in_time(table, batch)),
            (UNLISTED, self._of_threads(table, batch)),
            (IMPOSSIBLE, _possible(table, batch)),
        ):
            lost = int((good & ~mask).sum())
            if lost:
                faults[text] = lost
                good &= mask
        return good, faults

    def _in_time(self, table: str, batch: pa.RecordBatch) -> Mask:
        times = [batch.column(name).to_numpy() for name in _TIMES.get(table, ())]
        mask = np.ones(batch.num_rows, bool)
        for time in times:
            mask &= time <= self._latest
        for time in times:
            mask &= time >= (self._earliest - self._long if table in _BEGUN_EARLIER else self._earliest)
        if len(times) == 2:
            mask &= times[0] <= times[1]
        return mask

    def _of_threads(self, table: str, batch: pa.RecordBatch) -> Mask:
        mask = np.ones(batch.num_rows, bool)
        if self._threads is None or table not in _TIMES:
            return mask
        for name in _THREADS.get(table, ("thread",)):
            number = batch.column(name).to_numpy().astype(np.int64)
            place = np.searchsorted(self._threads, number)
            mask &= np.append(self._threads, -1)[place] == number
        return mask


def _possible(table: str, batch: pa.RecordBatch) -> Mask:
    mask = np.ones(batch.num_rows, bool)
    for name, largest in _LARGEST.get(table, {}).items():
        mask &= batch.column(name).to_numpy() <= largest
    if table == "gap":
        mask &= batch.column("count").to_numpy() > 0
    return mask
