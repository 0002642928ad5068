"""What an export reads: the warehouse by a cursor of Python, and natively where that is possible."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

from warehouse import store
from warehouse._native import RowsOutOfOrderError, RowsRefusedError
from warehouse.export.native_rows import NativeRows, is_required, open_native_rows

_Result = TypeVar("_Result")


@dataclass(frozen=True)
class ExportSource:
    """One state of a warehouse; `native` None: by the cursor alone."""

    connection: sqlite3.Connection
    native: NativeRows | None = None

    def written(self, write: Callable[[ExportSource], _Result]) -> _Result:
        """What `write` gives, which writes a whole file: again, and otherwise, if native reading refused something.

        >>> ExportSource(connection).written(lambda source: 3)  # doctest: +SKIP
        3
        """
        try:
            return self._written_natively(write)
        except RowsRefusedError:
            if self.native is None or is_required():
                raise
        return write(replace(self, native=None))

    def _written_natively(self, write: Callable[[ExportSource], _Result]) -> _Result:
        try:
            return write(self)
        except RowsOutOfOrderError:
            if self.native is None:
                raise
        return write(replace(self, native=self.native.sorting()))


@contextmanager
def open_source(warehouse: Path | str) -> Iterator[ExportSource]:
    """The warehouse to export from; errors as `store.open_read`.

    >>> with open_source("W.db") as source:  # doctest: +SKIP
    ...     write_csv(source, rank, path, "export_task_time")
    """
    with closing(store.open_read(warehouse, query_only=False)) as connection, open_native_rows(connection) as native:
        yield ExportSource(connection, native)
