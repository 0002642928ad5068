"""Writing a new warehouse without SQLite: the loader over the native bulk writer of database files.

Rows go straight into the pages of the file and cannot be read while it grows.  The few tables that loading itself reads
(`READ_BACK`: small beside the events) wait in a temporary database, which `connection` shows, and go into the file at
the end; ids of strings come from a table of hashes.  That temporary database is also where the migrations ran: its
schema, and what they put into tables, is the file's.
"""

from __future__ import annotations

import sqlite3
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from warehouse import _native
from warehouse.errors import WriteError
from warehouse.store.interning import as_texts, storable
from warehouse.store.loader import Column, Loader, writing_to
from warehouse.store.table_list import TABLES

# runs and ranks are told apart by path
READ_BACK = ("run", "rank")
# ids are given when a task enters the queue, rows written when it leaves
_UNORDERED = ("queue_task",)
_PAGE_BYTES = 16384
# of keys being sorted: four times as much loads a tenth faster, and memory grows with the rows for longer
KEYS_BYTES = 16 << 20
AHEAD_BYTES = 8 << 20  # of columns that wait to be written
_ROWS = 10_000
_NO_STRING = -1
_ARROW = {"INTEGER": pa.int64(), "REAL": pa.float64(), "TEXT": pa.string()}


class BulkLoader(Loader):
    """A Loader into a new file; `connection` shows the tables of `READ_BACK` and nothing of the others."""

    def __init__(self, connection: sqlite3.Connection, path: Path, writer: _native.DatabaseWriter) -> None:
        super().__init__(connection, path)
        self._writer = writer
        filled = {table for table in TABLES if super(BulkLoader, self).last_id(table)}
        self._read_back = filled | set(READ_BACK)
        self._after: dict[str, int] = {}

    def go_on_after(self, last_ids: Mapping[str, int], next_stack: int) -> None:
        """Before anything is reserved: give ids that follow others, which are in another file."""
        self._after = dict(last_ids)
        self._next_stack = next_stack

    def copy_strings(self, batch: pa.RecordBatch) -> None:
        """Take rows of `string` with the ids they have, which follow each other from 1; ValueError if they do not."""
        with writing_to(self.path), _refusals():
            ids = self._writer.intern(batch.column("value"))
        if ids.tolist() != batch.column("id").to_pylist():
            raise ValueError("ids of strings do not follow each other")

    def write(self, table: str, columns: Mapping[str, Column] | pa.RecordBatch) -> int:
        """As `Loader.write`; rows of a table with `id` come in ascending order of it."""
        if table in self._read_back:
            return super().write(table, columns)
        given = self._checked(table, columns)
        if not given:
            return 0
        kinds = {column.name: _ARROW[column.kind] for column in TABLES[table].columns}
        with writing_to(self.path), _refusals():
            arrays = {name: _column(column, kinds[name]) for name, column in given.items()}
            return self._writer.append(table, arrays)

    def last_id(self, table: str) -> int:
        """As `Loader.last_id`."""
        if table in self._read_back:
            return super().last_id(table)
        return max(self._writer.last_rowid(table), self._after.get(table, 0))

    def intern(self, values: Sequence[str | None]) -> list[int | None]:
        """As `Loader.intern`."""
        with writing_to(self.path), _refusals():
            ids: list[int | None] = self._writer.intern(as_texts(values)).tolist()  # type: ignore[assignment]
        return [None if each == _NO_STRING else each for each in ids] if None in values else ids

    @contextmanager
    def undoing(self) -> Iterator[None]:
        """As `Loader.undoing`."""
        self._writer.mark()
        before = {table: self.last_id(table) for table in self._read_back}
        next_stack = self._next_stack
        try:
            yield
            with writing_to(self.path), _refusals():
                self._writer.settle()
        except (WriteError, KeyboardInterrupt):
            raise  # the file is given up
        except BaseException:
            self._writer.rewind()
            self._writer.release()
            self._delete_after(before)
            self._next_stack = next_stack
            raise
        self._writer.release()

    def finish(self) -> None:
        """Move the tables of the temporary database into the file and complete it."""
        names = [name for (name,) in self.connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        with writing_to(self.path), _refusals():
            for name in names:
                cursor = self.connection.execute(f'SELECT * FROM "{name}" ORDER BY rowid')
                columns = [description[0] for description in cursor.description]
                while rows := cursor.fetchmany(_ROWS):
                    arrays = (pa.array(values) for values in zip(*rows, strict=True))
                    self._writer.append(name, dict(zip(columns, arrays, strict=True)))
            self._writer.finish()


@contextmanager
def bulk_loader(
    path: Path,
    growing: Path,
    handle: int,
    new_tables: Callable[[Path], sqlite3.Connection],
    keys_bytes: int,
    ahead_bytes: int,
    *,
    is_passing: bool = False,
) -> Iterator[BulkLoader]:
    """A loader into the empty, open file `growing` that is to become `path`; it is whole when the block ends well.

    `new_tables` makes a database with the tables and views at a place and opens it.  `is_passing`: rows are soon to be
    moved out of the file, so that it gets no indexes and no views.
    """
    beside = growing.with_name(growing.name + "-tables")
    beside.unlink(missing_ok=True)
    try:
        connection = new_tables(beside)
    finally:
        beside.unlink(missing_ok=True)  # gone when it is closed, or the process ends
    with closing(connection), tempfile.TemporaryFile(dir=path.parent) as spill:
        connection.execute("BEGIN")
        statements = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND type IN ('table', ?, ?) ORDER BY rowid"
        others = ("", "") if is_passing else ("index", "view")
        writer = _native.DatabaseWriter(
            handle,
            spill.fileno(),
            [sql for (sql,) in connection.execute(statements, others)],
            page_size=_PAGE_BYTES,
            application_id=connection.execute("PRAGMA application_id").fetchone()[0],
            user_version=connection.execute("PRAGMA user_version").fetchone()[0],
            memory_bytes=keys_bytes,
            ahead_bytes=ahead_bytes,
            statistics=not is_passing,
            unordered=_UNORDERED,
            strings="string",
        )
        loader = BulkLoader(connection, path, writer)
        yield loader
        loader.finish()


@contextmanager
def _refusals() -> Iterator[None]:
    """What the schema forbids, as the error that SQLite's own driver raises for it."""
    try:
        yield
    except _native.ConstraintError as error:
        raise sqlite3.IntegrityError(str(error)) from error
    except pa.ArrowInvalid as error:
        raise sqlite3.IntegrityError(f"a value is of another type than its column ({error})") from error


def _column(column: Any, kind: pa.DataType) -> Any:
    """What the native writer takes for a column."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, list | tuple):
        values = [each if each is None else storable(each) for each in column] if kind == pa.string() else column
        return pa.array(values, kind)
    if isinstance(column, str):
        return storable(column)
    return column
