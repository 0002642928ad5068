"""After which operator an allocation is called (framework-files.md 5.11, step 3; 5.2 for the tree).

The tree of operators is the vendor's: one over all threads, an operator being a child of the innermost one that has not
ended when it starts.  Only the chain of operators that are still of use is held.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from warehouse.readers.raw_rows import NONE, numbers
from warehouse.readers.raw_strings import RawStrings

_NO_STARTING_POINT = ("empty_tensor", "malloc_workspace")
_PREFIXES = ("aten", "npu")
_OP, _ENQUEUE, _DEQUEUE, _ALLOCATION = range(4)


@dataclass
class _Op:
    end: int
    name: int
    parent: _Op | None


@dataclass
class _State:
    last: _Op | None = None
    on_thread: dict[int, _Op] = field(default_factory=dict)
    at_enqueue: dict[int, _Op | None] = field(default_factory=dict)  # number -> operator at the end of its enqueue
    dequeue: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)  # thread -> number, end
    # number -> allocations made before its enqueue had ended
    waiting: dict[int, list[int]] = field(default_factory=dict)

    def begin_dequeue(self, thread: tuple[int, int], number: int, end: int) -> None:
        if thread in self.dequeue:
            self.at_enqueue.pop(self.dequeue[thread][0], None)
        self.dequeue[thread] = number, end

    def is_in_dequeue(self, thread: tuple[int, int], time: int) -> bool:
        return thread in self.dequeue and time < self.dequeue[thread][1]


class AllocationNames:
    """Finds names in one pass over moments sorted by time."""

    def __init__(self, strings: RawStrings) -> None:
        strings.watch("starting-point", lambda text: text in _NO_STARTING_POINT)
        strings.watch("framework-op", lambda text: text.startswith(_PREFIXES))
        self._strings = strings

    def find(
        self, moments: Iterator[pa.RecordBatch], dequeue_threads: set[tuple[int, int]]
    ) -> Iterator[tuple[int, int]]:
        """(row of the allocation, string number) for those that have a name."""
        skipped = self._strings.having("starting-point")
        framework = self._strings.having("framework-op")
        pids, tids = {pid for pid, _ in dequeue_threads}, {tid for _, tid in dequeue_threads}
        state = _State()
        for batch in moments:
            columns = numbers(batch, "time", "kind", "row", "end", "name", "pid", "tid", "key")
            for time, kind, row, end, name, pid, tid, key in zip(*(each.tolist() for each in columns), strict=True):
                if kind == _OP:
                    _open(state, time, end, name, tid, name in skipped)
                elif kind == _ENQUEUE:
                    state.at_enqueue[key] = state.on_thread.get(tid)
                    found = _named(state.at_enqueue[key], framework)
                    yield from ((waiting, found) for waiting in state.waiting.pop(key, ()) if found != NONE)
                elif kind == _DEQUEUE:
                    state.begin_dequeue((pid, tid), key, end)
                elif pid in pids and tid in tids and state.is_in_dequeue((pid, tid), time):
                    number = state.dequeue[pid, tid][0]
                    if number not in state.at_enqueue:
                        state.waiting.setdefault(number, []).append(row)
                    elif (found := _named(state.at_enqueue[number], framework)) != NONE:
                        yield row, found
                elif (found := _running(state.on_thread.get(tid), time)) != NONE:
                    yield row, found


def _open(state: _State, start: int, end: int, name: int, tid: int, is_skipped: bool) -> None:
    parent = state.last
    while parent is not None and start > parent.end:
        parent = parent.parent
    state.last = _Op(end, name, parent)
    if not is_skipped:
        state.on_thread[tid] = state.last


def _named(op: _Op | None, framework: dict[int, str]) -> int:
    """The innermost operator of the framework's own libraries."""
    while op is not None and op.name not in framework:
        op = op.parent
    return NONE if op is None else op.name


def _running(op: _Op | None, time: int) -> int:
    """The innermost operator that has not ended."""
    while op is not None and op.end < time:
        op = op.parent
    return NONE if op is None else op.name
