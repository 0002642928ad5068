"""Places in TorchScript that operators of a recording were called from."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa

from warehouse.readers.raw_rows import NONE, Numbers, or_null, rows
from warehouse.readers.raw_strings import RawStrings


class ScriptStacks:
    """Stacks of texts like `model.py(3): forward;model.py(9): <forward op>`, innermost first.

    They are numbered from `first` on; `texts_of` gives the texts of some numbers of the recording.

    >>> from warehouse.readers.sorted_rows import SpillFolder
    >>> stacks = ScriptStacks(7, lambda numbers: {5: "a.py(1): f;b.py(2): g"}, RawStrings(SpillFolder()))
    >>> found, frames = stacks.of(np.array([0, 5]))
    >>> found.to_pylist(), frames.column("depth").to_pylist()
    ([None, 7], [0, 1])
    >>> stacks.of(np.array([5]))[1] is None
    True
    """

    def __init__(self, first: int, texts_of: Callable[[set[int]], dict[int, str]], strings: RawStrings) -> None:
        self._first = first
        self._texts_of = texts_of
        self._strings = strings
        self._known: dict[int, int] = {}

    def of(self, number: Numbers) -> tuple[pa.Array, pa.RecordBatch | None]:
        """Stack of each text number (0 has none), and the `stack_frame` rows of those that are new."""
        distinct, place = np.unique(number, return_inverse=True)
        new = {each for each in distinct.tolist() if each and each not in self._known}
        frames: list[tuple[int, int, int]] = []
        for each, text in self._texts_of(new).items() if new else ():
            stack = self._known[each] = self._first + len(self._known)
            names = enumerate(text.replace("\0", "\ufffd").split(";"))
            frames += [(stack, depth, self._strings.own(name)) for depth, name in names]
        found = np.array([self._known.get(each, NONE) for each in distinct.tolist()], np.int64)
        columns = np.array(frames, np.int64).reshape(-1, 3).T
        batch = rows(len(frames), stack=columns[0], depth=columns[1], frame=columns[2]) if frames else None
        return or_null(found[place.reshape(-1)]), batch
