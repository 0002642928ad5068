"""All rows of a warehouse into one that is being made, with the ids that they have."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence

import pyarrow as pa

from warehouse import _native
from warehouse.store.bulk_loader import BulkLoader
from warehouse.store.loader import Loader
from warehouse.store.native_sqlite import python_sqlite
from warehouse.store.opening import read_uri
from warehouse.store.references import FIXED
from warehouse.store.table_list import TABLES
from warehouse.store.table_shape import WarehouseTable

_ROWS = 16_384
_ARROW = {"INTEGER": pa.int64(), "REAL": pa.float64(), "TEXT": pa.string()}


def copy_rows(old: Loader, new: BulkLoader, failed_paths: Sequence[str]) -> None:
    """Copy every table but for failures of those source files; `old` is in a transaction that keeps others from
    writing."""
    forgotten = _failures(old.connection, failed_paths)
    left_out = {"source": f"id IN ({forgotten})", "issue": f"coalesce(source_id, -1) IN ({forgotten})"}
    for name, table in TABLES.items():
        if name in FIXED:
            continue
        where = f"WHERE NOT {left_out[name]}" if name in left_out else ""
        statement = f"SELECT {', '.join(table.column_names)} FROM {name} {where} ORDER BY rowid"
        for batch in _batches(old, table, statement):
            if name == "string":
                new.copy_strings(batch)
            else:
                new.write(name, batch)
    new.before = old.connection
    new.go_on_after({}, old.reserve_stacks(0))


def _failures(connection: sqlite3.Connection, paths: Sequence[str]) -> str:
    """Ids of the sources that failed, as SQL has them."""
    query = "SELECT id FROM source WHERE path = ? AND state = 'failed' AND rank_id IS NULL"
    return ", ".join(str(int(id_)) for path in paths for (id_,) in connection.execute(query, [path]))


def _batches(old: Loader, table: WarehouseTable, statement: str) -> Iterator[pa.RecordBatch]:
    """Rows natively, where Python's SQLite can be had for that."""
    library = python_sqlite()
    if library is None:
        schema = pa.schema([(column.name, _ARROW[column.kind]) for column in table.columns])
        cursor = old.connection.execute(statement)
        while found := cursor.fetchmany(_ROWS):
            values = zip(zip(*found, strict=True), schema.types, strict=True)
            yield pa.record_batch([pa.array(each, kind) for each, kind in values], schema)
        return
    columns = [(column.name, column.kind) for column in table.columns]
    rows = _native.TableRows(library, read_uri(old.path), statement, columns)
    while (batch := rows.next(_ROWS)) is not None:
        yield pa.record_batch(batch)
