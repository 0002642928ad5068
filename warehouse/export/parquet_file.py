"""A parquet file a view: the base views and the answers, ranks in one file, streamed."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from warehouse import store
from warehouse.export.selection import ChosenRank, conditions
from warehouse.store import View

LEFT_OUT = ("export", "trace", "check", "official")  # rooms whose views are text for files, or findings
_ROWS = 32_768
_KINDS = {
    "text": pa.string(),
    "ns": pa.int64(),
    "bytes": pa.int64(),
    "count": pa.int64(),
    "ratio": pa.float64(),
    "us": pa.float64(),
}
_TIMES = (("start_ns", "end_ns"), ("time_ns", "time_ns"))


class _NarrowTypeError(Exception):
    """A column holds a value that its type does not; `kind` does."""

    def __init__(self, name: str, kind: pa.DataType) -> None:
        super().__init__(name)
        self.name, self.kind = name, kind


def parquet_views(is_part: bool) -> list[str]:
    """Views that become files.  Of a part of the warehouse those that know the rank of a row; of a part of the time
    (`ChosenRank.is_part`) those that know its times too, see `write_parquet`.

    >>> "op_named" in parquet_views(is_part=True)
    True
    """
    views = [view for view in store.views().values() if view.room not in LEFT_OUT]
    return [view.name for view in views if not is_part or "rank_id" in _names(view)]


def write_parquet(connection: sqlite3.Connection, ranks: Sequence[ChosenRank], path: Path, view: str) -> int:
    """Write the view's rows for those ranks to `path`; returns how many there were.

    Types follow the units in the view's header, int64 where it names none; a column that holds something else gets a
    wider type (float64, else string).  A view that sums has no rows for a part of the time: it cannot tell what lies in
    it.

    >>> write_parquet(connection, ranks, Path("op_named.parquet"), "op_named")  # doctest: +SKIP
    5154
    """
    kinds = {column.name: _KINDS.get(column.unit, pa.int64()) for column in store.view(view).columns}
    while True:
        try:
            return _write(connection, ranks, path, view, kinds)
        except _NarrowTypeError as wider:
            kinds[wider.name] = wider.kind


def _write(
    connection: sqlite3.Connection, ranks: Sequence[ChosenRank], path: Path, view: str, kinds: dict[str, pa.DataType]
) -> int:
    count = 0
    schema = pa.schema(list(kinds.items()))
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for query in _queries(connection, ranks, store.view(view)):
            for rows in _chunks(connection.execute(*query)):
                columns = zip(kinds.items(), zip(*rows, strict=True), strict=True)
                arrays = [_array(name, kind, values) for (name, kind), values in columns]
                writer.write_batch(pa.RecordBatch.from_arrays(arrays, schema=schema))
                count += len(rows)
    return count


def _queries(
    connection: sqlite3.Connection, ranks: Sequence[ChosenRank], view: View
) -> Iterator[tuple[str, list[Any]]]:
    names = _names(view)
    if "rank_id" not in names:
        yield store.select(view.name)
        return
    for rank in ranks:
        times = next((pair for pair in _TIMES if set(pair) <= names), None)
        if times is not None:
            terms, window = conditions(connection, rank, view.name, *times)
            yield store.select(view.name, where=[("rank_id", "=", rank.id), *terms], window=window)
        elif not rank.is_part:
            yield store.select(view.name, where=[("rank_id", "=", rank.id)])


def _chunks(cursor: sqlite3.Cursor) -> Iterator[list[tuple[Any, ...]]]:
    while rows := cursor.fetchmany(_ROWS):
        yield rows


def _array(name: str, kind: pa.DataType, values: Sequence[Any]) -> pa.Array:
    try:
        return pa.array(values, kind)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        if pa.types.is_string(kind):
            return pa.array([value if value is None else str(value) for value in values], kind)
        is_number = all(isinstance(value, int | float) for value in values if value is not None)
        wider = pa.float64() if is_number and pa.types.is_integer(kind) else pa.string()
        raise _NarrowTypeError(name, wider) from None


def _names(view: View) -> set[str]:
    return {column.name for column in view.columns}
