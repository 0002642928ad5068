"""What Python calls and modules each operator of a recording lies in: found once, from the frames of its thread."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.readers.raw_rows import NONE, Numbers, or_null, rows
from warehouse.readers.raw_strings import RawStrings
from warehouse.readers.sorted_rows import Between, Mask, SortedRows, SpillFolder

_MODULE_CALL, _OP = 4, 5  # beside the tracer's 0 call, 1 return, 2 C call, 3 C return
_FIELDS = ("thread", "event", "code", "row")


class OpStacks:
    """Stack and modules by row of the operator.  Everything is `add`ed first; then `frames` tells the calls of each
    stack, and `of` the operators' in the order of their rows.

    >>> stacks = OpStacks(SpillFolder())
    >>> zero = np.array([0])
    >>> stacks.add_frames(zero, np.array([10]), zero, code=np.array([7]), is_module=np.array([False]))
    >>> stacks.add_ops(zero, np.array([11]))
    >>> stacks.find(RawStrings(SpillFolder()), lambda code: code + 100)
    >>> [batch.to_pylist() for batch in stacks.frames()], stacks.of(0, 1)[0].tolist()
    ([[{'stack': 0, 'depth': 0, 'frame': 107}]], [0])
    """

    def __init__(self, spill: SpillFolder) -> None:
        self._events = SortedRows(["thread", "time", "place"], spill)
        self._found = SortedRows(["row"], spill)
        self._frames = SortedRows([], spill)
        self._modules: dict[int, int] = {}
        self._ops = 0
        self.count = 0  # of stacks; they are numbered from 0
        self._next: Between | None = None

    def add_frames(self, thread: Numbers, time: Numbers, event: Numbers, code: Numbers, is_module: Mask) -> None:
        """Calls and returns, of each thread in their order."""
        self._events.add_columns(
            len(time), thread=thread, time=time, place=self._events.rows + np.arange(len(time)),
            event=np.where(is_module & (event == 0), _MODULE_CALL, event), code=code, row=NONE,
        )  # fmt: skip

    def add_ops(self, thread: Numbers, start: Numbers) -> None:
        """Operators in the order of their rows; one that starts with a call lies in it."""
        count = len(start)
        self._events.add_columns(
            count, thread=thread, time=start, place=(1 << 62) + np.arange(count), event=_OP, code=NONE,
            row=self._ops + np.arange(count),
        )  # fmt: skip
        self._ops += count

    def find(self, strings: RawStrings, text_of: Callable[[Numbers], Numbers]) -> None:
        """Find the stacks; `text_of` gives the text number of codes."""
        sweep = _native.StackSweep()
        for columns in self._events.columns(_FIELDS):
            found = sweep.feed(*(columns[name] for name in _FIELDS))
            row, stack, module = (np.asarray(each) for each in (found.row, found.stack, found.module))
            self._name_modules(sweep.take_modules(), strings, text_of)
            named = np.array([self._modules.get(each, NONE) for each in module.tolist()], np.int64)
            self._found.add_columns(len(row), row=row, stack=stack, module=named)
            levels = sweep.take_stacks()
            code, stack = np.asarray(levels.code), np.asarray(levels.stack)
            self.count = max(self.count, int(stack.max(initial=-1)) + 1)
            self._frames.add_columns(len(code), stack=stack, depth=np.asarray(levels.depth), frame=text_of(code))
        self._next = self._found.between()

    def frames(self) -> Iterator[pa.RecordBatch]:
        """stack, depth, frame (a text number): depth 0 is the innermost call."""
        for columns in self._frames.columns():
            yield rows(len(columns["stack"]), **columns)

    def of(self, first: int, last: int) -> tuple[pa.Array, pa.Array]:
        """Stack and text of the modules of the rows [first, last); ranges ascend."""
        assert self._next is not None
        found = self._next.rows([first], [last - 1])
        assert found is not None
        return or_null(found["stack"]), or_null(found["module"])

    def _name_modules(
        self, levels: _native.StackLevels, strings: RawStrings, text_of: Callable[[Numbers], Numbers]
    ) -> None:
        stack, code = np.asarray(levels.stack), np.asarray(levels.code)
        if not len(stack):
            return
        number = text_of(code)
        texts = strings.texts_of(set(number.tolist()))
        paths: dict[int, list[str]] = {}
        for each, text in zip(stack.tolist(), number.tolist(), strict=True):
            paths.setdefault(each, []).append(texts.get(text, "").removeprefix("nn.Module: "))
        for each, names in paths.items():
            self._modules[each] = strings.own(";".join(names))
