"""Asking a warehouse: any SQL, or a named view, as polars, Arrow or plain rows; nothing here can write.

Types: INTEGER is int64, REAL float64, TEXT string, BLOB binary.  SQLite types values, not columns: integers among
floats become floats, numbers among text become text; a column without any value is of type null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
from polars.io.plugins import register_io_source

from warehouse import store
from warehouse.errors import QueryError
from warehouse.plain_rows import Parameters, PlainWarehouse, asking, column_names, iterate
from warehouse.store.columns import column_array, table_of, unit_type

__all__ = ["Warehouse", "iterate"]

_BATCH_ROWS = 65_536


class Warehouse(PlainWarehouse):
    """A warehouse opened for reading; close it, or use it in a `with` statement.

    >>> import warehouse
    >>> with warehouse.open("W.db") as w:  # doctest: +SKIP
    ...     w.sql("SELECT name, count(*) AS calls FROM op_named GROUP BY name ORDER BY calls DESC")
    """

    def sql(self, text: str, parameters: Parameters = ()) -> pl.DataFrame:
        """The whole result of one SELECT as polars; QueryError if it does not run or is not allowed.

        >>> w.sql("SELECT * FROM op WHERE start_ns >= ?", [1_700_000_000_000_000_000])  # doctest: +SKIP
        """
        frame = pl.from_arrow(self.arrow(text, parameters))
        assert isinstance(frame, pl.DataFrame)
        return frame

    def arrow(self, text: str, parameters: Parameters = ()) -> pa.Table:
        """The whole result of one SELECT as an Arrow table; QueryError as `sql`.

        >>> w.arrow("SELECT 1 AS a").schema  # doctest: +SKIP
        a: int64
        """
        with asking(text, self.path):
            cursor = self._connection.execute(text, parameters)
            names = column_names(cursor)
            chunks = [_arrays(rows, len(names)) for rows in iter(lambda: cursor.fetchmany(_BATCH_ROWS), [])]
        return table_of(names, chunks)

    def batches(self, text: str, parameters: Parameters = (), rows: int = _BATCH_ROWS) -> pa.RecordBatchReader:
        """The result of one SELECT as a stream of record batches, for results larger than memory; QueryError as `sql`.

        A stream has to tell its types first.  They are those of the first batch; for columns that are empty in it the
        statement runs once more over their types.  A later value of another type ends the stream with QueryError.

        >>> for batch in w.batches("SELECT * FROM device_task"):  # doctest: +SKIP
        ...     print(batch.num_rows)
        """
        with asking(text, self.path):
            cursor = self._connection.execute(text, parameters)
            names = column_names(cursor)
            first = cursor.fetchmany(rows)
        arrays = _arrays(first, len(names))
        types = [array.type for array in arrays]
        unknown = [index for index, kind in enumerate(types) if pa.types.is_null(kind)]
        if unknown and len(first) == rows:
            for index, kind in self._types_of(text, parameters, unknown).items():
                types[index] = kind
        schema = pa.schema(list(zip(names, types, strict=True)))

        def stream() -> Iterator[pa.RecordBatch]:
            chunk = first
            while chunk:
                columns = [
                    _fitted(array, field, text) for array, field in zip(_arrays(chunk, len(names)), schema, strict=True)
                ]
                yield pa.RecordBatch.from_arrays(columns, schema=schema)
                with asking(text, self.path):
                    chunk = cursor.fetchmany(rows)

        return pa.RecordBatchReader.from_batches(schema, stream())

    def view(self, name: str, columns: Iterable[str] | None = None, **keys: Any) -> pl.LazyFrame:
        """Rows of a view as a lazy frame: only the columns and rows that are used are read, in batches.

        `keys` choose rows: `rank_id=1`, or a list of values.  UsageError for a view or column that does not exist.
        Views of the text files hold text among numbers, so they are read whole.

        >>> w.view("op_named", rank_id=1).group_by("name").len().collect()  # doctest: +SKIP
        """
        view = store.view(name)
        names = [view.column(column).name for column in columns or [column.name for column in view.columns]]
        where = [
            (view.column(key).name, "in" if isinstance(value, list | tuple | set) else "=", value)
            for key, value in keys.items()
        ]
        if view.file:
            return self.sql(*store.select(name, names, where)).lazy()
        return _lazy(self.path, view, names, where, self._view_schema(view, names, where))

    def views(self) -> list[store.View]:
        """What can be asked: every view with its columns, units and meaning.

        >>> [view.name for view in w.views() if view.room == "base"][:1]  # doctest: +SKIP
        ['op_named']
        """
        return list(store.views().values())

    def ranks(self) -> pl.DataFrame:
        """The ranks in the file, with the runs they belong to (view rank_named).

        >>> w.ranks()["rank_no"].to_list()  # doctest: +SKIP
        [0, 1]
        """
        return self.sql(*store.select("rank_named", order=["id"]))

    def _types_of(self, text: str, parameters: Parameters, indexes: list[int]) -> dict[int, pa.DataType]:
        """Types of columns over the whole result; those without any value stay null."""
        found = {}
        with asking(text, self.path):
            for index, kinds in store.column_kinds(self._connection, text, parameters, indexes).items():
                samples = {"integer": 0, "real": 0.0, "text": "", "blob": b""}
                found[index] = column_array([samples[kind] for kind in kinds if kind in samples]).type
        return found

    def _view_schema(
        self, view: store.View, names: list[str], where: list[tuple[str, str, Any]]
    ) -> dict[str, pl.DataType]:
        """Types from the first rows; where those hold nothing, from the unit."""
        sample = self.sql(*store.select(view.name, names, where, limit=1000))
        return {
            name: unit_type(view.column(name).unit) if sample.schema[name] == pl.Null else sample.schema[name]
            for name in names
        }


def _arrays(rows: list[tuple[Any, ...]], width: int) -> list[pa.Array]:
    columns = zip(*rows, strict=True) if rows else ([] for _ in range(width))
    return [column_array(list(column)) for column in columns]


def _fitted(array: pa.Array, field: pa.Field, text: str) -> pa.Array:
    """A later batch in the stream's types: integers fit among floats, anything among text, nulls everywhere."""
    kind = field.type
    if array.type == kind or pa.types.is_null(array.type) or pa.types.is_string(kind):
        return array.cast(kind)
    if pa.types.is_float64(kind) and pa.types.is_int64(array.type):
        return array.cast(kind, safe=False)
    statement = " ".join(text.split())
    raise QueryError(f"column {field.name} began as {kind} and then holds {array.type}; CAST it in: {statement}")


