"""From a reader's string numbers to ids of `string`, and what a text tells by its form."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from warehouse.ingest.link import NONE, Numbers
from warehouse.readers.reader import ProfileReader
from warehouse.store import Loader

_MISSING_TEXTS = ("N/A",)
ENDS_IN_AIV_KERNEL, ENDS_IN_AICPU_KERNEL, IS_RECEIVE = 1, 2, 4


class StringMap:
    """The strings of one source.  16 bytes a string are held, their texts are not.

    Numbers that the source gives no text for become NONE and are counted in `unresolved`.
    """

    def __init__(self, loader: Loader, reader: ProfileReader) -> None:
        self._loader = loader
        self._reader = reader
        numbers, ids, forms = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0, np.int8)]
        for batch in reader.strings():
            texts = batch.column("value").to_pylist()
            numbers.append(batch.column("id").to_numpy())
            ids.append(np.array(loader.intern(texts), dtype=np.int64))
            forms.append(np.array([_form(text) for text in texts], dtype=np.int8))
        self._places = _Places(np.concatenate(numbers))
        self._ids = np.append(np.concatenate(ids), NONE)  # the last: of a number without text
        self._forms = np.append(np.concatenate(forms), np.int8(0))
        self._words: Numbers = np.empty(0, np.int64)
        self._missing = np.array([id_ for id_ in loader.intern(_MISSING_TEXTS) if id_ is not None])
        self._blank = int(self.text_ids("")[0])
        self.unresolved = 0

    def ids(self, column: pa.Array) -> Numbers:
        """Ids of `string`, NONE for null and for numbers without text."""
        number = filled(column)
        result: Numbers = self._ids[self._places.of(number)]
        if number.min(initial=NONE) < NONE:
            words = self._word_ids()
            own = (number < NONE) & (number >= -1 - len(words))  # words of the reader's own count down from -2
            result[own] = words[-2 - number[own]]
        self.unresolved += int(np.count_nonzero(number != NONE) - np.count_nonzero(result != NONE))
        return result

    def required(self, column: pa.Array) -> Numbers:
        """As `ids`, for columns that cannot be empty: the id of "" where there is no text."""
        result = self.ids(column)
        result[result == NONE] = self._blank
        return result

    def ids_unless_missing(self, column: pa.Array) -> Numbers:
        """As `ids`, with texts that mean "missing" (N/A) as NONE too."""
        result = self.ids(column)
        result[np.isin(result, self._missing)] = NONE
        return result

    def forms(self, column: pa.Array) -> npt.NDArray[np.int8]:
        """Bits ENDS_IN_AIV_KERNEL, ENDS_IN_AICPU_KERNEL, IS_RECEIVE of each text."""
        return self._forms[self._places.of(filled(column))]

    def text_ids(self, *texts: str) -> Numbers:
        """Ids of given texts, for comparing columns with them."""
        return np.array(self._loader.intern(texts), dtype=np.int64)

    def _word_ids(self) -> Numbers:
        words = self._reader.words()
        if words.num_rows != len(self._words):  # opening a stream may have added some
            self._words = np.array(self._loader.intern(words.column("value").to_pylist()), dtype=np.int64)
        return self._words


class _Places:
    """Where ascending numbers stand; -1 for others.  Numbers without large gaps, the usual case, are looked up at once.

    >>> places = _Places(np.array([3, 5]))
    >>> places.of(np.array([5, 4, 3, -1])).tolist()
    [1, -1, 0, -1]
    """

    def __init__(self, numbers: Numbers) -> None:
        self._numbers = numbers
        self._table: Numbers | None = None
        if len(numbers) and int(numbers[-1]) - int(numbers[0]) < 2 * len(numbers):
            self._first = int(numbers[0]) - 1
            self._table = np.full(int(numbers[-1]) - self._first + 2, -1, np.int64)  # both ends stand for others
            self._table[numbers - self._first] = np.arange(len(numbers))

    def of(self, number: Numbers) -> Numbers:
        if self._table is not None:
            return self._table.take(number - self._first, mode="clip")
        if not len(self._numbers):
            return np.full(len(number), -1, np.int64)
        place = np.searchsorted(self._numbers, number)
        place[place == len(self._numbers)] = 0
        return np.where(self._numbers[place] == number, place, -1)


def filled(column: pa.Array) -> Numbers:
    """An int64 column as an array, NONE where it is null.

    >>> filled(pa.array([3, None])).tolist()
    [3, -1]
    """
    return pc.fill_null(column, NONE).to_numpy() if column.null_count else column.to_numpy()  # type: ignore[no-any-return]


def nullable(numbers: Numbers) -> pa.Array:
    """The reverse: a column with null where the array holds NONE.

    >>> nullable(np.array([3, -1])).to_pylist()
    [3, None]
    """
    empty = numbers == NONE
    return pa.array(numbers, mask=empty) if empty.any() else pa.array(numbers)


def _form(text: str) -> int:
    return (
        ENDS_IN_AIV_KERNEL * text.endswith("AivKernel")
        + ENDS_IN_AICPU_KERNEL * text.endswith("AicpuKernel")
        + IS_RECEIVE * text.startswith("hcom_receive")
    )
