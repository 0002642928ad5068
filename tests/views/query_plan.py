"""What a statement does to tables, read from the program that SQLite makes of it.

`EXPLAIN QUERY PLAN` names aliases; the program names root pages, so it tells tables and is the same in all versions.
"""

from __future__ import annotations

import sqlite3


def full_scans(connection: sqlite3.Connection, text: str, values: list | tuple = ()) -> set[str]:
    """Tables that are read from one end to the other, themselves or by an index."""
    tables = dict(connection.execute("SELECT rootpage, tbl_name FROM sqlite_master WHERE rootpage > 0"))
    cursors: dict[int, str] = {}
    begun, stepped = set(), set()
    for _, opcode, first, second, *_ in connection.execute(f"EXPLAIN {text}", values):
        if opcode in ("OpenRead", "ReopenIdx") and second in tables:
            cursors[first] = tables[second]
        elif opcode in ("Rewind", "Last"):
            begun.add(first)
        elif opcode in ("Next", "Prev"):
            stepped.add(first)
    return {cursors[cursor] for cursor in begun & stepped if cursor in cursors}


def sorts(connection: sqlite3.Connection, text: str, values: list | tuple = ()) -> int:
    """How often rows are brought into another order."""
    return sum(opcode == "SorterOpen" for _, opcode, *_ in connection.execute(f"EXPLAIN {text}", values))
