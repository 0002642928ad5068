"""Rows put in order however many there are: runs that fit into memory are sorted and spilled to disk, then merged.

Works on whole columns (numpy), so that a row costs no Python; written without native code on purpose, as one small
interface that a native sorter may replace.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import TracebackType

import numpy as np
import numpy.typing as npt
import pyarrow as pa

Numbers = npt.NDArray[np.int64]

ALL_BYTES = 48 << 20  # of rows that wait in memory, those of all sorters of a folder together
CHUNK_ROWS = 8192  # of a batch handed over, and of what is read of each run at a time


class SpillFolder:
    """A temporary folder for runs, removed at the end of the `with` block; and the memory that its sorters share: when
    they hold more than `limit` bytes, the one that holds most spills."""

    def __init__(self, limit: int = ALL_BYTES) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._files = 0
        self._limit = limit
        self._held: dict[SortedRows, int] = {}
        self._total = 0

    def __enter__(self) -> SpillFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def new_file(self) -> Path:
        """A name for a new file."""
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="npuwh-")
        self._files += 1
        return Path(self._folder.name) / f"{self._files}.arrow"

    def hold(self, rows: SortedRows, size: int) -> None:
        """Note how many bytes a sorter holds now."""
        self._total += size - self._held.get(rows, 0)
        self._held[rows] = size
        while self._total > self._limit:
            largest = max(self._held, key=lambda each: self._held[each])
            largest.spill()

    def forget(self, rows: SortedRows) -> None:
        """Forget a sorter that holds nothing more."""
        self._total -= self._held.pop(rows, 0)

    def close(self) -> None:
        """Remove the folder."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


