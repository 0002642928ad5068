"""Writing rows: the one small interface that ingest loads through, over Python's own SQLite connection.

A column is a list, anything with the buffer protocol of int64 items (native columns, array('q')), such a one in
`Nullable` whose -1 are NULL, an Arrow array, or one scalar for all rows.  Rows stream into a prepared INSERT; nothing
is held beyond the batch that was handed over.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import repeat
from pathlib import Path
from typing import Any, Literal, TypeAlias

import pyarrow as pa

from warehouse import _native
from warehouse.errors import WriteError
from warehouse.store.interning import Strings
from warehouse.store.reading import LOCKED
from warehouse.store.table_list import TABLES
from warehouse.write_faults import write_fault

Column: TypeAlias = (
    "Sequence[Any] | memoryview | _native.Nullable | pa.Array | pa.ChunkedArray | int | float | str | None"
)


class Loader:
    """Writes into one warehouse inside one transaction; got from `new_warehouse` or `add_to`, not made by hand.

    `connection` is for reading back and for the few statements that link loaded rows; it is in a transaction.
    `before` shows what was in the warehouse before anything was loaded.
    """

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self.connection = self.before = connection
        self.path = path
        self._strings = Strings(connection)
        self._next_ids: dict[str, int] = {}
        self._next_stack: int | None = None

    def write(self, table: str, columns: Mapping[str, Column] | pa.RecordBatch) -> int:
        """Append rows and return their number.  Columns left out are NULL; `id` left out is given by SQLite.

        WriteError if the file cannot take them (disk full).  Unknown tables and columns, unequal lengths and values
        that the STRICT table refuses are faults of the caller and raise KeyError, ValueError, sqlite3.IntegrityError.

        >>> loader.write("thread", {"rank_id": 1, "pid": 7, "tid": [7, 8], "is_dequeue": [0, 1]})  # doctest: +SKIP
        2
        """
        columns = self._checked(table, columns)
        if not columns:
            return 0
        count = row_count(table, columns)
        values = [_values(column, count) for column in columns.values()]
        names = ", ".join(columns)
        marks = ", ".join("?" * len(values))
        with writing_to(self.path):
            self.connection.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", zip(*values, strict=True))
        return count

    def _checked(self, table: str, columns: Mapping[str, Column] | pa.RecordBatch) -> Mapping[str, Column]:
        """The columns by name, none if they have no rows."""
        if isinstance(columns, pa.RecordBatch):
            columns = dict(zip(columns.schema.names, columns.columns, strict=True))
        known = TABLES[table].column_names
        unknown = [name for name in columns if name not in known]
        if unknown:
            raise KeyError(f"table {table} has no column {', '.join(unknown)}")
        return columns if row_count(table, columns) else {}

    def reserve(self, table: str, count: int) -> int:
        """The first of `count` ids that nobody has or gets: ids of a table are first, first + 1, ...

        >>> first = loader.reserve("op", 100)  # doctest: +SKIP
        """
        if table not in self._next_ids:
            self._next_ids[table] = self.last_id(table) + 1
        first = self._next_ids[table]
        self._next_ids[table] += count
        return first

    def reserve_stacks(self, count: int) -> int:
        """As `reserve`, for the numbers of stacks: many rows of `stack_frame` share one."""
        if self._next_stack is None:
            found = self.connection.execute("SELECT max(stack_id) FROM stack_frame").fetchone()[0]
            self._next_stack = int(found or 0) + 1
        first = self._next_stack
        self._next_stack += count
        return first

    def last_id(self, table: str) -> int:
        """The largest rowid (= id) in the table, 0 if it is empty."""
        name = TABLES[table].name
        with writing_to(self.path):  # reading may push pages out that are yet to be written
            found = self.connection.execute(f"SELECT max(rowid) FROM {name}").fetchone()[0]
        return int(found or 0)

    def intern(self, values: Sequence[str | None]) -> list[int | None]:
        """Ids of `string` for the values, in their order, new strings being added; None stays None.

        >>> loader.intern(["MatMul", None, "MatMul"])  # doctest: +SKIP
        [1, None, 1]
        """
        with writing_to(self.path):
            return self._strings.intern(values)

    @contextmanager
    def undoing(self) -> Iterator[None]:
        """If the block raises, take out every row inserted in it, then let the error go on; updates are not undone.

        For one of several inputs that turns out to be bad.  By rowid, not by a savepoint, whose journal would grow with
        the rows.  A WriteError ends the whole transaction, so nothing is undone for it.
        """
        before = {table: self.last_id(table) for table in TABLES}
        next_stack = self._next_stack
        try:
            yield
        except (WriteError, KeyboardInterrupt):
            raise
        except BaseException:
            self._delete_after(before)
            self._next_stack = next_stack
            self._strings.forget()
            raise

    def _delete_after(self, last_ids: Mapping[str, int]) -> None:
        for table, last in last_ids.items():
            self.connection.execute(f"DELETE FROM {table} WHERE rowid > ?", [last])
        self._next_ids.clear()


@contextmanager
def writing_to(path: Path) -> Iterator[None]:
    """Turn complaints about file system and locks into a WriteError that names the file."""
    try:
        yield
    except OSError as error:
        raise _unwritable(path, error) from error
    except sqlite3.OperationalError as error:
        if str(error) == "interrupted":  # by Ctrl-C: see opening.py
            raise KeyboardInterrupt from error
        if "locked" in str(error):
            raise WriteError(f"{path}: {LOCKED}") from error
        raise _unwritable(path, error) from error


def _unwritable(path: Path, error: Exception) -> WriteError:
    return WriteError(f"{path}: cannot be written {write_fault(error, '-o', path)}")


def row_count(table: str, columns: Mapping[str, Any]) -> int:
    """How many rows the columns are; ValueError if they differ in length.

    >>> row_count("op", {"rank_id": 1, "start_ns": [3, 4]}), row_count("op", {"rank_id": 1})
    (2, 1)
    """
    lengths = {name: len(column) for name, column in columns.items() if not _is_scalar(column)}
    if not lengths:
        return 1
    if len(set(lengths.values())) > 1:
        raise ValueError(f"columns for table {table} differ in length: {lengths}")
    return next(iter(lengths.values()))


def _is_scalar(column: Any) -> bool:
    return column is None or isinstance(column, int | float | str)


def _values(column: Any, count: int) -> Iterator[Any] | Sequence[Any]:
    """Python values of a column."""
    if _is_scalar(column):
        return repeat(column, count)
    if isinstance(column, list | tuple):
        return column
    if isinstance(column, pa.ChunkedArray):
        return [value for chunk in column.chunks for value in _arrow_values(chunk)]
    if isinstance(column, pa.Array):
        return _arrow_values(column)
    return column.tolist() if isinstance(column, _native.Nullable) else memoryview(column).tolist()


def _arrow_values(column: pa.Array) -> list[Any]:
    if pa.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    if pa.types.is_integer(column.type) and column.type != pa.uint64():
        return _numbers(column.cast(pa.int64()), "q")
    # `pyarrow.Array.to_pylist` makes an object a number in between
    values: list[Any] = _numbers(column, "d") if column.type == pa.float64() else column.to_pylist()
    return values


def _numbers(column: pa.Array, form: Literal["q", "d"]) -> list[Any]:
    data = column.buffers()[1]
    if not data:
        return [None] * len(column)
    values: list[Any] = memoryview(data).cast(form)[column.offset : column.offset + len(column)].tolist()
    if column.null_count:
        for place, is_null in enumerate(column.is_null().to_pylist()):
            if is_null:
                values[place] = None
    return values
