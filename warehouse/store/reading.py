"""What SQLite says in the middle of reading, as one error that names the file and what was read."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.errors import NpuwhError, WarehouseFileError, WriteError

# any program that holds the lock counts, also a viewer with changes that are not saved
LOCKED = "another process is writing it; try again when it is done, or close the program that has it open"


@contextmanager
def reading(path: Path | str, what: str = "") -> Iterator[None]:
    """Turn an error of SQLite into a WarehouseFileError about the warehouse and `what` (a view or table) of it.

    WriteError if SQLite had no room for its temporary files; KeyboardInterrupt if a signal ended the statement.

    >>> with reading("W.db", "op"):
    ...     raise sqlite3.OperationalError("integer overflow")
    Traceback (most recent call last):
    warehouse.errors.WarehouseFileError: W.db: op cannot be read (integer overflow); `npuwh check W.db` looks closer
    """
    try:
        yield
    except (sqlite3.Error, UnicodeDecodeError) as error:
        raise reading_error(error, path, what) from error


def reading_error(error: sqlite3.Error | UnicodeDecodeError, path: Path | str, what: str = "") -> BaseException:
    """The error to raise instead; see `reading`.

    >>> reading_error(sqlite3.OperationalError("interrupted"), "W.db")
    KeyboardInterrupt()
    """
    # SQLite quotes the damaged text, and Python cannot read that
    text = "damaged text in it" if isinstance(error, UnicodeDecodeError) else str(error)
    if text == "interrupted":  # by Ctrl-C: see opening.py
        return KeyboardInterrupt()
    return _told(text, path, what)


def _told(text: str, path: Path | str, what: str) -> NpuwhError:
    if "locked" in text:
        return WarehouseFileError(f"{path}: {LOCKED}")
    if "full" in text:
        return WriteError(f"{path}: reading {what or 'it'} found no room for temporary files ({text})")
    read = f"{what} cannot be read" if what else "cannot be read"
    return WarehouseFileError(f"{path}: {read} ({text}); `npuwh check {path}` looks closer")


def file_of(connection: sqlite3.Connection) -> str:
    """Path of the file behind a connection, for messages.

    >>> file_of(sqlite3.connect(":memory:"))
    'the warehouse'
    """
    for _, schema, path in connection.execute("PRAGMA database_list"):
        if schema == "main" and path:
            return str(path)
    return "the warehouse"
