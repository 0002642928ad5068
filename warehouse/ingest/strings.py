"""From a reader's string numbers to ids of `string`, and what a text tells by its form."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from warehouse import _native
from warehouse.ingest.link import NONE, Numbers
from warehouse.readers.reader import ProfileReader
from warehouse.store import Loader

_MISSING = "N/A"
ENDS_IN_AIV_KERNEL, ENDS_IN_AICPU_KERNEL, IS_RECEIVE, HAS_NAMESPACE, IS_MODULE = 1, 2, 4, 8, 16


class StringMap:
    """The strings of one source.  16 bytes a string are held, their texts are not.

    Numbers that the source gives no text for become NONE and are counted in `unresolved`.
    """

    def __init__(self, loader: Loader, reader: ProfileReader) -> None:
        self._loader = loader
        self._reader = reader
        self._known = _native.StringNumbers()
        for batch in reader.strings():
            texts = batch.column("value").to_pylist()
            ids = np.array(loader.intern(texts), dtype=np.int64)
            forms = np.array([_form(text) for text in texts], dtype=np.int64)
            number = batch.column("id").to_numpy()
            order = np.argsort(number, kind="stable")
            self._known.add(number[order], ids[order], forms[order])
        self._words = 0
        self._missing, self._blank = self.text_ids(_MISSING, "").tolist()
        self.unresolved = 0

    def ids(self, column: pa.Array) -> Numbers:
        """Ids of `string`, NONE for null and for numbers without text."""
        return self._look_up(column, NONE, NONE)

    def required(self, column: pa.Array) -> Numbers:
        """As `ids`, for columns that cannot be empty: the id of "" where there is no text."""
        return self._look_up(column, self._blank, NONE)

    def ids_unless_missing(self, column: pa.Array) -> Numbers:
        """As `ids`, with texts that mean "missing" (N/A) as NONE too."""
        return self._look_up(column, NONE, self._missing)

    def forms(self, column: pa.Array) -> Numbers:
        """Bits ENDS_IN_AIV_KERNEL, ENDS_IN_AICPU_KERNEL, IS_RECEIVE, HAS_NAMESPACE, IS_MODULE of each text."""
        return np.asarray(self._known.forms(column))

    def text_ids(self, *texts: str) -> Numbers:
        """Ids of given texts, for comparing columns with them."""
        return np.array(self._loader.intern(texts), dtype=np.int64)

    def _look_up(self, column: pa.Array, instead: int, dropped: int) -> Numbers:
        found, lost, unknown_words = self._known.ids(column, instead, dropped)
        if unknown_words and self._learn_words():
            found, lost, _ = self._known.ids(column, instead, dropped)
        self.unresolved += lost
        return np.asarray(found)

    def _learn_words(self) -> bool:
        """Words of the reader's own count down from -2; opening a stream may have added some."""
        words = self._reader.words()
        if words.num_rows == self._words:
            return False
        self._words = words.num_rows
        self._known.set_words(np.array(self._loader.intern(words.column("value").to_pylist()), dtype=np.int64))
        return True


def filled(column: pa.Array) -> Numbers:
    """An int64 column as an array, NONE where it is null.

    >>> filled(pa.array([3, None])).tolist()
    [3, -1]
    """
    return np.asarray(_native.filled(column)) if column.null_count else column.to_numpy()


def nullable(numbers: Numbers) -> _native.Nullable:
    """The reverse: a column of a table with NULL where the array holds NONE.

    >>> nullable(np.array([3, -1])).tolist()
    [3, None]
    """
    return _native.Nullable(np.ascontiguousarray(numbers))


def is_one_of(numbers: Numbers, few: Numbers) -> npt.NDArray[np.bool_]:
    """Which of the numbers are among a few.

    >>> is_one_of(np.array([3, 5, 7]), np.array([7, 3])).tolist()
    [True, False, True]
    """
    found = np.zeros(len(numbers), bool)
    for each in few.tolist():
        found |= numbers == each
    return found


def _form(text: str) -> int:
    return (
        ENDS_IN_AIV_KERNEL * text.endswith("AivKernel")
        + ENDS_IN_AICPU_KERNEL * text.endswith("AicpuKernel")
        + IS_RECEIVE * text.startswith("hcom_receive")
        + HAS_NAMESPACE * ("::" in text)
        + IS_MODULE * text.startswith("nn.Module: ")
    )
