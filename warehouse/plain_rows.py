"""Asking a warehouse for plain rows: any SELECT, values as SQLite has them; nothing here can write.

Without Arrow and polars, so that a command that prints some rows starts quickly; `warehouse.query` adds those.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

from warehouse import store
from warehouse.errors import QueryError
from warehouse.store.near_names import near_names

Parameters = Sequence[Any] | Mapping[str, Any]
_Opened = TypeVar("_Opened", bound="PlainWarehouse")

_ALLOWED_ACTIONS = {
    sqlite3.SQLITE_SELECT,
    sqlite3.SQLITE_READ,
    sqlite3.SQLITE_FUNCTION,
    sqlite3.SQLITE_RECURSIVE,
}
_REFUSALS = ("not authorized", "authorization denied", "attempt to write a readonly database")
# pragmas that only tell something, whatever argument they get
_TELLING_PRAGMAS = {
    "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo", "foreign_key_list",
    "database_list", "collation_list", "function_list", "pragma_list", "compile_options", "data_version",
    "integrity_check", "quick_check",
}  # fmt: skip
# pragmas that tell without an argument, and set with one
_SETTABLE_PRAGMAS = {"user_version", "application_id", "schema_version", "page_size", "page_count", "encoding"}


class PlainWarehouse:
    """A warehouse opened for reading rows; close it, or use it in a `with` statement.

    >>> with PlainWarehouse("W.db") as w:  # doctest: +SKIP
    ...     next(w.rows("SELECT count(*) FROM op"))
    [(5154,)]
    """

    def __init__(self, path: Path | str) -> None:
        self.path = Path(path)
        self._connection = store.open_read(self.path)
        self._connection.set_authorizer(_authorize)

    def __enter__(self: _Opened) -> _Opened:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def require_views(self, names: Iterable[str]) -> None:
        """WarehouseVersionError if one of those views, or one that it reads, is not that of this npuwh."""
        with store.reading(self.path):
            store.require_views(self._connection, self.path, names)

    def close(self) -> None:
        """Close the file; lazy frames got from here open it again for themselves."""
        self._connection.close()

    def rows(self, text: str, parameters: Parameters = (), size: int = 4096) -> Iterator[list[tuple[Any, ...]]]:
        """The result of one SELECT as lists of at most `size` tuples, values as SQLite has them; QueryError as `sql`.

        >>> next(w.rows("SELECT 1, 'a'"))  # doctest: +SKIP
        [(1, 'a')]
        """
        return iterate(self._connection, text, parameters, size, self.path)

    def result(
        self, text: str, parameters: Parameters = (), size: int = 4096
    ) -> tuple[list[str], Iterator[list[tuple[Any, ...]]]]:
        """The names of the columns (made different where two are equal), and the rows as `rows` gives them.

        >>> w.result("SELECT 1 AS a")[0]  # doctest: +SKIP
        ['a']
        """
        with asking(text, self.path):
            cursor = self._connection.execute(text, parameters)
            names = column_names(cursor)
        return names, _fetched(cursor, text, size, self.path)


def iterate(
    connection: sqlite3.Connection,
    text: str,
    parameters: Parameters = (),
    size: int = 4096,
    path: Path | None = None,
) -> Iterator[list[tuple[Any, ...]]]:
    """The result of one SELECT on any connection as lists of at most `size` tuples; for writers of files.

    QueryError says what SQLite has against the statement, and names the file `path`.

    >>> connection = store.open_read("W.db")  # doctest: +SKIP
    >>> for rows in iterate(connection, *store.select("export_op_statistic")):  # doctest: +SKIP
    ...     writer.csv(rows)
    """
    with asking(text, path):
        cursor = connection.execute(text, parameters)
    yield from _fetched(cursor, text, size, path)


def _fetched(cursor: sqlite3.Cursor, text: str, size: int, path: Path | None) -> Iterator[list[tuple[Any, ...]]]:
    while True:
        with asking(text, path):
            rows = cursor.fetchmany(size)
        if not rows:
            return
        yield rows


def _authorize(action: int, first: str | None, second: str | None, _database: str | None, _view: str | None) -> int:
    if action in _ALLOWED_ACTIONS:
        return sqlite3.SQLITE_OK
    if action == sqlite3.SQLITE_PRAGMA:
        name = (first or "").lower()
        if name in _TELLING_PRAGMAS or (second is None and name in _SETTABLE_PRAGMAS):
            return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY


@contextmanager
def asking(text: str, path: Path | None = None) -> Iterator[None]:
    """Turn what SQLite says of a statement into a QueryError, which names the file if that is given.

    >>> with asking("SELEC 1"):  # doctest: +SKIP
    ...     connection.execute("SELEC 1")
    """
    shown = " ".join(text.split())
    shown = shown if len(shown) <= 200 else f"{shown[:120]} ... {shown[-80:]}"  # the end names what is read
    where = f"{path}: " if path else ""
    try:
        yield
    except (sqlite3.ProgrammingError, sqlite3.Warning, OverflowError) as error:
        raise QueryError(f"{where}{error} in: {shown}") from error
    except UnicodeDecodeError as error:  # SQLite quotes a damaged text, and Python cannot read that
        raise QueryError(f"{where}damaged text in: {shown}") from error
    except sqlite3.Error as error:
        if str(error) == "interrupted":  # by Ctrl-C: see store.opening
            raise KeyboardInterrupt from error
        if str(error) in _REFUSALS:
            raise QueryError(f"{where}a warehouse is only read here, and this would do more: {shown}") from error
        raise QueryError(f"{where}{error} in: {shown}{near_names(str(error), text, path)}") from error


def column_names(cursor: sqlite3.Cursor) -> list[str]:
    """Names of the result's columns, made different where SQL gave one twice (a, a_2); QueryError if it has none."""
    if cursor.description is None:
        raise QueryError("the statement has no result; ask with SELECT")
    names: list[str] = []
    for name, *_ in cursor.description:
        number, unique = 1, name
        while unique in names:
            number += 1
            unique = f"{name}_{number}"
        names.append(unique)
    return names
