"""Ticks of a recording as ns since the Unix epoch, in integers."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from warehouse.batches.recorded_manifest import FASTEST, SLOWEST, Anchor, Manifest, is_anchor

Numbers = npt.NDArray[np.int64]

_LARGEST_PRODUCT = float(1 << 62)  # of ticks and ns; only intervals that no recorder leaves are interpolated in doubles
_READING_NS = 2_000  # how far the clocks of an anchor may lie apart
_MEASURED_NS = 10_000_000  # least time over which the recorder measures the rate (collector_ext/core/ticks.hpp)
_RATE_SECONDS = 10  # of the interval that a rate is turned into
_FAR_RATIO, _FAR_NS = 1e-3, 1_000_000  # how far the manifest's anchors may lie from the others' clock
_FIRST_TRIED = 3  # anchors at which the others are looked for: the first ones may be those that are wrong


class RecordedClock:
    """Between two anchors time runs evenly; outside it goes on as in the nearest interval.

    Anchors are (ticks, CLOCK_MONOTONIC_RAW ns, CLOCK_REALTIME ns), those of the chunks and those of the manifest, which
    repeats some.  Those that cannot be, and those of the manifest that the others contradict, are `left_out`, a number.
    The wall clock is taken from the first anchor alone, so that a later step of it does not tear the recording.  Where
    anchors lie too close together to tell the rate, `ticks_per_second` does.

    >>> clock = RecordedClock([(0, 100, 10**18), (30, 110, 10**18 + 99)])
    >>> (clock.ns(np.array([0, 15, 30, 45])) - 10**18).tolist()
    [0, 5, 10, 15]
    """

    def __init__(
        self, anchors: Iterable[Anchor], told: Iterable[Anchor] = (), ticks_per_second: float | None = None
    ) -> None:
        own = set(anchors)
        good = [each for each in own if is_anchor(*each)]
        chain = _chain(good)
        self._rate = ticks_per_second
        self.left_out = len(own) - len(chain)
        repeated = set(told)
        if chain:
            wall = chain[0]
            both = _chain([*(each for each in repeated - own if self._continues(chain, each)), *chain])
            both = both if set(chain) <= set(both) else chain
            self.left_out += len(repeated - own) - (len(both) - len(chain))
            chain = both
        else:
            chain = _chain([each for each in repeated if is_anchor(*each)])
            wall = chain[0] if chain else (0, 0, 0)
            self.left_out += len(repeated) - len(chain)
        self._offset = wall[2] - wall[1]
        self._set(chain)

    @classmethod
    def of(cls, manifest: Manifest, anchors: Iterable[Anchor]) -> RecordedClock:
        """That of a recording with these anchors in its chunks."""
        rate = 1e9 if manifest.ticks == "monotonic_raw_ns" else manifest.ticks_per_second
        return cls(anchors, manifest.anchors, rate)

    def _set(self, chain: list[Anchor]) -> None:
        self.count = len(chain)
        self.first, self.last = (chain[0][0], chain[-1][0]) if chain else (0, 0)
        self.span_ns = chain[-1][1] - chain[0][1] if chain else 0
        if chain and self._rate is not None and self.span_ns < _MEASURED_NS:
            ticks, raw_ns, real_ns = chain[0]
            second = (ticks + round(self._rate * _RATE_SECONDS), raw_ns + _RATE_SECONDS * 10**9, real_ns)
            self.error_ratio = _READING_NS / _MEASURED_NS
            chain = [chain[0], second]
        else:
            self.error_ratio = _READING_NS / max(self.span_ns, 1)
        self._ticks = np.array([ticks for ticks, _, _ in chain], np.int64)
        self._raw_ns = np.array([raw_ns for _, raw_ns, _ in chain], np.int64)

    def _continues(self, chain: list[Anchor], anchor: Anchor) -> bool:
        """Whether an anchor lies before or behind the chain, and where the chain's clock goes."""
        ticks, raw_ns, _ = anchor
        near = chain[0] if ticks < chain[0][0] else chain[-1]
        if chain[0][0] <= ticks <= chain[-1][0]:
            return False
        span = chain[-1][1] - chain[0][1]
        if span >= _MEASURED_NS:
            rate = (chain[-1][0] - chain[0][0]) / span
        elif self._rate is not None:
            rate = self._rate / 1e9
        else:
            return True
        expected = (ticks - near[0]) / rate
        return abs(raw_ns - near[1] - expected) <= _FAR_NS + _FAR_RATIO * abs(expected)

    @property
    def is_known(self) -> bool:
        """Whether ticks can be told as times at all."""
        return len(self._ticks) >= 2

    def ticks_of(self, seconds: float) -> int:
        """How many ticks a time takes."""
        first, last = (self._ticks[0], self._raw_ns[0]), (self._ticks[-1], self._raw_ns[-1])
        return round(seconds * 1e9 * int(last[0] - first[0]) / int(last[1] - first[1]))

    def ns(self, ticks: Numbers) -> Numbers:
        """Ticks to ns.  To be asked only of a clock that is known."""
        at = np.clip(np.searchsorted(self._ticks, ticks, "right") - 1, 0, len(self._ticks) - 2)
        base, span = self._ticks[at], self._ticks[at + 1] - self._ticks[at]
        run = self._raw_ns[at + 1] - self._raw_ns[at]
        # whole intervals first, so that no product leaves 64 bits however far a record lies from its anchors
        whole, rest = np.divmod(ticks - base, span)
        wide = span.astype(float) * run > _LARGEST_PRODUCT
        exact = np.where(wide, np.rint(rest * (run / span)).astype(np.int64), rest * np.where(wide, 0, run) // span)
        found: Numbers = self._raw_ns[at] + whole * run + exact + self._offset
        return found


def _chain(anchors: list[Anchor]) -> list[Anchor]:
    """The anchors that can be of one counter: ticks and time rise, at a rate that a counter has."""
    ordered = sorted(anchors)
    best: list[Anchor] = []
    for start in range(min(_FIRST_TRIED, len(ordered))):
        found = [ordered[start]]
        for each in ordered[start + 1 :]:
            ticks, run = each[0] - found[-1][0], each[1] - found[-1][1]
            if run > 0 and SLOWEST * run <= ticks * 1e9 <= FASTEST * run:
                found.append(each)
        if len(found) > len(best):
            best = found
        if 2 * len(best) > len(ordered):
            break
    return best
