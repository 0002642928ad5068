"""Ticks of a recording as ns since the Unix epoch, in integers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]

_LARGEST_PRODUCT = float(1 << 62)  # of ticks and ns; only intervals that no recorder leaves are interpolated in doubles


class RecordedClock:
    """Between two anchors time runs evenly; outside it goes on as in the nearest interval.

    Anchors are (ticks, CLOCK_MONOTONIC_RAW ns, CLOCK_REALTIME ns).  The wall clock is taken from the first anchor
    alone, so that a later step of it does not tear the recording.

    >>> clock = RecordedClock([(0, 100, 1_000), (30, 110, 9_999)])
    >>> clock.ns(np.array([0, 15, 30, 45])).tolist()
    [1000, 1005, 1010, 1015]
    """

    def __init__(self, anchors: Iterable[tuple[int, int, int]]) -> None:
        rising: list[tuple[int, int]] = []
        offset: int | None = None
        for ticks, raw_ns, real_ns in sorted(set(anchors)):
            if offset is None:
                offset = real_ns - raw_ns
            if not rising or (ticks > rising[-1][0] and raw_ns > rising[-1][1]):
                rising.append((ticks, raw_ns))
        self._offset = offset or 0
        self._ticks = np.array([ticks for ticks, _ in rising], np.int64)
        self._raw_ns = np.array([raw_ns for _, raw_ns in rising], np.int64)

    @property
    def is_known(self) -> bool:
        """Whether ticks can be told as times at all."""
        return len(self._ticks) >= 2

    def ns(self, ticks: Numbers) -> Numbers:
        """Ticks to ns."""
        if not self.is_known:
            return ticks
        at = np.clip(np.searchsorted(self._ticks, ticks, "right") - 1, 0, len(self._ticks) - 2)
        base, span = self._ticks[at], self._ticks[at + 1] - self._ticks[at]
        run = self._raw_ns[at + 1] - self._raw_ns[at]
        # whole intervals first, so that no product leaves 64 bits however far a record lies from its anchors
        whole, rest = np.divmod(ticks - base, span)
        wide = span.astype(float) * run > _LARGEST_PRODUCT
        exact = np.where(wide, np.rint(rest * (run / span)).astype(np.int64), rest * np.where(wide, 0, run) // span)
        found: Numbers = self._raw_ns[at] + whole * run + exact + self._offset
        return found
