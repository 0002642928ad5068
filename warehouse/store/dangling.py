"""Whether every id points at a row: a file that somebody edited, or that another tool wrote into."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator

from warehouse.store.references import STACKS, references
from warehouse.store.table_list import TABLES


def dangling_ids(connection: sqlite3.Connection) -> Iterator[str]:
    """Ids that point at no row, a text a column.

    Ids of a table mostly follow one upon the other; then the extremes of a column tell all, and a table is read once.

    >>> list(dangling_ids(open_read("W.db")))  # doctest: +SKIP
    ['op.name_id points at no row of string in 3 rows, the first with id 17']
    """
    pointing = {table: _pointing(table) for table in TABLES}
    gapless = {target: _gapless(connection, target) for columns in pointing.values() for _, target in columns}
    for table, columns in pointing.items():
        if not columns:
            continue
        extremes = ", ".join(f"min({name}), max({name})" for name, _ in columns)
        found = connection.execute(f"SELECT {extremes} FROM {table}").fetchone()
        for (name, target), least, most in zip(columns, found[::2], found[1::2], strict=True):
            known = gapless[target]
            if least is None or (known is not None and known[0] <= least and most <= known[1]):
                continue
            if text := _told(connection, table, name, target):
                yield text


def _pointing(table: str) -> list[tuple[str, str]]:
    return [(name, target) for name, target in references(table).items() if name != "id" or target != table]


def _gapless(connection: sqlite3.Connection, table: str) -> tuple[int, int] | None:
    """First and last id, if every number between them is one."""
    key = _key(table)
    first, last = connection.execute(f"SELECT min({key}), max({key}) FROM {table}").fetchone()
    what = f"DISTINCT {key}" if table == STACKS else "*"
    (count,) = connection.execute(f"SELECT count({what}) FROM {table}").fetchone()
    return (first, last) if count and last - first + 1 == count else None


def _told(connection: sqlite3.Connection, table: str, column: str, target: str) -> str:
    first = "id" if "id" in TABLES[table].column_names else "rowid"
    count, row = connection.execute(
        f"SELECT count(*), min({first}) FROM {table} AS t WHERE {column} IS NOT NULL"
        f" AND NOT EXISTS (SELECT 1 FROM {target} AS o WHERE o.{_key(target)} = t.{column})"
    ).fetchone()
    rows = "1 row" if count == 1 else f"{count} rows"
    return f"{table}.{column} points at no row of {target} in {rows}, the first with {first} {row}" if count else ""


def _key(table: str) -> str:
    return "stack_id" if table == STACKS else "id"
