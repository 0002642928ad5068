"""Names of allocations: the native sweep against its plain definition."""

from __future__ import annotations

from array import array
from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse._native import AllocationSweep, RowSorter, SpillFolder

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


def sorter(keys: list[str], names: list[str], rows: list[tuple[int, ...]]) -> RowSorter:
    made = RowSorter([(key, False) for key in keys], SpillFolder(b"/tmp", 1000))
    columns = {name: column(*(row[place] for row in rows)) for place, name in enumerate(names)}
    made.add_columns(len(rows), columns)
    return made


@given(MOMENTS, st.integers(1, 70))
def test_as_defined_in_pieces_of_any_size(moments: list[Moment], size: int) -> None:
    ordered = [
        (time, kind, row, time + length, *rest)
        for row, (time, kind, _, length, *rest) in enumerate(sorted(moments, key=lambda moment: moment[:2]))
    ]
    definition = Definition()
    for moment in ordered:
        definition.see(moment)  # type: ignore[arg-type]
    ops = [(time, end, name, tid, row) for time, kind, row, end, name, _, tid, _ in ordered if kind == OP]
    queue = [
        (time, kind, end, pid, tid, key, row)
        for time, kind, row, end, _, pid, tid, key in ordered
        if kind in (ENQUEUE, DEQUEUE)
    ]
    sweep = AllocationSweep(
        sorter(["start", "row"], ["start", "end", "name", "tid", "row"], ops),
        sorter(["time", "kind", "row"], ["time", "kind", "end", "pid", "tid", "key", "row"], queue),
        column(*SKIPPED),
        column(*FRAMEWORK),
    )
    allocations = [(time, row, pid, tid) for time, kind, row, _, _, pid, tid, _ in ordered if kind == ALLOCATION]
    found = [
        sweep.feed(*(column(*values) for values in zip(*allocations[first : first + size], strict=True)))
        for first in range(0, len(allocations), size)
    ]
    names: dict[int, int] = {}
    for part in (*found, sweep.finish()):
        names |= dict(zip(part.row.tolist(), part.name.tolist(), strict=True))
    assert names == definition.names


@pytest.mark.parametrize(
    ("time", "row", "message"), [((5, 4), (0, 0), "row 1 comes before"), ((5,), (0, 0), "has 2 rows")]
)
def test_bad_rows_are_named(time: tuple[int, ...], row: tuple[int, ...], message: str) -> None:
    nothing = [RowSorter([(key, False)], SpillFolder(b"/tmp", 1000)) for key in ("start", "time")]
    sweep = AllocationSweep(*nothing, column(), column())
    with pytest.raises(ValueError, match=message):
        sweep.feed(column(*time), column(*row), *(column(*(1,) * len(time)) for _ in range(2)))
