"""Rows put in order however many there are: the native sorter and the memory that several of them share."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import IO, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from warehouse import _native
from warehouse.errors import WriteError

Numbers = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Columns: TypeAlias = dict[str, Numbers]
Column: TypeAlias = Numbers | npt.NDArray[Any] | pa.Array | int | float | None

MEMORY_BYTES = 64 << 20
_ROW_BYTES = 4096  # that a row costs while its batch is worked on, in all columns at once
_FEWEST_ROWS, _MOST_ROWS = 1024, 16384


class SpillFolder:
    """Where rows go that do not fit into memory, and how much memory their readers have.  Closed at the end of the
    `with` block.

    Of `memory_bytes` the rows that wait in sorters get three eighths: when they hold more, the sorter that holds most
    spills, into a file without a name, which is gone whenever the process ends.  `batch_rows`: of a batch that is
    worked on; what it takes with all that is made of it stays below the rest.
    """

    def __init__(self, memory_bytes: int = MEMORY_BYTES, batch_rows: int | None = None) -> None:
        self.native = _native.SpillFolder(os.fsencode(tempfile.gettempdir()), memory_bytes * 3 // 8)
        self.batch_rows = batch_rows or min(max(memory_bytes // _ROW_BYTES, _FEWEST_ROWS), _MOST_ROWS)
        self.text_bytes = memory_bytes // 16  # of texts that wait in memory
        self._files: list[IO[bytes]] = []

    def __enter__(self) -> SpillFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def new_file(self) -> IO[bytes]:
        """A new file without a name."""
        self._files.append(tempfile.TemporaryFile())  # noqa: SIM115 - closed with the folder
        return self._files[-1]

    def close(self) -> None:
        """Give the files back."""
        while self._files:
            self._files.pop().close()


class SortedRows:
    """Batches of 64-bit numbers in, the same rows in order out, equal keys in the order they came in.

    `keys` are int64 columns without nulls, a leading `-` sorts that one downwards.  `schema`: of batches of records,
    else the first rows tell the columns.  Rows may be read again and again; nothing may be added after they are read
    first.  WriteError if rows have to go to disk and cannot.

    >>> rows = SortedRows(["time"], SpillFolder())
    >>> rows.add_columns(2, time=np.array([5, 3]), name=7)
    >>> [{name: column.tolist() for name, column in columns.items()} for columns in rows.columns()]
    [{'time': [3, 5], 'name': [7, 7]}]
    """

    def __init__(self, keys: Sequence[str], folder: SpillFolder, schema: pa.Schema | None = None) -> None:
        order = [(key.lstrip("-"), key.startswith("-")) for key in keys]
        self._batch_rows = folder.batch_rows
        self.native = _native.RowSorter(order, folder.native, schema)

    @property
    def rows(self) -> int:
        """How many were added."""
        return self.native.rows

    def add(self, batch: pa.RecordBatch) -> None:
        """Take the rows of a record batch; all batches have one schema."""
        if batch.num_rows:
            with _in_temporary_files():
                self.native.add(batch)

    def add_columns(
        self, count: int, where: Mask | None = None, sparse: tuple[str, ...] = (), /, **columns: Column
    ) -> None:
        """Take rows, or those of them where the mask is true: an array a column, or one value for all rows.

        Of the columns of a schema those not named are null; in `sparse` ones NONE is a null.
        """
        if count:
            with _in_temporary_files():
                self.native.add_columns(count, columns, where, sparse)  # type: ignore[arg-type]  # arrays are buffers

    def batches(self, columns: Sequence[str] = (), together: Sequence[str] = ()) -> Iterator[pa.RecordBatch]:
        """All rows in order, in batches of bounded length; only some columns if they are named.

        `together`: the first of the keys; rows in which they are equal come in one batch, however many they are.
        """
        reader = self._reader(columns, together)
        while True:
            with _in_temporary_files():
                batch = reader.next(self._batch_rows)
            if batch is None:
                return
            yield pa.record_batch(batch)

    def columns(self, columns: Sequence[str] = (), together: Sequence[str] = ()) -> Iterator[Columns]:
        """As `batches`, arrays by their names, NONE for a null."""
        reader = self._reader(columns, together)
        names = reader.names
        while True:
            with _in_temporary_files():
                block = reader.next_columns(self._batch_rows)
            if block is None:
                return
            yield dict(zip(names, np.asarray(block), strict=True))

    def between(self, columns: Sequence[str] = ()) -> Between:
        """A reader of the rows of one range of keys after the other."""
        return Between(self._reader(columns, ()))

    def _reader(self, columns: Sequence[str], together: Sequence[str]) -> _native.SortedReader:
        with _in_temporary_files():
            return self.native.read(list(columns), list(together))


class Between:
    """Reads the rows of one range of keys after the other; ranges ascend."""

    def __init__(self, reader: _native.SortedReader) -> None:
        self._reader = reader
        self._names = reader.names

    def rows(self, first: Sequence[int], last: Sequence[int]) -> Columns | None:
        """The rows whose first keys are from `first` to `last`; what lies before them is skipped."""
        with _in_temporary_files():
            block = self._reader.columns_between(first, last)
        return None if block is None else dict(zip(self._names, np.asarray(block), strict=True))


@contextmanager
def _in_temporary_files() -> Iterator[None]:
    """A full disk is told as what it is."""
    try:
        yield
    except OSError as error:
        place = tempfile.gettempdir()
        message = f"{place}: no room for temporary files ({error.strerror}); set TMPDIR to a larger disk"
        raise WriteError(message) from error
