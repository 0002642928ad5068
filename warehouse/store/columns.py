"""Columns of Python values as SQLite gives them, to typed Arrow and polars columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import pyarrow as pa

_INTEGER_UNITS = {"ns", "bytes", "count", "int", "-"}
_FLOAT_UNITS = {"ratio", "us", "float", "ns_us"}


def column_array(values: Sequence[Any]) -> pa.Array:
    """An Arrow array of int64, float64, string, binary or null; mixed values become floats, else text.

    >>> column_array([1, 2.5, None]).type, column_array([1, "N/A"]).to_pylist()
    (DataType(double), ['1', 'N/A'])
    """
    try:
        array = pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        array = _mixed(values)
    # an array of str and bytes is binary to Arrow, although most of it is text
    return _mixed(values) if pa.types.is_binary(array.type) and str in set(map(type, values)) else array


def _mixed(values: Sequence[Any]) -> pa.Array:
    kinds = set(map(type, values)) - {type(None)}
    if kinds <= {int, float}:
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    return pa.array([_as_text(value) for value in values], pa.string())


def _as_text(value: Any) -> str | None:
    if value is None:
        return None
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else str(value)


def table_of(names: list[str], chunks: list[list[pa.Array]]) -> pa.Table:
    """A table of chunks whose types may differ: the widest type of each column is taken for all of it."""
    columns = []
    for index in range(len(names)):
        arrays = [chunk[index] for chunk in chunks]
        kind = _widest([array.type for array in arrays])
        columns.append(pa.chunked_array([_cast(array, kind) for array in arrays], kind))
    return pa.table(columns, names=names)


def _widest(kinds: list[pa.DataType]) -> pa.DataType:
    different = {kind for kind in kinds if not pa.types.is_null(kind)}
    if not different:
        return pa.null()
    if len(different) == 1:
        return different.pop()
    return pa.float64() if different == {pa.int64(), pa.float64()} else pa.string()


def _cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    if pa.types.is_string(kind) and not pa.types.is_string(array.type):
        return pa.array([_as_text(value) for value in array.to_pylist()], pa.string())
    return array.cast(kind, safe=False)


def unit_type(unit: str) -> pl.DataType:
    """The polars type of a column whose rows hold nothing, from the unit in the view's header.

    >>> unit_type("ns"), unit_type("text")
    (Int64, String)
    """
    if unit in _INTEGER_UNITS:
        return pl.Int64()
    return pl.Float64() if unit in _FLOAT_UNITS else pl.String()
