"""Names of allocations: the native sweep against its plain definition."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse._native import AllocationSweep

OP, ENQUEUE, DEQUEUE, ALLOCATION = range(4)
SKIPPED, FRAMEWORK = {0}, {1, 2}
Moment = tuple[int, int, int, int, int, int, int, int]  # time, kind, row, end, name, pid, tid, key


@dataclass
class Op:
    start: int
    end: int
    name: int
    parent: Op | None


@dataclass
class Definition:
    """The search as framework-files.md 5.11 tells it, over all that was seen so far."""

    last: Op | None = None
    on_thread: dict[int, Op] = field(default_factory=dict)
    at_enqueue: dict[int, Op | None] = field(default_factory=dict)
    dequeue: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)
    waiting: dict[int, list[int]] = field(default_factory=dict)
    names: dict[int, int] = field(default_factory=dict)

    def see(self, moment: Moment) -> None:
        time, kind, row, end, name, pid, tid, key = moment
        if kind == OP:
            parent = self.last
            while parent is not None and time > parent.end:
                parent = parent.parent
            self.last = Op(time, end, name, parent)
            if name not in SKIPPED:
                self.on_thread[tid] = self.last
        elif kind == ENQUEUE and key >= 0:
            self.at_enqueue[key] = self.on_thread.get(tid)
            for each in self.waiting.pop(key, []):
                self.name(each, self.framework(self.at_enqueue[key]))
        elif kind == DEQUEUE:
            if (pid, tid) in self.dequeue:
                self.at_enqueue.pop(self.dequeue[pid, tid][0], None)
            self.dequeue[pid, tid] = key, end
        elif kind == ALLOCATION:
            number, until = self.dequeue.get((pid, tid), (-1, time))
            if time >= until:
                op = self.on_thread.get(tid)
                while op is not None and op.end < time:
                    op = op.parent
                self.name(row, op)
            elif number in self.at_enqueue:
                self.name(row, self.framework(self.at_enqueue[number]))
            elif number >= 0:
                self.waiting.setdefault(number, []).append(row)

    def name(self, row: int, op: Op | None) -> None:
        if op is not None:
            self.names[row] = op.name

    @staticmethod
    def framework(op: Op | None) -> Op | None:
        while op is not None and op.name not in FRAMEWORK:
            op = op.parent
        return op


MOMENTS = st.lists(
    st.tuples(
        st.integers(0, 60), st.integers(0, 3), st.just(0), st.integers(0, 30), st.integers(0, 4), st.integers(1, 2),
        st.integers(1, 3), st.integers(-1, 4),
    ),
    max_size=60,
)  # fmt: skip


def column(*values: int) -> array[int]:
    return array("q", values)


@given(MOMENTS, st.integers(1, 70))
def test_as_defined_in_pieces_of_any_size(moments: list[Moment], size: int) -> None:
    ordered = [
        (time, kind, row, time + length, *rest)
        for row, (time, kind, _, length, *rest) in enumerate(sorted(moments, key=lambda moment: moment[0]))
    ]
    definition = Definition()
    for moment in ordered:
        definition.see(moment)  # type: ignore[arg-type]
    sweep = AllocationSweep(column(*SKIPPED), column(*FRAMEWORK))
    names: dict[int, int] = {}
    for first in range(0, len(ordered), size):
        found = sweep.feed(*(column(*values) for values in zip(*ordered[first : first + size], strict=True)))
        names |= dict(zip(found.row.tolist(), found.name.tolist(), strict=True))
    assert names == definition.names


@pytest.mark.parametrize(
    ("time", "kind", "message"),
    [((5, 4), (0, 0), "row 1 comes before"), ((5, 5), (0, 4), "row 1 has kind 4"), ((5,), (0, 0), "has 2 rows")],
)
def test_bad_rows_are_named(time: tuple[int, ...], kind: tuple[int, ...], message: str) -> None:
    sweep = AllocationSweep(column(), column())
    with pytest.raises(ValueError, match=message):
        sweep.feed(column(*time), column(*kind), *(column(*(1,) * len(time)) for _ in range(6)))
