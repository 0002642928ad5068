"""A short look whether a view has rows."""

from __future__ import annotations

import sqlite3
import time

_STEPS_BETWEEN_LOOKS = 10_000  # of SQLite: well below a millisecond


def has_rows(connection: sqlite3.Connection, view: str, seconds: float) -> bool | None:
    """Whether the view has rows in this warehouse; None if it takes longer than `seconds` to find out.

    >>> has_rows(open_read("W.db"), "kernel_time", 0.1)  # doctest: +SKIP
    True
    """
    until = time.monotonic() + seconds
    connection.set_progress_handler(lambda: time.monotonic() > until, _STEPS_BETWEEN_LOOKS)
    try:
        return bool(connection.execute(f"SELECT EXISTS (SELECT 1 FROM {view})").fetchone()[0])
    except sqlite3.OperationalError as error:
        if str(error) == "interrupted":
            return None
        raise
    finally:
        connection.set_progress_handler(None, 0)
