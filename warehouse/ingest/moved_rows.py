"""Rows of a rank that another process decoded, into the warehouse: its ids and strings become the warehouse's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.ingest.kernels import KERNEL_COLUMNS, KernelCatalogue
from warehouse.ingest.link import NONE, Numbers
from warehouse.ingest.strings import filled
from warehouse.store import Loader
from warehouse.store.loader import Column
from warehouse.store.references import STACKS, references, sum_keys


class MovedRows:
    """Writes the rows that a SpoolLoader handed over, in their order, and so gives the ids that loading them here would
    have given."""

    def __init__(self, loader: Loader, catalogue: KernelCatalogue, run_id: int) -> None:
        self._loader = loader
        self._catalogue = catalogue
        self._before: dict[str, int] = {"run": run_id - 1}  # what is added to the ids of a table
        self._known = {"string": _Numbers(), "kernel": _Numbers()}

    def write(self, table: str, columns: dict[str, Column]) -> int:
        """Write rows of a table; returns their number."""
        if table == "string":
            ids = self._loader.intern(_array(columns["value"]).to_pylist())
            self._known["string"].add(np.array(ids, dtype=np.int64))
            return len(ids)
        targets = references(table)
        moved = {name: self._moved(targets.get(name), column) for name, column in columns.items() if name != "id"}
        if table == "kernel":
            contents = [_numbers(moved[name]) for name in KERNEL_COLUMNS]
            self._known["kernel"].add(self._catalogue.ids(contents))
            return len(contents[0])
        if "id" in columns:
            moved["id"] = self._moved(targets["id"], columns["id"])
        return self._loader.write(table, _ordered(moved, keys) if (keys := sum_keys(table)) else moved)

    def finish(self, ids: dict[str, int]) -> None:
        """Take as many ids of each table as the rank had."""
        for table, count in ids.items():
            if table == STACKS:
                self._loader.reserve_stacks(count)
            elif table not in self._known:
                self._loader.reserve(table, count)

    def _moved(self, target: str | None, column: Column) -> Column:
        if target is None or column is None:
            return column
        known = self._known.get(target)
        if isinstance(column, int):
            return int(known.of(np.array([column]))[0]) if known else column + self._base(target)
        if isinstance(column, list | tuple):
            column = _array(column, pa.int64())
        if isinstance(column, pa.Array):
            column = _native.Nullable(filled(column))
        if isinstance(column, _native.Nullable):
            numbers: Numbers = np.asarray(column.values)
            if known:
                return _native.Nullable(known.of(numbers))
            return _native.Nullable(np.where(numbers > 0, numbers + self._base(target), numbers))
        numbers = np.asarray(column)
        return known.of(numbers) if known else np.where(numbers > 0, numbers + self._base(target), numbers)

    def _base(self, table: str) -> int:
        if table not in self._before:
            first = self._loader.reserve_stacks(0) if table == STACKS else self._loader.reserve(table, 0)
            self._before[table] = first - 1
        return self._before[table]


class _Numbers:
    """Ids of the warehouse by ids of the rank, which count from 1; NONE stays NONE, and 0, which is no id, 0."""

    def __init__(self) -> None:
        self._ids: Numbers = np.full(1024, NONE, np.int64)
        self._ids[1] = 0
        self._count = 2  # the places of NONE and of 0

    def add(self, ids: Numbers) -> None:
        if self._count + len(ids) > len(self._ids):
            self._ids = np.concatenate([self._ids, np.full(max(len(self._ids), len(ids)), NONE, np.int64)])
        self._ids[self._count : self._count + len(ids)] = ids
        self._count += len(ids)

    def of(self, numbers: Numbers) -> Numbers:
        return self._ids.take(numbers + 1)


def _ordered(columns: dict[str, Column], keys: tuple[str, ...]) -> dict[str, Column]:
    """Rows of sums come in the order of their keys, which may be another with other ids."""
    arrays = {name: _numbers(column) for name, column in columns.items() if not isinstance(column, int)}
    order = np.lexsort([arrays[name] for name in reversed(keys)])
    ordered: dict[str, Column] = dict(columns)
    for name, array in arrays.items():
        rows = array[order]
        ordered[name] = _native.Nullable(rows) if isinstance(columns[name], _native.Nullable) else rows
    return ordered


def _array(column: Any, kind: pa.DataType | None = None) -> pa.Array:
    return column if isinstance(column, pa.Array) else pa.array(column, kind)


def _numbers(column: Any) -> Numbers:
    """The values of a column of numbers, NONE for NULL."""
    return np.asarray(column.values if isinstance(column, _native.Nullable) else column)
