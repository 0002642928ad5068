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
    waiting: dict[int, list[int]] = field(default_factory=dict)  # number -> allocations made before its enqueue had ended


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
                    op = state.at_enqueue[key] = state.on_thread.get(tid)
                    for waiting in state.waiting.pop(key, ()):
                        if (found := _named(op, framework)) != NONE:
                            yield waiting, found
                elif kind == _DEQUEUE:
                    before = state.dequeue.get((pid, tid))
                    if before is not None:
                        state.at_enqueue.pop(before[0], None)
                    state.dequeue[pid, tid] = (key, end)
                else:
                    key, end = state.dequeue.get((pid, tid), (NONE, NONE))
                    if pid in pids and tid in tids and time < end:
                        if key in state.at_enqueue:
                            found = _named(state.at_enqueue[key], framework)
                        else:
                            state.waiting.setdefault(key, []).append(row)
                            continue
                    else:
                        found = _running(state.on_thread.get(tid), time)
                    if found != NONE:
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
