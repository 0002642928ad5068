"""After which operator an allocation is called (framework-files.md 5.11, step 3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from warehouse import _native
from warehouse.readers.raw_strings import RawStrings
from warehouse.readers.sorted_rows import Numbers, SortedRows

_NO_STARTING_POINT = ("empty_tensor", "malloc_workspace")
_PREFIXES = ("aten", "npu")


class AllocationNames:
    """Finds names in one pass over moments sorted by time: kind 0 operators, 1 ends of enqueues, 2 dequeues, 3
    allocations."""

    def __init__(self, strings: RawStrings) -> None:
        strings.watch("starting-point", lambda text: text in _NO_STARTING_POINT)
        strings.watch("framework-op", lambda text: text.startswith(_PREFIXES))
        self._strings = strings

    def find(self, moments: SortedRows) -> Iterator[tuple[Numbers, Numbers]]:
        """(rows of allocations, string numbers) for those that have a name."""
        sweep = _native.AllocationSweep(*(self._numbers(form) for form in ("starting-point", "framework-op")))
        fields = ["time", "kind", "row", "end", "name", "pid", "tid", "key"]
        for columns in moments.columns(fields):
            found = sweep.feed(*columns.values())
            if len(found.row):
                yield np.asarray(found.row), np.asarray(found.name)

    def _numbers(self, form: str) -> Numbers:
        return np.array(list(self._strings.having(form)), dtype=np.int64)
