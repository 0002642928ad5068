"""Texts of a recording by their numbers there, as numbers of ours."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from warehouse.readers.issues import WARNING, Ledger
from warehouse.readers.raw_rows import NONE, Numbers
from warehouse.readers.raw_strings import RawStrings

_LOST_CALL = "<lost>"  # name of calls of which only the depth of others tells
_UNKNOWN = "<unknown>"  # and of those whose name is not there
_MODULE = "######"  # between class and address in the name of a module's call, which begins with a zero byte
_MOST_AHEAD = 1024  # numbers come one after the other; a damaged one must not cost memory


class RecordedTexts:
    """Numbers of a recording's texts -> ours; 0 is the empty text, and has none.

    `unknown` and `lost` are numbers of texts of our own, behind all of the recording's.
    """

    def __init__(self, batches: Iterable[pa.RecordBatch], strings: RawStrings, ledger: Ledger) -> None:
        numbers: dict[int, int] = {0: NONE}
        modules: dict[int, str] = {}
        broken = repeated = 0
        for batch in batches:
            for number, text in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                if number in numbers or number in modules:
                    repeated += 1
                    continue
                try:
                    readable = text.decode()
                except UnicodeDecodeError:
                    readable = text.decode(errors="replace")
                    broken += 1
                if readable.startswith("\0") and _MODULE in readable:
                    modules[number] = readable
                else:
                    numbers[number] = strings.own(readable.replace("\0", "\ufffd"))
        numbers |= _named_modules(modules, strings)
        most = 4 * len(numbers) + _MOST_AHEAD
        far = [number for number in numbers if number >= most]
        for number in far:
            del numbers[number]
        for count, code, what in (
            (broken, "bad-text", "texts that are no UTF-8 were repaired"),
            (repeated, "bad-text", "texts have the number of another one; they were left out"),
            (len(far), "bad-text", "texts have numbers that no recorder gives; they were left out"),
        ):
            if count:
                ledger.note(WARNING, code, what, count=count)
        self._own = np.full(max(numbers) + 3, NONE, np.int64)
        self._own[list(numbers)] = list(numbers.values())
        self.unknown, self.lost = len(self._own) - 2, len(self._own) - 1
        self._own[self.unknown], self._own[self.lost] = strings.own(_UNKNOWN), strings.own(_LOST_CALL)
        self.modules = np.array([number for number in modules if number < most], np.int64)

    def of(self, number: Numbers) -> Numbers:
        """Ours, NONE for the empty text and for what the recording does not have."""
        return np.where(number < self.unknown, self._own[np.minimum(number, self.unknown)], NONE)

    def named(self, number: Numbers) -> Numbers:
        """The numbers of names; `unknown` instead of what the recording does not have."""
        is_known = (number < self.unknown) & (self._own[np.minimum(number, self.unknown)] != NONE)
        return np.where(is_known | (number == self.lost), number, self.unknown)

    def own(self, number: Numbers) -> Numbers:
        """Ours of numbers that `named` gave."""
        return self._own[number]

    def all(self) -> tuple[Numbers, Numbers]:
        """Numbers that have a text, and ours."""
        known = np.flatnonzero(self._own != NONE)
        return known, self._own[known]


def _named_modules(modules: dict[int, str], strings: RawStrings) -> dict[int, int]:
    """`nn.Module: Class_n`, n counting the addresses of a class in the order in which they were met."""
    seen: dict[str, int] = {}
    named = {}
    for number in sorted(modules):
        name = modules[number][1:].partition(_MODULE)[0].replace("\0", "\ufffd")
        named[number] = strings.own(f"nn.Module: {name}_{seen.get(name, 0)}")
        seen[name] = seen.get(name, 0) + 1
    return named
