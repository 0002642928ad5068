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
# name of a module's call: a zero byte, its class, this, its address
_MODULE_BEGIN, _MODULE = b"\0", b"######"
_REPLACEMENT = "\ufffd".encode()
_MOST_AHEAD = 1024  # numbers come one after the other; a damaged one must not cost memory


class RecordedTexts:
    """Numbers of a recording's texts -> ours; 0 is the empty text, and has none.

    `unknown` and `lost` are numbers of texts of our own, behind all of the recording's.
    """

    def __init__(self, batches: Iterable[pa.RecordBatch], strings: RawStrings, ledger: Ledger) -> None:
        modules: dict[int, str] = {}
        numbers, owns = [np.zeros(1, np.int64)], [np.full(1, NONE)]
        broken = 0
        for batch in batches:
            number = batch.column(0).to_numpy().astype(np.int64)
            texts = batch.column(1).to_pylist()
            is_module = np.array([text.startswith(_MODULE_BEGIN) and _MODULE in text for text in texts], bool)
            for place in np.flatnonzero(is_module).tolist():
                modules.setdefault(int(number[place]), texts[place][1:].decode(errors="replace"))
            others = [text.replace(b"\0", _REPLACEMENT) for text in np.array(texts, object)[~is_module]]
            own, repaired = strings.many(others)
            numbers.append(number[~is_module])
            owns.append(own)
            broken += repaired
        known, own, repeated = _first(np.concatenate(numbers), np.concatenate(owns))
        most = 4 * (len(known) + len(modules)) + _MOST_AHEAD
        far = int((known >= most).sum()) + sum(number >= most for number in modules)
        named = _named_modules({number: text for number, text in modules.items() if number < most}, strings)
        known, own = known[known < most], own[known < most]
        for count, what in (
            (broken, "texts that are no UTF-8 were repaired"),
            (repeated, "texts have the number of another one; they were left out"),
            (far, "texts have numbers that no recorder gives; they were left out"),
        ):
            if count:
                ledger.note(WARNING, "bad-text", what, count=count)
        self._own = np.full(max(int(known.max()), *named, 0) + 3, NONE, np.int64)
        self._own[list(named)] = list(named.values())
        self._own[known] = own
        self.unknown, self.lost = len(self._own) - 2, len(self._own) - 1
        self._own[self.unknown], self._own[self.lost] = strings.own(_UNKNOWN), strings.own(_LOST_CALL)
        self.modules = np.array([number for number in named if self._own[number] == named[number]], np.int64)

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


def _first(numbers: Numbers, owns: Numbers) -> tuple[Numbers, Numbers, int]:
    """Numbers in their order with what the first of each is, and how many others there were."""
    known, first = np.unique(numbers, return_index=True)
    return known, owns[first], len(numbers) - len(known)


def _named_modules(modules: dict[int, str], strings: RawStrings) -> dict[int, int]:
    """`nn.Module: Class_n`, n counting the addresses of a class in the order in which they were met."""
    seen: dict[str, int] = {}
    named = {}
    for number in sorted(modules):
        name = modules[number].partition(_MODULE.decode())[0].replace("\0", "\ufffd")
        named[number] = strings.own(f"nn.Module: {name}_{seen.get(name, 0)}")
        seen[name] = seen.get(name, 0) + 1
    return named
