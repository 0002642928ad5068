"""Pairs of numbers, each known by one number."""

from __future__ import annotations

import numpy as np

from warehouse import _native
from warehouse.ingest.link import Numbers


class Pairs:
    """Pairs counted 0, 1, 2 ... in order of their first coming.

    >>> pairs = Pairs()
    >>> pairs.ids(np.array([7, 7, 8]), np.array([1, 2, 1])).tolist(), pairs.ids(np.array([8]), np.array([1])).tolist()
    ([0, 1, 2], [2])
    >>> [column.tolist() for column in pairs.columns()]
    [[7, 7, 8], [1, 2, 1]]
    """

    def __init__(self) -> None:
        self._known = _native.ContentIds()
        self._rows: list[Numbers] = [np.empty((2, 0), np.int64)]

    def __len__(self) -> int:
        return self._known.last

    def ids(self, one: Numbers, two: Numbers) -> Numbers:
        """The number of each pair."""
        columns = [np.ascontiguousarray(one), np.ascontiguousarray(two)]
        found, fresh = (np.asarray(column) for column in self._known.ids(columns))
        if len(fresh):
            self._rows.append(np.stack([column[fresh] for column in columns]))
        return found - 1

    def columns(self) -> tuple[Numbers, Numbers]:
        """Both halves of every pair, in order of their numbers."""
        one, two = np.concatenate(self._rows, axis=1)
        return one, two
