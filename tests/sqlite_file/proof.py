"""What makes a file of the bulk writer a file of SQLite: every check that a pair of files has to pass."""

from __future__ import annotations

import sqlite3
import struct
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.sqlite_file.schemas import Table


def cells(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Values with their types, reals to the bit."""
    return [tuple(map(_cell, row)) for row in rows]


def _cell(value: Any) -> tuple[str, Any]:
    return ("real", struct.pack("<d", value)) if isinstance(value, float) else (type(value).__name__, value)


def check_pair(native: Path, reference: Path, tables: list[Table]) -> None:
    """The native file is sound, equals the reference, answers by each index as by scanning, and can be written to."""
    with closing(sqlite3.connect(native, isolation_level=None)) as one, closing(sqlite3.connect(reference)) as other:
        sound(one)
        assert one.execute("PRAGMA freelist_count").fetchone() == (0,)
        for query in ("SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name NOT LIKE 'sqlite_stat%'",):
            assert one.execute(query).fetchall() == other.execute(query).fetchall()
        check_statistics(one, other)
        for table in tables:
            check_rows(one, other, table)
            check_indexes(one, table)
        check_writing(one, tables)


def sound(connection: sqlite3.Connection) -> None:
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []


def check_statistics(one: sqlite3.Connection, other: sqlite3.Connection) -> None:
    query = "SELECT tbl, idx, stat FROM sqlite_stat1 ORDER BY 1, 2"
    ours, theirs = one.execute(query).fetchall(), other.execute(query).fetchall()
    assert [row[:2] for row in ours] == [row[:2] for row in theirs]
    for (_, _, our), (_, _, their) in zip(ours, theirs, strict=True):
        for ours_, theirs_ in zip(our.split(), their.split(), strict=True):
            assert ours_ == theirs_ or (ours_, theirs_) == ("1", "2")  # newer ANALYZE rounds 1.1 down


def check_rows(one: sqlite3.Connection, other: sqlite3.Connection, table: Table) -> None:
    query = f'SELECT rowid, * FROM "{table.name}" ORDER BY rowid'
    assert cells(one.execute(query).fetchall()) == cells(other.execute(query).fetchall())
    types = ", ".join(f'typeof("{name}"), hex("{name}")' for name, _, _ in table.columns)
    query = f'SELECT {types} FROM "{table.name}" ORDER BY rowid'
    assert one.execute(query).fetchall() == other.execute(query).fetchall()


def check_indexes(one: sqlite3.Connection, table: Table) -> None:
    for name, key, _ in table.indexes:
        names = ", ".join(f'"{table.columns[place][0]}"' for place in key)
        by_index = f'SELECT {names}, rowid FROM "{table.name}" INDEXED BY "{name}" ORDER BY {names}, rowid'
        by_scan = f'SELECT {names}, rowid FROM "{table.name}" NOT INDEXED ORDER BY {names}, rowid'
        assert "USING" in str(one.execute(f"EXPLAIN QUERY PLAN {by_index}").fetchall())
        rows = one.execute(by_scan).fetchall()
        assert cells(one.execute(by_index).fetchall()) == cells(rows)
        column = table.columns[key[0]][0]
        for value in {row[0] for row in rows[:: max(1, len(rows) // 5)]}:
            for condition in ("IS ?", "> ?", "<= ?"):
                found = [
                    one.execute(
                        f'SELECT rowid FROM {how} WHERE "{column}" {condition} ORDER BY rowid', [value]
                    ).fetchall()
                    for how in (f'"{table.name}" INDEXED BY "{name}"', f'"{table.name}" NOT INDEXED')
                ]
                assert found[0] == found[1]


def check_writing(one: sqlite3.Connection, tables: list[Table]) -> None:
    """SQLite itself inserts, updates, deletes, reindexes and rebuilds, and finds the file sound after each."""
    for table in tables:
        name = f'"{table.name}"'
        columns = ", ".join(f'"{column}"' for column, _, _ in table.columns[1 if table.key else 0 :])
        again = f"SELECT {columns} FROM {name} WHERE rowid < 9223372036854775807"
        one.execute(f"INSERT OR IGNORE INTO {name} ({columns}) {again}")
        sound(one)
        column = table.columns[-1][0]
        value = f'(SELECT "{column}" FROM {name} LIMIT 1)'
        one.execute(f'UPDATE OR IGNORE {name} SET "{column}" = {value} WHERE rowid % 3 = 0')
        sound(one)
        one.execute(f"DELETE FROM {name} WHERE rowid % 2 = 0")
        sound(one)
    one.execute("REINDEX")
    sound(one)
    one.execute("VACUUM")
    sound(one)
