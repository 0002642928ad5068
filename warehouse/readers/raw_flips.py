"""Batches of task numbers: they have 16 bits a stream and begin anew, which both sides report as flips
(cann-files.md 6.2)."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from warehouse.readers.raw_rows import Numbers

DESTROYED = 0xFFFF  # number of the flip of a stream that ceases to exist
_Key = tuple[int, int]  # device, stream


class Flips:
    """Flips of one side.  First `add` all of them and show every task to `see`, then ask `batches`.

    A flip whose own task number is not 0 came late: tasks right before it with smaller numbers belong to the new batch.
    """

    def __init__(self, is_inclusive: bool) -> None:
        self._is_inclusive = is_inclusive  # whether a task at the very time of a flip belongs to the new batch
        self._found: dict[_Key, list[tuple[int, int]]] = {}  # (time, task number)
        self._ends: dict[_Key, list[int]] = {}  # times at which the stream ceased to exist
        self._late: dict[
            tuple[_Key, int], int
        ] = {}  # (stream, place of a late flip) -> time of the last task before it

    def add(self, device: Numbers, stream: Numbers, time: Numbers, task: Numbers, number: Numbers) -> None:
        for each, where, when, first, flip in zip(
            *(column.tolist() for column in (device, stream, time, task, number)), strict=True
        ):
            self._found.setdefault((each, where), []).append((when, 0 if flip == DESTROYED else first))
            if flip == DESTROYED:
                self._ends.setdefault((each, where), []).append(when)

    def separate(self, stream: _Key, begins: list[int]) -> None:
        """A stream that begins anew at those times (ascending) ended between them, if its end is reported or not."""
        ends = self._ends.get(stream, [])
        for before, begin in pairwise(begins):
            if not any(before < end <= begin for end in ends):
                self._found.setdefault(stream, []).append((begin - 1, 0))

    @property
    def has_late(self) -> bool:
        """Whether tasks must be shown at all."""
        return any(first for flips in self._found.values() for _, first in flips)

    def see(self, device: Numbers, stream: Numbers, time: Numbers, task: Numbers) -> None:
        """Note, for late flips, the last task before them that belongs to the old batch."""
        for key, flips in self._found.items():
            flips.sort()
            for place, (when, first) in enumerate(flips):
                if not first:
                    continue
                old = (device == key[0]) & (stream == key[1]) & (time < when) & (task >= first)
                if old.any():
                    last = int(time[old].max())
                    self._late[key, place] = max(last, self._late.get((key, place), last))

    def batches(self, device: Numbers, stream: Numbers, time: Numbers) -> Numbers:
        """Batch of each task."""
        found = np.zeros(len(time), np.int64)
        for key, flips in self._found.items():
            mine = (device == key[0]) & (stream == key[1])
            if mine.any():
                flips.sort()
                begins = [
                    self._late.get((key, place), when - 1) + 1 if first else when if self._is_inclusive else when + 1
                    for place, (when, first) in enumerate(flips)
                ]
                found[mine] = np.searchsorted(np.sort(np.array(begins)), time[mine], side="right")
        return found