class SortedRows:
    """Batches in, the same rows in order out, equal keys in the order they came in.

    `keys` are int64 columns without nulls, a leading `-` sorts that one downwards.  `batches()` may be read again and
    again; nothing may be added after its first use.

    >>> rows = SortedRows(["time"], SpillFolder())
    >>> rows.add(pa.record_batch({"time": [5, 3], "name": [1, 2]}))
    >>> [batch.to_pydict() for batch in rows.batches()]
    [{'time': [3, 5], 'name': [2, 1]}]
    """

    def __init__(self, keys: Sequence[str], folder: SpillFolder) -> None:
        self._keys = [(key.lstrip("-"), key.startswith("-")) for key in keys]
        self._folder = folder
        self._pending: list[pa.RecordBatch] = []
        self._pending_bytes = 0
        self._files: list[Path] = []
        self._last: pa.Table | None = None
        self.rows = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Take rows; all batches have one schema."""
        if not batch.num_rows:
            return
        self.rows += batch.num_rows
        self._pending.append(batch)
        self._pending_bytes += batch.nbytes
        self._folder.hold(self, self._pending_bytes)

    def batches(self) -> Iterator[pa.RecordBatch]:
        """All rows in order, in batches of bounded length."""
        if self._pending:
            self._last = self._sorted_run()
        runs = [_Run(_read(path), self._keys) for path in self._files]
        if self._last is not None:
            runs.append(_Run(iter(self._last.to_batches(max_chunksize=CHUNK_ROWS)), self._keys))
        if len(runs) == 1:
            run = runs[0]
            while run.batch is not None:
                yield run.batch
                run.advance(run.batch.num_rows)
        else:
            yield from _merged(runs)

    def spill(self) -> None:
        """Move what is held in memory to disk."""
        if self._pending:
            self._last = self._sorted_run()
        if self._last is not None:
            path = self._folder.new_file()
            with pa.OSFile(str(path), "wb") as file, pa.ipc.new_stream(file, self._last.schema) as writer:
                writer.write_table(self._last, max_chunksize=CHUNK_ROWS)
            self._files.append(path)
            self._last = None
        self._folder.forget(self)

    def _sorted_run(self) -> pa.Table:
        table = pa.Table.from_batches(self._pending).combine_chunks()
        self._pending, self._pending_bytes = [], 0
        batch = table.to_batches()[0]
        columns = _key_columns(batch, self._keys)
        if _is_sorted(columns):
            return table
        return table.take(pa.array(np.lexsort(columns[::-1])))


def _read(path: Path) -> Iterator[pa.RecordBatch]:
    with pa.OSFile(str(path), "rb") as file, pa.ipc.open_stream(file) as reader:
        yield from reader


def _key_columns(batch: pa.RecordBatch, keys: Sequence[tuple[str, bool]]) -> list[Numbers]:
    columns = [batch.column(name).to_numpy() for name, _ in keys]
    return [-column if falls else column for column, (_, falls) in zip(columns, keys, strict=True)]


def _is_sorted(columns: list[Numbers]) -> bool:
    """Whether rows are in order already, as most files nearly are."""
    later = np.zeros(max(len(columns[0]) - 1, 0), bool)
    equal = ~later
    for column in columns:
        if (equal & (column[1:] < column[:-1])).any():
            return False
        equal &= column[1:] == column[:-1]
    return True


class _Run:
    """One sorted run, a batch of it at hand."""

    def __init__(self, source: Iterator[pa.RecordBatch], keys: Sequence[tuple[str, bool]]) -> None:
        self._source = source
        self._keys = keys
        self.batch: pa.RecordBatch | None = None
        self.columns: list[Numbers] = []
        self.advance(0)

    def advance(self, count: int) -> None:
        """Let go of the first rows; with none left the next batch is read."""
        if self.batch is not None and count < self.batch.num_rows:
            self.batch = self.batch.slice(count)
            self.columns = [column[count:] for column in self.columns]
            return
        self.batch = next(self._source, None)
        self.columns = [] if self.batch is None else _key_columns(self.batch, self._keys)

    def last(self) -> tuple[int, ...]:
        return tuple(int(column[-1]) for column in self.columns)

    def count_up_to(self, limit: tuple[int, ...], inclusive: bool) -> int:
        """How many rows come before the limit, or up to it."""
        before = np.zeros(len(self.columns[0]), bool)
        equal = ~before
        for column, bound in zip(self.columns, limit, strict=True):
            before |= equal & (column < bound)
            equal &= column == bound
        return int((before | equal).sum() if inclusive else before.sum())


def _merged(runs: list[_Run]) -> Iterator[pa.RecordBatch]:
    """What all runs hold up to the smallest last key at hand is complete.

    The run that has this last key may go on with equal ones, and those of later runs come after them: so of later runs
    only what comes before the limit is taken.
    """
    keys = runs[0]._keys if runs else []
    while open_runs := [run for run in runs if run.batch is not None]:
        if len(open_runs) == 1:
            assert open_runs[0].batch is not None
            yield open_runs[0].batch
            open_runs[0].advance(open_runs[0].batch.num_rows)
            continue
        first = min(range(len(open_runs)), key=lambda place: (open_runs[place].last(), place))
        limit = open_runs[first].last()
        parts = []
        for place, run in enumerate(open_runs):
            count = run.count_up_to(limit, inclusive=place <= first)
            if count:
                assert run.batch is not None
                parts.append(run.batch.slice(0, count))
                run.advance(count)
        batch = pa.Table.from_batches(parts).combine_chunks().to_batches()[0]
        columns = _key_columns(batch, keys)
        yield batch if len(parts) == 1 else batch.take(pa.array(np.lexsort(columns[::-1])))


def cut_at(batches: Iterator[pa.RecordBatch], keys: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """The same rows, with rows of equal keys never in two batches; memory holds at least the largest group."""
    kept: pa.RecordBatch | None = None
    for batch in batches:
        whole = batch if kept is None else pa.Table.from_batches([kept, batch]).combine_chunks().to_batches()[0]
        columns = [whole.column(name).to_numpy() for name in keys]
        same = np.ones(whole.num_rows, bool)
        for column in columns:
            same &= column == column[-1]
        count = whole.num_rows - int(same[::-1].argmin()) if not same.all() else 0
        if count:
            yield whole.slice(0, count)
        kept = whole.slice(count)
    if kept is not None and kept.num_rows:
        yield kept
