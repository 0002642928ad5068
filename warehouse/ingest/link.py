"""Links that do not fit in memory: number to numbers, filled in one pass over the records, looked up in a later one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from tempfile import TemporaryFile
from types import TracebackType

import numpy as np
import numpy.typing as npt

from warehouse import _native
from warehouse.ingest.faults import no_room

Numbers = npt.NDArray[np.int64]
NONE = -1  # no link, in every array of numbers
_TABLE_BYTES = 2 << 20


class LinkStore:
    """The tables of links of one rank, and the temporary file for what exceeds `table_bytes` in one of them."""

    def __init__(self, table_bytes: int = _TABLE_BYTES) -> None:
        self._table_bytes = table_bytes
        self._open = ExitStack()
        with in_temporary_files():
            file = self._open.enter_context(TemporaryFile())  # noqa: SIM115 (it has no name: gone with the process)
        self._native = _native.LinkFile(file.fileno())

    def __enter__(self) -> LinkStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._open.close()

    def table(self, columns: str) -> LinkTable:
        """A new, empty table of links; `columns` are the names of what is stored under a number."""
        names = columns.split()
        return LinkTable(_native.LinkTable(self._native, len(names), self._table_bytes), names)


@contextmanager
def in_temporary_files() -> Iterator[None]:
    """Where links and sums are kept; a full disk there is told as what it is: a WriteError.

    >>> with in_temporary_files():
    ...     pass
    """
    try:
        yield
    except OSError as error:
        raise no_room(error) from error


class LinkTable:
    """Numbers stored under a number, all before the first look-up.  The first to be stored under it stays; under NONE
    nothing is stored.

    >>> with LinkStore() as store:
    ...     links = store.table("op count")
    ...     links.add(np.array([5, 9]), np.array([50, 90]), np.array([1, 2]))
    ...     [column.tolist() for column in links.find(np.array([9, 7, 5, 9]))]
    [[90, -1, 50, 90], [2, -1, 1, 2]]
    """

    def __init__(self, native: _native.LinkTable, columns: list[str]) -> None:
        self._native = native
        self.columns = columns

    def add(self, key: Numbers, *columns: Numbers) -> None:
        """Store rows."""
        with in_temporary_files():
            self._native.add(*map(np.ascontiguousarray, (key, *columns)))

    def find(self, key: Numbers) -> list[Numbers]:
        """One array a column, aligned with `key`; NONE where nothing is stored under a number."""
        with in_temporary_files():
            return [np.array(column) for column in self._native.find(np.ascontiguousarray(key))]
