"""The calls around operators: the native sweep against its plain definition."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse._native import StackSweep

CALL, RETURN, C_CALL, C_RETURN, MODULE, OP = range(6)
Row = tuple[int, int, int, int]


def column(*values: int) -> array[int]:
    return array("q", values)


def around(rows: list[Row]) -> list[tuple[int, tuple[int, ...], tuple[int, ...]]]:
    """(row, calls innermost first, modules outermost first) of each operator."""
    found = []
    for place, (thread, event, _, row) in enumerate(rows):
        if event != OP:
            continue
        open_: list[tuple[int, int]] = []
        for other, kind, code, _ in rows[:place]:
            if other != thread or kind == OP:
                continue
            if kind in (CALL, C_CALL, MODULE):
                open_.append((kind, code))
            elif open_:
                open_.pop()
        calls = tuple(code for kind, code in reversed(open_) if kind == CALL)
        found.append((row, calls, tuple(code for kind, code in open_ if kind == MODULE)))
    return found


EVENTS = st.lists(st.tuples(st.integers(1, 2), st.integers(CALL, OP), st.integers(0, 3)), max_size=60)


@given(EVENTS, st.integers(1, 70))
def test_stacks_are_as_defined_in_pieces_of_any_size(events: list[tuple[int, int, int]], size: int) -> None:
    rows = [(*event, row) for row, event in enumerate(events)]
    sweep = StackSweep()
    met: list[tuple[int, int, int]] = []
    stacks: dict[int, dict[int, int]] = {-1: {}}
    modules: dict[int, dict[int, int]] = {-1: {}}
    for first in range(0, len(rows), size):
        found = sweep.feed(*(column(*values) for values in zip(*rows[first : first + size], strict=True)))
        met += zip(found.row.tolist(), found.stack.tolist(), found.module.tolist(), strict=True)
        for known, levels in ((stacks, sweep.take_stacks()), (modules, sweep.take_modules())):
            for stack, depth, code in zip(
                levels.stack.tolist(), levels.depth.tolist(), levels.code.tolist(), strict=True
            ):
                assert depth not in known.setdefault(stack, {})  # told once
                known[stack][depth] = code

    def levels_of(levels: dict[int, int]) -> tuple[int, ...]:
        return tuple(levels[depth] for depth in range(len(levels)))

    assert [(row, levels_of(stacks[one]), levels_of(modules[two])) for row, one, two in met] == around(rows)
    for known in (stacks, modules):
        assert len({levels_of(levels) for levels in known.values()}) == len(known)  # equal ones alike


def test_bad_rows_are_named() -> None:
    with pytest.raises(ValueError, match="row 1 has an event that is none"):
        StackSweep().feed(column(1, 1), column(0, 6), column(0, 0), column(0, 0))
    with pytest.raises(ValueError, match="column code has 1 rows"):
        StackSweep().feed(column(1, 1), column(0, 1), column(0), column(0, 0))
