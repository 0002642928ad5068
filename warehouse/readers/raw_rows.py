"""Batches put together from columns, for the readers of raw profiles."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from warehouse.batches.records import RECORDS
from warehouse.readers.sorted_rows import Columns, Mask, SortedRows

Numbers = npt.NDArray[np.int64]
NONE = -1


def record(kind: str, count: int, /, **columns: Any) -> pa.RecordBatch:
    """A batch of the kind: arrays or one value for all rows; columns not named are null.

    >>> record("step", 1, step_no=3, start_ns=np.array([100]), end_ns=np.array([200])).to_pylist()
    [{'step_no': 3, 'start_ns': 100, 'end_ns': 200}]
    """
    return _built(RECORDS[kind], count, columns)


def rows(count: int, /, **columns: Any) -> pa.RecordBatch:
    """A batch of int64 columns, for the reader's own use."""
    return _built(pa.schema([pa.field(name, pa.int64()) for name in columns]), count, columns)


def _built(schema: pa.Schema, count: int, columns: dict[str, Any]) -> pa.RecordBatch:
    arrays = []
    for field in schema:
        value = columns.get(field.name)
        if value is None:
            arrays.append(pa.nulls(count, field.type))
        elif isinstance(value, int | float | str):
            arrays.append(pa.repeat(pa.scalar(value, field.type), count))
        elif isinstance(value, pa.Array | pa.ChunkedArray):
            arrays.append(value.combine_chunks() if isinstance(value, pa.ChunkedArray) else value)
        else:
            arrays.append(pa.array(value, field.type))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def numbers(batch: pa.RecordBatch, *names: str) -> list[Numbers]:
    """Columns as arrays, NONE where they are null."""
    found = []
    for name in names:
        column = batch.column(name)
        found.append(column.fill_null(NONE).to_numpy() if column.null_count else column.to_numpy())
    return found


def as_bits(column: npt.NDArray[Any]) -> Numbers:
    """Doubles as the integers that have their bits, so that they can be among int64 columns; integers as they are.
    Read as a double again, NONE is not a number.

    >>> as_bits(np.array([1.5])).view(np.float64).tolist(), bool(np.isnan(np.array([NONE]).view(np.float64))[0])
    ([1.5], True)
    """
    return column.view(np.int64) if column.dtype == np.float64 else column


def or_null(column: Numbers, missing: Numbers | int = NONE) -> pa.Array:
    """A column with null where the array holds `missing`.

    >>> or_null(np.array([3, -1])).to_pylist()
    [3, None]
    """
    empty = column == missing
    return pa.array(column, pa.int64(), mask=empty) if empty.any() else pa.array(column, pa.int64())


def adjacent_columns(batches: Iterator[Columns]) -> Iterator[Columns]:
    """The same rows, each batch after the first beginning with the last row of the one before: every two neighbours
    meet in one batch."""
    kept: Columns = {}
    for columns in batches:
        yield {name: np.concatenate([kept[name], column]) for name, column in columns.items()} if kept else columns
        kept = {name: column[-1:] for name, column in columns.items()}


