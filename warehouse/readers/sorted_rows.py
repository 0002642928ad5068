"""Rows put in order however many there are: the native sorter and the memory that several of them share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

import pyarrow as pa

from warehouse import _native
from warehouse.errors import WriteError

MEMORY_BYTES = 24 << 20  # of rows that wait in memory, those of all sorters of a folder together
BATCH_ROWS = 8192  # of a batch handed over


class SpillFolder:
    """Where rows go that do not fit into memory, and how much memory the sorters share: when they hold more than
    `memory_bytes`, the one that holds most spills.  Closed at the end of the `with` block.

    Sorters spill into files without a name, which are gone whenever the process ends.
    """

    def __init__(self, memory_bytes: int = MEMORY_BYTES) -> None:
        self.native = _native.SpillFolder(os.fsencode(tempfile.gettempdir()), memory_bytes)
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._files = 0

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

    def close(self) -> None:
        """Remove the folder."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


class SortedRows:
    """Batches of 64-bit numbers in, the same rows in order out, equal keys in the order they came in.

    `keys` are int64 columns without nulls, a leading `-` sorts that one downwards.  `batches()` may be read again and
    again; nothing may be added after its first use.  WriteError if rows have to go to disk and cannot.

    >>> rows = SortedRows(["time"], SpillFolder())
    >>> rows.add(pa.record_batch({"time": [5, 3], "name": [1, 2]}))
    >>> [batch.to_pydict() for batch in rows.batches()]
    [{'time': [3, 5], 'name': [2, 1]}]
    """

    def __init__(self, keys: Sequence[str], folder: SpillFolder) -> None:
        order = [(key.lstrip("-"), key.startswith("-")) for key in keys]
        self._native = _native.RowSorter(order, folder.native)

    @property
    def rows(self) -> int:
        """How many were added."""
        return self._native.rows

    def add(self, batch: pa.RecordBatch) -> None:
        """Take rows; all batches have one schema."""
        if batch.num_rows:
            with _in_temporary_files():
                self._native.add(batch)

    def batches(self, columns: Sequence[str] = (), together: Sequence[str] = ()) -> Iterator[pa.RecordBatch]:
        """All rows in order, in batches of bounded length; only some columns if they are named.

        `together`: the first of the keys; rows in which they are equal come in one batch, however many they are.
        """
        with _in_temporary_files():
            reader = self._native.read(list(columns), list(together))
        while True:
            with _in_temporary_files():
                batch = reader.next(BATCH_ROWS)
            if batch is None:
                return
            yield pa.record_batch(batch)


@contextmanager
def _in_temporary_files() -> Iterator[None]:
    """A full disk is told as what it is."""
    try:
        yield
    except OSError as error:
        place = tempfile.gettempdir()
        message = f"{place}: no room for temporary files ({error.strerror}); set TMPDIR to a larger disk"
        raise WriteError(message) from error
