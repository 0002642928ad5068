"""Is the file itself whole."""

from __future__ import annotations

import sqlite3


def integrity(connection: sqlite3.Connection) -> list[str]:
    """What SQLite finds wrong with the file, a text a finding; empty if nothing.

    >>> integrity(open_read("W.db"))  # doctest: +SKIP
    []
    """
    try:
        return [text for (text,) in connection.execute("PRAGMA integrity_check") if text != "ok"]
    except UnicodeDecodeError:  # SQLite quotes what is damaged, and Python cannot read that
        return ["damaged text"]
    except sqlite3.DatabaseError as error:
        if str(error) == "interrupted":  # by Ctrl-C: see store.opening
            raise KeyboardInterrupt from error
        return [str(error)]
