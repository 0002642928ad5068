"""How much host memory was allocated after each record of a recording.

Torch tells a total with each, but not one that can be used: blocks in memory that is shared between processes, such as
batches of a DataLoader's workers, come with a total of nothing.
"""

from __future__ import annotations

import numpy as np

from warehouse.readers.raw_rows import Numbers


class HostTotals:
    """Sum of the blocks that were allocated since the recording began and are alive.

    >>> totals = HostTotals()
    >>> totals.feed(np.array([16, 32, 16, 99]), np.array([100, 50, -100, -7])).tolist()  # 99: allocated before
    [100, 150, 50, 50]
    """

    def __init__(self) -> None:
        self._total = 0
        self._live = np.zeros(0, np.int64)  # addresses

    def feed(self, address: Numbers, size: Numbers) -> Numbers:
        """Bytes allocated after each record, by time: size below 0 where a block is freed."""
        order = np.argsort(address, kind="stable")
        place, is_malloc = address[order], size[order] > 0
        is_first = np.r_[True, place[1:] != place[:-1]][: len(place)]
        is_last = np.r_[is_first[1:], True][: len(place)]
        was_live = np.where(is_first, np.isin(place, self._live), np.r_[False, is_malloc[:-1]][: len(place)])
        known = np.empty(len(place), bool)
        known[order] = is_malloc | was_live
        totals: Numbers = self._total + np.cumsum(np.where(known, size, 0))
        untouched = self._live[~np.isin(self._live, place)]
        self._live = np.r_[untouched, place[is_last & is_malloc]]
        if len(totals):
            self._total = int(totals[-1])
        return totals
