"""The SQLite that Python has loaded, for native code that reads with it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from functools import cache

from warehouse._native import LibraryUnavailableError, SqliteLibrary


@cache
def python_sqlite() -> SqliteLibrary | None:
    """Python's own SQLite, proven to be that: memory it counts grows as Python opens a database.  None where it cannot
    be had.

    >>> python_sqlite() is python_sqlite()
    True
    """
    try:
        import _sqlite3

        library = SqliteLibrary(getattr(_sqlite3, "__file__", ""), sqlite3.sqlite_version)
    except (ImportError, LibraryUnavailableError):
        return None
    before = library.memory_used()
    with closing(sqlite3.connect(":memory:")):
        return library if library.memory_used() > before else None
