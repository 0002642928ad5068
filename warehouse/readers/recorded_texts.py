"""Texts of a recording by their numbers there, as numbers of ours."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from warehouse.readers.raw_rows import NONE, Numbers
from warehouse.readers.raw_strings import RawStrings

_LOST_CALL = "<lost>"  # name of calls of which only the depth of others tells
_MODULE = "######"  # between class and address in the name of a module's call
_MOST_AHEAD = 1024  # numbers come one after the other; a damaged one must not cost memory


class RecordedTexts:
    """`numbers[n]` is ours of text n, NONE of one that is not there; the last is that of calls that were lost.

    `modules` are the numbers of the names of modules' calls; `broken` texts are no UTF-8 and were repaired.
    """

    def __init__(self, batches: Iterable[pa.RecordBatch], strings: RawStrings) -> None:
        self.broken = 0
        self.modules: list[int] = []
        numbers: dict[int, int] = {0: NONE}
        modules: dict[int, str] = {}
        for batch in batches:
            for number, text in zip(batch.column(0).to_pylist(), batch.column(1).to_pylist(), strict=True):
                readable = self._readable(text)
                if _MODULE in readable:
                    modules[number] = readable
                else:
                    numbers[number] = strings.own(readable.replace("\0", "\ufffd"))
        numbers |= self._named(modules, strings)
        if max(numbers) > 4 * len(numbers) + _MOST_AHEAD:
            numbers = {number: own for number, own in numbers.items() if number < 4 * len(numbers) + _MOST_AHEAD}
        self.numbers: Numbers = np.full(max(numbers) + 2, NONE, np.int64)
        self.numbers[list(numbers)] = list(numbers.values())
        self.numbers[-1] = strings.own(_LOST_CALL)

    def _readable(self, text: bytes) -> str:
        try:
            return text.decode()
        except UnicodeDecodeError:
            self.broken += 1
            return text.decode(errors="replace")

    def _named(self, modules: dict[int, str], strings: RawStrings) -> dict[int, int]:
        """`nn.Module: Class_n`, n counting the addresses of a class in the order in which they were met."""
        seen: dict[str, int] = {}
        named = {}
        for number in sorted(modules):
            name = modules[number].partition(_MODULE)[0]
            named[number] = strings.own(f"nn.Module: {name}_{seen.get(name, 0)}")
            seen[name] = seen.get(name, 0) + 1
        self.modules = list(named)
        return named
