"""Dictionaries of a PROF directory: texts of hashes, names of types (cann-files.md 3)."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from warehouse.readers.raw_rows import NONE, Dictionary, Numbers, numbers
from warehouse.readers.raw_run import RawRun

_U64 = 1 << 64
_LEVEL_BITS = 32  # a type's key is level and type in one


class Names:
    """String numbers of hashes and types.  What the dictionaries do not know is shown as its number, as the vendor
    does."""

    def __init__(self, run: RawRun) -> None:
        self._run = run
        self._hashes = Dictionary()
        self._types = Dictionary()
        self._unknown: dict[int, int] = {}
        self._type_texts: dict[int, str] = {}

    def load(self) -> None:
        """Decode both dictionaries."""
        for _, _, batch in self._run.host_stream("additional.hash_dic"):
            self._hashes.add(*numbers(batch, "hash", "value"))
        found = []
        for _, _, batch in self._run.host_stream("additional.type_info_dic"):
            level, type_, name = numbers(batch, "level", "type", "name")
            self._types.add((level << _LEVEL_BITS) | type_, name)
            found.append(name)
        if found:
            self._type_texts = self._run.strings.texts_of(set(np.concatenate(found).tolist()))

    def of_hashes(self, hashes: Numbers) -> Numbers:
        """String numbers, NONE for 0."""
        found = self._hashes.find(hashes)
        unknown = (found == NONE) & (hashes != 0)
        if unknown.any():
            found[unknown] = self.of_numbers(hashes[unknown])
        return np.where(hashes == 0, NONE, found)

    def of_types(self, level: Numbers | int, types: Numbers) -> Numbers:
        """String numbers of the names of types."""
        found = self._types.find((np.asarray(level) << _LEVEL_BITS) | types)
        unknown = found == NONE
        if unknown.any():
            found[unknown] = self.of_numbers(types[unknown])
        return found

    def of_numbers(self, values: Numbers) -> Numbers:
        """String numbers of numbers shown as such."""
        distinct, place = np.unique(values, return_inverse=True)
        for value in distinct.tolist():
            if value not in self._unknown:
                self._unknown[value] = self._run.strings.own(str(value % _U64))
        return np.array([self._unknown[value] for value in distinct.tolist()], dtype=np.int64)[place.reshape(-1)]

    def types_named(self, name_numbers: Numbers, names: tuple[str, ...]) -> npt.NDArray[np.bool_]:
        """Whether each number is that of a type with one of the names."""
        wanted = [number for number, text in self._type_texts.items() if text in names]
        return np.isin(name_numbers, wanted)

    def types_beginning(self, name_numbers: Numbers, prefix: str) -> npt.NDArray[np.bool_]:
        """Whether each number is that of a type whose name begins so."""
        wanted = [number for number, text in self._type_texts.items() if text.startswith(prefix)]
        return np.isin(name_numbers, wanted)
