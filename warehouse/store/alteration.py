"""Whether the tables of a warehouse are still those that npuwh made: a crafted file, or one that another tool changed.

Views would tell of it late or not at all: SQLite takes the quoted name of a column that is missing for a text.
"""

from __future__ import annotations

import sqlite3

from warehouse.store.table_list import TABLES
from warehouse.store.table_shape import WarehouseTable

_COLUMNS = """SELECT m.name, c.name, c.type, c."notnull", c.hidden
    FROM sqlite_master AS m, pragma_table_xinfo(m.name) AS c
    WHERE m.type = 'table' ORDER BY m.rowid, c.cid"""


def altered_tables(connection: sqlite3.Connection) -> list[str]:
    """What is different, a text a table; [] if every table has the columns that it was made with.

    >>> altered_tables(sqlite3.connect(":memory:"))[0]
    'there is no table run'
    """
    found: dict[str, list[tuple[str, str, bool]]] = {}
    for table, *column, hidden in connection.execute(_COLUMNS):
        name, kind, is_required = column
        found.setdefault(table, []).append((name, f"generated {kind}" if hidden else kind, bool(is_required)))
    texts = (_difference(table, found.get(table.name)) for table in TABLES.values())
    return [text for text in texts if text]


def missing_indexes(connection: sqlite3.Connection) -> list[str]:
    """Names of our indexes that are not there: answers are the same and take longer.

    >>> missing_indexes(sqlite3.connect(":memory:"))[:1]
    ['run__path']
    """
    present = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    names = ("__".join((table.name, *keys)) for table in TABLES.values() for keys in (*table.unique, *table.indexes))
    return [name for name in names if name not in present]


def _difference(table: WarehouseTable, found: list[tuple[str, str, bool]] | None) -> str:
    if found is None:
        return f"there is no table {table.name}"
    expected = [(column.name, column.kind, column.is_required) for column in table.columns]
    if found == expected:
        return ""
    names, ours = [name for name, *_ in found], table.column_names
    for what, columns in (("lacks", set(ours) - set(names)), ("has the strange", set(names) - set(ours))):
        if columns:
            plural = "s" if len(columns) > 1 else ""
            return f"table {table.name} {what} column{plural} {', '.join(sorted(columns))}"
    if sorted(found) == sorted(expected):
        return f"table {table.name} has its columns in another order"
    changed = [one[0] for one, other in zip(sorted(found), sorted(expected), strict=True) if one != other]
    return f"table {table.name} has another type of {', '.join(changed)}"
