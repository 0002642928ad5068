"""Indexes that are made after the load: sorting once is several times quicker than keeping them in order all along."""

from __future__ import annotations

import sqlite3

from warehouse.store.table_list import TABLES


def drop_indexes(connection: sqlite3.Connection) -> None:
    """Drop every index but the unique ones, which guard the load itself (and serve the interning of strings)."""
    for name in _plain_indexes():
        connection.execute(f"DROP INDEX {name}")


def create_indexes(connection: sqlite3.Connection) -> None:
    """Make the indexes of the tables that the file lacks."""
    present = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'index'")}
    for name, statement in _plain_indexes().items():
        if name not in present:
            connection.execute(statement)


def _plain_indexes() -> dict[str, str]:
    return {
        name: f"CREATE INDEX {name} ON {table.name} ({', '.join(keys)})"
        for table in TABLES.values()
        for name, keys in sorted((f"{table.name}__{'__'.join(keys)}", keys) for keys in table.indexes)
    }