def _lazy(
    path: Path,
    view: store.View,
    names: list[str],
    where: list[tuple[str, str, Any]],
    schema: dict[str, pl.DataType],
) -> pl.LazyFrame:
    """A frame that reads when it is collected, from a connection of its own."""

    def read(
        with_columns: list[str] | None, predicate: pl.Expr | None, n_rows: int | None, batch_size: int | None
    ) -> Iterator[pl.DataFrame]:
        chosen = with_columns if with_columns is not None else names
        kinds = {name: schema[name] for name in chosen}
        statement = store.select(view.name, chosen or names[:1], where, limit=n_rows)
        connection = store.open_read(path)
        try:
            for rows in iterate(connection, *statement, size=batch_size or _BATCH_ROWS, path=path):
                frame = _frame(rows, chosen or names[:1], schema, view)
                frame = frame.select(list(kinds)) if chosen else frame
                yield frame if predicate is None else frame.filter(predicate)
        finally:
            connection.close()

    return register_io_source(read, schema=schema)


def _frame(
    rows: list[tuple[Any, ...]], names: list[str], schema: dict[str, pl.DataType], view: store.View
) -> pl.DataFrame:
    columns = [pl.Series(name, array) for name, array in zip(names, _arrays(rows, len(names)), strict=True)]
    try:
        return pl.DataFrame([column.cast(schema[column.name]) for column in columns])
    except pl.exceptions.PolarsError as error:
        raise QueryError(f"view {view.name} holds values of several types; ask for it with sql(): {error}") from error
