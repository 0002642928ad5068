"""After which operator an allocation is called (framework-files.md 5.11, step 3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from warehouse import _native
from warehouse.readers.raw_strings import RawStrings
from warehouse.readers.sorted_rows import Columns, Numbers, SortedRows

_NO_STARTING_POINT = ("empty_tensor", "malloc_workspace")
_PREFIXES = ("aten", "npu")


class AllocationNames:
    """Finds the names of allocations in one pass over operators, the queue and the allocations."""

    def __init__(self, strings: RawStrings) -> None:
        strings.watch("starting-point", lambda text: text in _NO_STARTING_POINT)
        strings.watch("framework-op", lambda text: text.startswith(_PREFIXES))
        self._strings = strings

    def find(
        self, ops: SortedRows, queue: SortedRows, allocations: Iterator[Columns]
    ) -> Iterator[tuple[Numbers, Numbers]]:
        """(rows of allocations, string numbers) for those that have a name.

        `ops`: start, end, name, tid by start; `queue`: ends of enqueues (kind 1) and dequeues (2) with time, end, pid,
        tid and key, by time and kind; `allocations`: time, row, pid, tid by time.
        """
        forms = (self._numbers(form) for form in ("starting-point", "framework-op"))
        sweep = _native.AllocationSweep(ops.native, queue.native, *forms)
        for columns in allocations:
            found = sweep.feed(*(columns[name] for name in ("time", "row", "pid", "tid")))
            yield np.asarray(found.row), np.asarray(found.name)
        found = sweep.finish()
        yield np.asarray(found.row), np.asarray(found.name)

    def _numbers(self, form: str) -> Numbers:
        return np.array(list(self._strings.having(form)), dtype=np.int64)