def adjacent(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same rows, each batch after the first beginning with the last row of the one before: every two neighbours
    meet in one batch."""
    kept: pa.RecordBatch | None = None
    for batch in batches:
        if batch.num_rows:
            whole = batch if kept is None else joined([kept, batch])
            yield whole
            kept = whole.slice(whole.num_rows - 1)


def with_columns(batch: pa.RecordBatch, columns: dict[str, Numbers]) -> pa.RecordBatch:
    """The batch with further columns."""
    fields = [*batch.schema, *(pa.field(name, pa.int64()) for name in columns)]
    arrays = [*batch.columns, *(pa.array(column, pa.int64()) for column in columns.values())]
    return pa.RecordBatch.from_arrays(arrays, schema=pa.schema(fields))


def joined(batches: list[pa.RecordBatch]) -> pa.RecordBatch:
    """Several batches of one schema as one."""
    return pa.Table.from_batches(batches).combine_chunks().to_batches()[0]


def chosen(columns: Columns, where: Mask | Numbers) -> Columns:
    """Some of the rows.

    >>> chosen({"a": np.array([5, 6])}, np.array([False, True]))["a"].tolist()
    [6]
    """
    return {name: column[where] for name, column in columns.items()}


def aligned(
    first: Iterator[Columns], others: list[SortedRows | None], keys: tuple[str, ...]
) -> Iterator[tuple[Columns, list[Columns | None]]]:
    """Batches of the first stream, and of the others the rows with keys in the same range: all are sorted by the keys,
    and rows of `first` with equal keys never stand in two batches."""
    readers = [None if other is None else other.between() for other in others]
    for columns in first:
        low, high = ([int(columns[key][place]) for key in keys] for place in (0, -1))
        yield columns, [None if reader is None else reader.rows(low, high) for reader in readers]


def aligned_whole(
    first: Iterator[pa.RecordBatch], other: SortedRows, keys: tuple[str, ...]
) -> Iterator[tuple[pa.RecordBatch | None, pa.RecordBatch]]:
    """As `aligned` for one other, all rows of which come: those after the last of `first` with None.

    >>> from warehouse.readers.sorted_rows import SpillFolder
    >>> rows_ = SortedRows(["key"], SpillFolder())
    >>> rows_.add(rows(3, key=np.array([1, 2, 5])))
    >>> first = iter([rows(2, key=np.array([2, 3]))])
    >>> [(mine and mine.num_rows, found.num_rows) for mine, found in aligned_whole(first, rows_, ("key",))]
    [(2, 2), (None, 1)]
    """
    reader = Until(other.batches(), keys)
    for batch in first:
        found = reader.up_to(tuple(int(batch.column(key)[-1].as_py()) for key in keys))
        if found is not None:
            yield batch, found
    for rest in reader.rest():
        yield None, rest


class Until:
    """Rows of a sorted stream, up to one limit after the other."""

    def __init__(self, source: Iterator[pa.RecordBatch], keys: tuple[str, ...]) -> None:
        self._source = source
        self._keys = keys
        self._kept: pa.RecordBatch | None = None

    def up_to(self, limit: tuple[int, ...]) -> pa.RecordBatch | None:
        """All rows up to the limit, inclusive."""
        parts = []
        while True:
            batch = self._kept if self._kept is not None else next(self._source, None)
            self._kept = None
            if batch is None:
                break
            columns = [batch.column(key).to_numpy() for key in self._keys]
            count = count_up_to(columns, limit)
            if count:
                parts.append(batch.slice(0, count))
            if count < batch.num_rows:
                self._kept = batch.slice(count)
                break
        if not parts:
            return None
        return parts[0] if len(parts) == 1 else joined(parts)

    def rest(self) -> Iterator[pa.RecordBatch]:
        """What was never asked for."""
        if self._kept is not None:
            yield self._kept
        yield from self._source


def count_up_to(columns: list[Numbers], limit: tuple[int, ...]) -> int:
    """How many of the sorted rows come up to the limit, inclusive."""
    before = np.zeros(len(columns[0]), bool)
    equal = ~before
    for column, bound in zip(columns, limit, strict=True):
        before |= equal & (column < bound)
        equal &= column == bound
    return int((before | equal).sum())

class Lookup:
    """Rows found by a pair of numbers; of several the first, unless `all_of` is asked."""

    def __init__(self, one: Numbers, two: Numbers) -> None:
        self._texts = np.unique(two)
        self._keys = self._key(one, two)
        self.order = np.argsort(self._keys, kind="stable")
        self._sorted = self._keys[self.order]

    def _key(self, one: Numbers, two: Numbers) -> Numbers:
        place = np.searchsorted(self._texts, two)
        place[place == len(self._texts)] = 0
        known = self._texts[place] == two if len(self._texts) else np.zeros(len(two), bool)
        return np.where(known, one * (len(self._texts) + 1) + place, NONE - 1)

    def first(self, one: Numbers, two: Numbers) -> Numbers:
        """Row, NONE where there is none."""
        left, count = self.all_of(one, two)
        found = np.full(len(one), NONE, np.int64)
        has = count > 0
        found[has] = self.order[left[has]]
        return found

    def all_of(self, one: Numbers, two: Numbers) -> tuple[Numbers, Numbers]:
        """(place of the first in `order`, number of rows)."""
        if not len(self._sorted):
            return np.zeros(len(one), np.int64), np.zeros(len(one), np.int64)
        key = self._key(one, two)
        left = np.searchsorted(self._sorted, key)
        return left, np.searchsorted(self._sorted, key, side="right") - left


def pair_codes(columns: list[tuple[Numbers, Numbers]]) -> tuple[Numbers, Numbers]:
    """One number for each row of two tables from several columns, the same for equal rows and in their order.

    >>> one, two = np.array([1, 1, 2]), np.array([2])
    >>> [code.tolist() for code in pair_codes([(one, two), (np.array([5, 9, 5]), np.array([5]))])]
    [[0, 1, 2], [2]]
    """
    code: Numbers | None = None
    split = len(columns[0][0])
    for one, two in columns:
        _, place = np.unique(np.concatenate([one, two]), return_inverse=True)
        place = place.reshape(-1)
        code = place if code is None else code * (int(place.max(initial=0)) + 1) + place
        _, code = np.unique(code, return_inverse=True)
        code = code.reshape(-1)
    assert code is not None
    return code[:split], code[split:]


def expanded(count: Numbers) -> tuple[Numbers, Numbers]:
    """(row, number within the row) for rows that are repeated `count` times.

    >>> [column.tolist() for column in expanded(np.array([2, 0, 1]))]
    [[0, 0, 2], [0, 1, 0]]
    """
    row = np.repeat(np.arange(len(count)), count)
    first = np.cumsum(count) - count
    return row, np.arange(len(row)) - first[row]


class Dictionary:
    """Number to number, from rows that come in any order; the last of a key counts."""

    def __init__(self) -> None:
        self._keys: list[Numbers] = []
        self._values: list[Numbers] = []
        self._sorted: tuple[Numbers, Numbers] | None = None

    def add(self, keys: Numbers, values: Numbers) -> None:
        """Take pairs."""
        self._keys.append(np.asarray(keys))
        self._values.append(np.asarray(values))
        self._sorted = None

    def find(self, keys: Numbers) -> Numbers:
        """Values, NONE for what is not there."""
        known, values = self._table()
        if not len(known):
            return np.full(len(keys), NONE, np.int64)
        place = np.searchsorted(known, keys, side="right") - 1
        found = (place >= 0) & (known[place] == keys)
        return np.where(found, values[place], NONE)

    def _table(self) -> tuple[Numbers, Numbers]:
        if self._sorted is None:
            empty = np.empty(0, np.int64)
            keys, values = np.concatenate([empty, *self._keys]), np.concatenate([empty, *self._values])
            order = np.argsort(keys, kind="stable")
            self._sorted = keys[order], values[order]
        return self._sorted
