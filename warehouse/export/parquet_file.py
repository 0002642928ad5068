"""A parquet file a view: the base views and the answers, ranks in one file, streamed; without rows the schema alone."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from warehouse import store
from warehouse.export.parquet_views import column_names, time_columns
from warehouse.export.selection import ChosenRank, conditions
from warehouse.export.source import ExportSource
from warehouse.store import View

_ROWS, _CHUNKS = 4096, 16  # rows fetched at a time (as Python values they are large), and fetches in a row group
_INTEGER_UNITS = {"-", "ns", "bytes", "count", "int"}


class _NarrowTypeError(Exception):
    """A column holds a value that its type does not; `kind` does."""

    def __init__(self, name: str, kind: pa.DataType) -> None:
        super().__init__(name)
        self.name, self.kind = name, kind


def write_parquet(source: ExportSource, ranks: Sequence[ChosenRank], path: Path, view: str) -> int:
    """Write the view's rows for those ranks to `path`; returns how many there were.

    Types follow the units in the view's header: int64, float64 or string; a column that holds something else gets a
    wider type.  The view must not have an `obstacle`.

    >>> write_parquet(source, ranks, Path("op_named.parquet"), "op_named")  # doctest: +SKIP
    5154
    """
    kinds = {column.name: _kind(column.unit) for column in store.view(view).columns}
    with store.reading(store.file_of(source.connection), f"view {view}"):
        while True:
            try:
                return _write(source.connection, ranks, path, view, kinds)
            except _NarrowTypeError as wider:
                kinds[wider.name] = wider.kind


def _write(
    connection: sqlite3.Connection, ranks: Sequence[ChosenRank], path: Path, view: str, kinds: dict[str, pa.DataType]
) -> int:
    count = 0
    schema = pa.schema(list(kinds.items()))
    waiting: list[pa.RecordBatch] = []
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for query in _queries(connection, ranks, store.view(view)):
            for rows in _chunks(connection.execute(*query)):
                columns = zip(kinds.items(), zip(*rows, strict=True), strict=True)
                arrays = [_array(name, kind, values) for (name, kind), values in columns]
                waiting.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
                count += len(rows)
                if len(waiting) == _CHUNKS:
                    writer.write_table(pa.Table.from_batches(waiting))
                    waiting.clear()
        if waiting:
            writer.write_table(pa.Table.from_batches(waiting))
    return count


def _queries(
    connection: sqlite3.Connection, ranks: Sequence[ChosenRank], view: View
) -> Iterator[tuple[str, list[Any]]]:
    names = column_names(view)
    if "rank_id" not in names:
        yield store.select(view.name)
        return
    for rank in ranks:
        where: list[tuple[str, str, Any]] = [("rank_id", "=", rank.id)]
        window = None
        if times := time_columns(names):
            terms, window = conditions(connection, rank, view.name, *times)
            where += terms
        elif rank.step_ids is not None:
            where.append(("step_id", "in", rank.step_ids))
        yield store.select(view.name, where=where, window=window)


def _chunks(cursor: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    while rows := cursor.fetchmany(_ROWS):
        yield rows


def _kind(unit: str) -> pa.DataType:
    if unit in _INTEGER_UNITS:
        return pa.int64()
    return pa.string() if unit in ("text", "stamp", "json") else pa.float64()


def _array(name: str, kind: pa.DataType, values: Sequence[Any]) -> pa.Array:
    types = set(map(type, values)) - {type(None)}  # asked for, as Arrow would cut a float to an integer
    if pa.types.is_string(kind):
        return pa.array(values if types <= {str} else [None if v is None else str(v) for v in values], kind)
    if types <= {int}:
        return pa.array(values, kind)
    if types <= {int, float}:
        if pa.types.is_floating(kind):
            return pa.array(values, kind)
        raise _NarrowTypeError(name, pa.float64())
    raise _NarrowTypeError(name, pa.string())
