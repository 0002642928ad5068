"""Blocks of memory and ranges of the task queue: the native sweeps against their plain definitions."""

from __future__ import annotations

from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse._native import BlockSweep, MarkSweep

MALLOC, FREE, BLOCK_FREE = range(3)
FIELDS = (
    "time", "row", "pid", "address", "action", "tid", "device", "size", "stream", "allocated", "reserved", "active",
)  # fmt: skip
Record = dict[str, int]


def column(*values: int) -> array[int]:
    return array("q", values)


def blocks(records: list[Record]) -> list[Record]:
    """By the order of their mallocs: framework-files.md 5.11, step 2."""
    found = []
    for place, malloc in enumerate(records):
        if malloc["action"] != MALLOC:
            continue
        after = [each for each in records[place + 1 :] if all(each[key] == malloc[key] for key in ("pid", "address"))]
        first = after[0] if after and after[0]["action"] != MALLOC else None
        second = after[1] if first and len(after) > 1 else None
        if second and second["action"] in (MALLOC, first and first["action"]):
            second = None
        by_action = {each["action"]: each for each in (first, second) if each}
        free, block_free = by_action.get(FREE), by_action.get(BLOCK_FREE)
        last = free or block_free
        block = {name: malloc[name] for name in FIELDS if name != "action"}
        block |= {"free": free["time"] if free else -1, "block_free": block_free["time"] if block_free else -1}
        block |= {f"end_{name}": last[name] if last else -1 for name in ("allocated", "reserved", "active")}
        found.append(block)
    return found


RECORDS = st.lists(
    st.tuples(st.integers(0, 2), st.integers(1, 2), st.integers(0, 3), st.integers(0, 3), st.integers(0, 99)),
    max_size=40,
)


@given(RECORDS, st.integers(1, 50))
def test_blocks_are_as_defined_in_pieces_of_any_size(steps: list[tuple[int, ...]], size: int) -> None:
    records: list[Record] = []
    time = 0
    for row, (later, pid, address, action, value) in enumerate(steps):
        time += later
        record = dict.fromkeys(FIELDS, value) | {"time": time, "row": row, "pid": pid, "address": address}
        records.append(record | {"action": action})
    sweep = BlockSweep()
    parts = [
        sweep.feed({name: column(*(each[name] for each in records[first : first + size])) for name in FIELDS})
        for first in range(0, len(records), size)
    ]
    found = [
        dict(zip(part, values, strict=True))
        for part in (*parts, sweep.finish())
        for values in zip(*(each.tolist() for each in part.values()), strict=True)
    ]
    assert sorted(found, key=lambda block: block["row"]) == blocks(records)
    assert len(sweep.finish()["time"]) == 0


MARKS = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 1), st.integers(1, 2), st.integers(0, 2), st.integers(0, 3)),
    max_size=50,
)


@given(MARKS, st.integers(1, 60))
def test_ranges_are_as_defined_in_pieces_of_any_size(steps: list[tuple[int, ...]], size: int) -> None:
    marks, time = [], 0
    for row, (half, is_end, tid, name, later) in enumerate(steps):
        time += later
        marks.append((half, is_end, tid, 7, name, time, 100 + row, row))
    expected = []
    for mark in marks:
        half, is_end, tid, pid, name, end, key, row = mark
        before = [each for each in marks[:row] if (each[0], each[2], each[4]) == (half, tid, name)]
        if is_end and before and not before[-1][1]:
            expected.append((half, tid, pid, name, before[-1][5], end, key, row))
    sweep, found = MarkSweep(), []
    for first in range(0, len(marks), size):
        part = sweep.feed(*(column(*values) for values in zip(*marks[first : first + size], strict=True)))
        columns = (part.half, part.tid, part.pid, part.name, part.start, part.end, part.key, part.row)
        found += list(zip(*(each.tolist() for each in columns), strict=True))
    assert found == expected


def test_bad_rows_are_named() -> None:
    with pytest.raises(ValueError, match="row 1 comes before"):
        MarkSweep().feed(*(column(0, 0) for _ in range(5)), column(2, 1), column(0, 0), column(0, 0))
    with pytest.raises(ValueError, match="there is no column row"):
        BlockSweep().feed({"time": column(1)})
    with pytest.raises(ValueError, match="column size has 2 rows"):
        BlockSweep().feed({name: column(1, 2) if name == "size" else column(1) for name in FIELDS})
