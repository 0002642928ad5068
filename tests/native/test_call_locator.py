"""What records lie in: the native locator against its plain definition."""

from __future__ import annotations

from array import array

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse._native import CallLocator, RowSorter, SpillFolder

LEVELS = {20000: "acl", 15000: "model", 10000: "node", 5500: "comm"}
LINKS = (
    "acl", "model", "node", "outer", "comm", "parent", "model_item", "node_item", "outer_item", "comm_item",
    "node_type", "outer_type", "comm_type",
)  # fmt: skip
Call = tuple[int, int, int, int, int, int]  # start, end, thread, level, item, type


def column(*values: int) -> array[int]:
    return array("q", values)


def sorter(calls: list[Call]) -> RowSorter:
    made = RowSorter([("start", False), ("level", True), ("end", True), ("row", False)], SpillFolder(b"/tmp", 1000))
    names = ("start", "end", "thread", "level", "item", "type")
    columns = {name: np.array([call[place] for call in calls], dtype=np.int64) for place, name in enumerate(names)}
    made.add_columns(len(calls), {**columns, "row": np.arange(len(calls))})
    return made


def tree(calls: list[Call]) -> list[tuple[int, Call]]:
    """Numbers and calls of the tree, in order of time: cann-files.md 6.1."""
    ordered = sorted(calls, key=lambda call: (call[0], -call[3], -call[1]))
    found: list[tuple[int, Call]] = []
    for number, call in enumerate(ordered):
        start, end, thread, level, *_ = call
        before = [each for _, each in found if each[2:4] == (thread, level)]
        overlaps = level != 10000 and any(start < each[1] for each in before)
        if level in LEVELS and end > start and not overlaps:
            found.append((number, call))
    return found


def links(calls: list[tuple[int, Call]], time: int, thread: int) -> dict[str, int]:
    """The innermost of nodes and of all, and what the calls handle."""
    result = dict.fromkeys(LINKS, -1)
    for number, (start, end, on, level, item, type_) in calls:
        if on == thread and start < time <= end:
            name = LEVELS[level]
            values = {"parent": number, name: number, f"{name}_item": item, f"{name}_type": type_}
            if name == "node" and result["outer"] == -1:
                values |= {"outer": number, "outer_item": item, "outer_type": type_}
            result |= {key: value for key, value in values.items() if key in result}
    return result


CALLS = st.lists(
    st.tuples(
        st.integers(0, 40), st.integers(0, 20), st.integers(1, 2), st.sampled_from([*LEVELS, 5000]), st.integers(0, 9),
        st.integers(0, 9),
    ).map(lambda call: (call[0], call[0] + call[1], *call[2:])),
    max_size=30,
)  # fmt: skip


@given(CALLS, st.lists(st.tuples(st.integers(0, 60), st.integers(1, 2)), max_size=40), st.integers(1, 50))
def test_as_defined_in_pieces_of_any_size(calls: list[Call], points: list[tuple[int, int]], size: int) -> None:
    points.sort()
    locator = CallLocator(sorter(calls))
    known = tree(calls)
    for first in range(0, len(points), size):
        time, thread = (column(*values) for values in zip(*points[first : first + size], strict=True))
        found = np.asarray(locator.locate(time, thread, LINKS))
        for place, point in enumerate(points[first : first + size]):
            expected = links(known, *point)
            assert dict(zip(LINKS, found[:, place].tolist(), strict=True)) == expected


def test_bad_points_are_named() -> None:
    locator = CallLocator(sorter([(1, 2, 1, 20000, 0, 0)]))
    with pytest.raises(ValueError, match="there is no link up"):
        locator.locate(column(1), column(1), ["up"])
    with pytest.raises(ValueError, match="row 1 comes before"):
        locator.locate(column(2, 1), column(1, 1), ["acl"])
    with pytest.raises(ValueError, match="has 2 rows"):
        locator.locate(column(2), column(1, 1), ["acl"])
    assert np.asarray(locator.locate(column(2), column(1), ["acl", "node"])).tolist() == [[0], [-1]]
