"""Rows on their way from the process that decodes a rank to the one that writes: columns as they lie in memory, in a
file that has no name."""

from __future__ import annotations

import os
import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.store.loader import Column

_ARRAY, _NULLABLE, _OTHER = range(3)


@dataclass(frozen=True)
class Rows:
    """Rows of a table: a description of the columns, and where in the file their values lie, one after the other."""

    table: str
    description: bytes
    place: int
    sizes: list[int] = field(default_factory=list)


class SpoolWriter:
    """Appends columns to a file."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.place = 0

    def write(self, table: str, columns: Mapping[str, Column]) -> Rows:
        """Copy the columns there; OSError if the disk is full."""
        buffers: list[pickle.PickleBuffer] = []
        described = {name: _described(column) for name, column in columns.items()}
        description = pickle.dumps(described, protocol=5, buffer_callback=buffers.append)
        parts = [buffer.raw() for buffer in buffers]
        rows = Rows(table, description, self.place, [part.nbytes for part in parts])
        for part in parts:
            while part.nbytes:
                done = os.pwrite(self._handle, part, self.place)
                self.place += done
                part = part[done:]  # noqa: PLW2901
        return rows


def read_rows(handle: int, rows: Rows) -> dict[str, Column]:
    """The columns again, as arrays, `Nullable`s or what else they were; EOFError if the file is shorter."""
    place = rows.place
    buffers = []
    for size in rows.sizes:
        data = os.pread(handle, size, place)
        while len(data) < size:
            more = os.pread(handle, size - len(data), place + len(data))
            if not more:
                raise EOFError(f"rows of {rows.table} end at {place + len(data)}, not {place + size}")
            data += more
        buffers.append(data)
        place += size
    described = pickle.loads(rows.description, buffers=buffers)
    return {name: _column(form, value) for name, (form, value) in described.items()}


def _described(column: Column) -> tuple[int, Any]:
    """A column as what pickle copies at once: an array, and whether its -1 are NULL."""
    if isinstance(column, pa.ChunkedArray):
        column = column.combine_chunks()
    if isinstance(column, pa.Array):
        return _described_arrow(column)
    if isinstance(column, _native.Nullable):
        return _NULLABLE, np.ascontiguousarray(column.values)
    if column is None or isinstance(column, int | float | str | list | tuple):
        return _OTHER, column
    return _ARRAY, np.ascontiguousarray(column)


def _described_arrow(column: pa.Array) -> tuple[int, Any]:
    if column.type in (pa.int64(), pa.float64()) and not column.null_count:
        return _ARRAY, column.to_numpy()
    if column.type == pa.int64() and column.fill_null(0).to_numpy().min(initial=0) >= 0:
        return _NULLABLE, np.asarray(_native.filled(column))
    return _OTHER, pa.concat_arrays([column])  # a slice would bring all of its array


def _column(form: int, value: Any) -> Column:
    return _native.Nullable(value) if form == _NULLABLE else value
