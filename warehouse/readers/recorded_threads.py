"""The threads of a recording, which its records name by a number of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pyarrow as pa

from warehouse.readers.issues import WARNING, Ledger
from warehouse.readers.raw_rows import Numbers

_LARGEST_ID = 1 << 31  # of processes and threads


class RecordedThreads:
    """pid and tid of threads by their number in the recording.

    >>> batch = pa.RecordBatch.from_pydict({"thread": [1], "pid": [7], "tid": [8], "name": [0]})
    >>> threads = RecordedThreads([batch], 7, Ledger(), is_whole=True)
    >>> [column.tolist() for column in threads.places(np.array([1, 1, 5]))]
    [[7, 7, 7], [8, 8, 5]]
    """

    def __init__(self, batches: Iterable[pa.RecordBatch], pid: int | None, ledger: Ledger, *, is_whole: bool) -> None:
        self._pid = pid or 0
        self._ledger = ledger
        self._is_whole = is_whole
        self._places: dict[int, tuple[int, int]] = {}
        self._names: dict[int, int] = {}
        self._missing: set[int] = set()
        odd = 0
        for number, own_pid, tid, name in _rows(batches):
            if number in self._places or not (0 < own_pid < _LARGEST_ID and 0 < tid < _LARGEST_ID and number):
                odd += 1
                continue
            self._places[number] = (own_pid, tid)
            self._names[number] = name
        if odd:
            text = "threads have numbers that cannot be, or those of another one; they were left out"
            ledger.note(WARNING, "bad-thread", text, count=odd)

    def names(self, texts_by_number: Callable[[set[int]], dict[int, str]]) -> dict[tuple[int, int], str]:
        """(pid, tid) -> name, of those that have one."""
        texts = texts_by_number(set(self._names.values()) - {0})
        named = ((self._places[thread], texts.get(number)) for thread, number in self._names.items())
        return {place: text.replace("\0", "\ufffd") for place, text in named if text}

    @property
    def listed(self) -> list[int] | None:
        """All numbers there can be; None if the list itself is damaged."""
        return list(self._places) if self._is_whole else None

    def places(self, number: Numbers) -> tuple[Numbers, Numbers]:
        """pid and tid; threads that are not listed have their numbers, which is told."""
        distinct, place = np.unique(number, return_inverse=True)
        missing = {each for each in distinct.tolist() if each not in self._places} - self._missing
        if missing:
            self._missing |= missing
            text = "threads are known by their numbers in the recording alone: their list is damaged"
            self._ledger.note(WARNING, "unlisted-thread", text, count=len(missing))
        found = np.array([self._places.get(each, (self._pid, each)) for each in distinct.tolist()], np.int64).reshape(
            -1, 2
        )
        return found[place.reshape(-1), 0], found[place.reshape(-1), 1]


def _rows(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, ...]]:
    for batch in batches:
        yield from zip(*(batch.column(name).to_pylist() for name in ("thread", "pid", "tid", "name")), strict=True)
