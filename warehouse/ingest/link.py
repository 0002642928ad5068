"""Links that do not fit in memory: number to numbers, on disk, filled in one pass and looked up in another.

The one generic link statement of ingest: a batch of numbers in, the rows stored under them out.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from tempfile import gettempdir
from types import TracebackType

import numpy as np
import numpy.typing as npt

from warehouse.errors import WriteError

Numbers = npt.NDArray[np.int64]
NONE = -1  # no link, in every array of numbers


class LinkStore:
    """A temporary database of ours; SQLite deletes it when it is closed."""

    def __init__(self) -> None:
        self._connection = sqlite3.connect("", isolation_level=None)
        run = self._connection.execute
        run("PRAGMA journal_mode = OFF")
        run("PRAGMA synchronous = OFF")
        run("PRAGMA temp_store = FILE")
        run("PRAGMA cache_size = -1024")
        run("BEGIN")

    def __enter__(self) -> LinkStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection.close()

    def table(self, name: str, columns: str) -> LinkTable:
        """A new, empty table of links; `columns` are the names of what is stored under a number."""
        return LinkTable(self._connection, name, columns.split())


@contextmanager
def in_temporary_files() -> Iterator[None]:
    """Where links and sums are kept; a full disk there is told as what it is: a WriteError.

    >>> with in_temporary_files():
    ...     pass
    """
    try:
        yield
    except (OSError, sqlite3.OperationalError) as error:
        message = f"{gettempdir()}: no room for temporary files ({error}); set TMPDIR to a larger disk"
        raise WriteError(message) from error


class LinkTable:
    """Numbers stored under a number.  The first to be stored under it stays.

    >>> with LinkStore() as store:
    ...     links = store.table("launch", "op count")
    ...     links.add([5, 9], [50, 90], [1, 2])
    ...     [column.tolist() for column in links.find(np.array([9, 7, 5, 9]))]
    [[90, -1, 50, 90], [2, -1, 1, 2]]
    """

    def __init__(self, connection: sqlite3.Connection, name: str, columns: list[str]) -> None:
        self._connection = connection
        self._name = name
        self._columns = columns
        connection.execute(f"DROP TABLE IF EXISTS {name}")
        connection.execute(f"CREATE TABLE {name} (key INTEGER PRIMARY KEY, {', '.join(columns)})")

    def add(self, key: Numbers | list[int], *columns: Numbers | list[int]) -> None:
        """Store rows; values are int64 arrays or lists of int."""
        marks = ", ".join("?" * (1 + len(self._columns)))
        values = [column.tolist() if isinstance(column, np.ndarray) else column for column in (key, *columns)]
        with in_temporary_files():
            self._connection.executemany(
                f"INSERT OR IGNORE INTO {self._name} VALUES ({marks})", zip(*values, strict=True)
            )

    def clear(self) -> None:
        """Forget all rows."""
        self._connection.execute(f"DELETE FROM {self._name}")

    def find(self, key: Numbers) -> list[Numbers]:
        """One array a column, aligned with `key`; NONE where nothing is stored under a number."""
        wanted, position = np.unique(key, return_inverse=True)
        with in_temporary_files():
            found = self._connection.execute(
                f"SELECT l.* FROM json_each(?) w CROSS JOIN {self._name} l ON l.key = w.value",
                [json.dumps(wanted.tolist())],
            ).fetchall()
        width = 1 + len(self._columns)
        rows = np.array(found, dtype=np.int64).reshape(len(found), width)
        place = np.searchsorted(wanted, rows[:, 0])
        result = []
        for column in range(1, width):
            values = np.full(len(wanted), NONE, np.int64)
            values[place] = rows[:, column]
            result.append(values[position])
        return result
