"""The texts of a raw profile as numbers: those of the decoders, and those that the reader puts together itself."""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterator
from typing import IO

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from warehouse import _native
from warehouse.batches.records import batch
from warehouse.readers.sorted_rows import SpillFolder

Numbers = npt.NDArray[np.int64]
QUOTED = 1 << 38  # texts of decoders have a second number that much higher, under which they stand in quotes
LISTS = 1 << 39  # and a third one, under which they are lists: a line ends after each item
OWN = 1 << 40  # the reader's own texts are numbered from here
_SPILL_BYTES = 32 << 20


class RawStrings:
    """Numbers for texts; `table` is what decoders put theirs into.

    What a text is told by its form is noted when it comes by, so that texts themselves need not stay in memory: `watch`
    names a form before anything is decoded, `having` gives the numbers of the texts that have it.
    """

    def __init__(self, folder: SpillFolder) -> None:
        self.table = _native.StringTable()
        self._folder = folder
        self._own: dict[str, int] = {}
        self._pending: list[pa.RecordBatch] = []
        self._pending_bytes = 0
        self._files: list[IO[bytes]] = []
        self._watched: list[tuple[str, Callable[[str], bool]]] = []
        self._found: dict[str, dict[int, str]] = {}
        self._used = {form: np.zeros(0, bool) for form in (QUOTED, LISTS)}
        self._empty = -1  # number of the empty text

    def watch(self, form: str, has_form: Callable[[str], bool]) -> None:
        """Note the texts for which `has_form` is true under the name `form`."""
        self._watched.append((form, has_form))
        self._found[form] = {}

    def having(self, form: str) -> dict[int, str]:
        """Number and text of what has the form."""
        return self._found[form]

    def has_form(self, form: str, column: Numbers) -> npt.NDArray[np.bool_]:
        """Whether each number's text has the form."""
        return np.isin(column, np.fromiter(self._found[form], np.int64, len(self._found[form])))

    def own(self, text: str) -> int:
        """Number of a text of the reader's own."""
        number = self._own.get(text)
        if number is None:
            number = self._own[text] = OWN + len(self._own)
            self._note(number, text)
        return number

    def many(self, texts: list[bytes]) -> tuple[Numbers, int]:
        """Numbers of texts as they come, and how many of them are no UTF-8; their texts do not stay in memory."""
        found = self.table.intern(texts)
        self.take()
        return found

    def lists(self, number: Numbers) -> Numbers:
        """Numbers of the same texts written as the vendor writes lists: `;` becomes `;`, CR, LF; NONE for an empty
        one."""
        return self._in_form(LISTS, number)

    def quoted(self, number: Numbers) -> Numbers:
        """Numbers of the same texts in quotes; NONE for an empty one."""
        return self._in_form(QUOTED, number)

    def _in_form(self, form: int, number: Numbers) -> Numbers:
        if not len(number):
            return number
        own = number >= OWN
        if own.any():
            return self._own_in_form(form, number, own)
        self._used[form] = _grown(self._used[form], int(number.max()) + 1)
        self._used[form][number[number >= 0]] = True
        return np.where((number < 0) | (number == self._empty), -1, number + form)

    def _own_in_form(self, form: int, number: Numbers, own: npt.NDArray[np.bool_]) -> Numbers:
        """Texts of the reader's own, a column of them alone, are written anew: they are few."""
        assert bool((own | (number < 0)).all())
        texts = {each: text for text, each in self._own.items()}
        distinct, place = np.unique(number, return_inverse=True)
        written = [
            self.own(_written(form, pa.array([texts[each]]))[0].as_py()) if each >= OWN else each
            for each in distinct.tolist()
        ]
        return np.array(written, np.int64)[place.reshape(-1)]

    def take(self) -> None:
        """Collect what decoders have added; to be called after each of their batches."""
        while (native := self.table.take()) is not None:
            rows = pa.record_batch(native)
            for number, text in zip(rows.column(0).to_pylist(), rows.column(1).to_pylist(), strict=True):
                self._note(number, text)
            self._pending.append(rows)
            self._pending_bytes += rows.nbytes
        if self._pending_bytes > _SPILL_BYTES:
            file = self._folder.new_file()
            with pa.ipc.new_stream(file, self._pending[0].schema) as writer:
                for rows in self._pending:
                    writer.write_batch(rows)
            file.flush()
            self._files.append(file)
            self._pending, self._pending_bytes = [], 0

    def _note(self, number: int, text: str) -> None:
        if not text and number < OWN:
            self._empty = number
        for form, has_form in self._watched:
            if has_form(text):
                self._found[form][number] = text

    def batches(self) -> Iterator[pa.RecordBatch]:
        """`string` batches by ascending number, but for the last: the reader's own are in the order of the texts, since
        they are numbered as it comes across them, which depends on the size of its batches."""
        self.take()
        for rows in self._native():
            yield batch("string", [rows.column(0), rows.column(1)])
        for form in self._used:
            for rows in self._native():
                number = rows.column(0).to_numpy()
                used = _grown(self._used[form], int(number[-1]) + 1)
                chosen = rows.filter(pa.array(used[number]))
                if chosen.num_rows:
                    yield batch("string", [pc.add(chosen.column(0), form), _written(form, chosen.column(1))])
        if self._own:
            texts = sorted(self._own)
            yield batch("string", [[self._own[text] for text in texts], texts])

    def _native(self) -> Iterator[pa.RecordBatch]:
        for file in self._files:
            # mapped: who reads in the middle of another's reading moves no place in the file
            content = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            yield from pa.ipc.open_stream(pa.py_buffer(content))
        yield from self._pending

    def texts_of(self, numbers: set[int]) -> dict[int, str]:
        """Texts of a few numbers."""
        found = {number: text for text, number in self._own.items() if number in numbers}
        wanted = pa.array(sorted(numbers), pa.int64())
        for rows in self.batches():
            chosen = rows.filter(pc.is_in(rows.column(0), value_set=wanted))
            found.update(zip(chosen.column(0).to_pylist(), chosen.column(1).to_pylist(), strict=True))
        return found


def _grown(flags: npt.NDArray[np.bool_], size: int) -> npt.NDArray[np.bool_]:
    return (
        flags if len(flags) >= size else np.concatenate([flags, np.zeros(max(size, 2 * len(flags)) - len(flags), bool)])
    )


def _written(form: int, texts: pa.Array) -> pa.Array:
    if form == LISTS:
        return pc.replace_substring(texts, ";", ";\r\n")
    return pc.binary_join_element_wise('"', texts, '"', "")
