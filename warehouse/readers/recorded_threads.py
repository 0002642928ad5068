"""The threads of a recording, which its records name by a number of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import pyarrow as pa

from warehouse.readers.raw_rows import Numbers


class RecordedThreads:
    """Batches of the table `thread`: number, pid, tid, and number of the text that is its name."""

    def __init__(self, batches: Iterable[pa.RecordBatch]) -> None:
        self._places: dict[int, tuple[int, int]] = {}
        self._names: dict[int, int] = {}
        for batch in batches:
            columns = [batch.column(name).to_pylist() for name in ("thread", "pid", "tid", "name")]
            for thread, pid, tid, name in zip(*columns, strict=True):
                self._places[thread] = (pid, tid)
                self._names[thread] = name

    def places(self, number: Numbers) -> tuple[Numbers, Numbers]:
        """pid and tid of threads by their number in the recording."""
        distinct, place = np.unique(number, return_inverse=True)
        found = np.array([self._places.get(each, (0, each)) for each in distinct.tolist()], np.int64).reshape(-1, 2)
        return found[place.reshape(-1), 0], found[place.reshape(-1), 1]

    def names(self, texts_by_number: Callable[[set[int]], dict[int, str]]) -> dict[tuple[int, int], str]:
        """(pid, tid) -> name, of those that have one."""
        texts = texts_by_number(set(self._names.values()) - {0})
        named = ((self._places[thread], texts.get(number)) for thread, number in self._names.items())
        return {place: text.replace("\0", "\ufffd") for place, text in named if text}
