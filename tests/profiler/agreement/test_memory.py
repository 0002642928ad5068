"""Allocations: the same sizes in the same order as torch.profiler sees in a run of the same work, and a curve that is
the sum of its deltas."""

from __future__ import annotations

from collections.abc import Callable
from itertools import accumulate
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="there is no torch whose profiler could be compared", exc_type=ImportError)

from tests.profiler.agreement.models import MODELS  # noqa: E402 needs torch
from tests.profiler.agreement.observed import WINDOW, tables, texts_of  # noqa: E402
from warehouse.profiler import ProfilerActivity, profile  # noqa: E402

pytestmark = pytest.mark.usefixtures("no_collections")


def _recorded(work: Callable[[], Any]) -> list[tuple[int, int]]:
    """(delta, total after it) of the window, in order."""
    ours = profile(activities=[ProfilerActivity.CPU], profile_memory=True)
    ours.start()
    with torch.profiler.record_function(WINDOW):
        work()
    ours.stop()
    assert ours.path is not None
    rows = tables(ours.path)
    text = texts_of(rows)
    (window,) = (op for op in rows["op"] if text[op["name"]] == WINDOW)
    return [
        (row["size_bytes"], row["allocated_bytes"])
        for row in rows["memory"]
        if window["start_ticks"] <= row["time_ticks"] <= window["end_ticks"]
    ]


def _kineto(work: Callable[[], Any]) -> list[int]:
    theirs = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], profile_memory=True)
    theirs.start()
    with torch.profiler.record_function(WINDOW):
        work()
    theirs.stop()
    events = theirs.profiler.kineto_results.events()
    (window,) = (event for event in events if event.name() == WINDOW)
    found = [
        event
        for event in events
        if event.name() == "[memory]" and window.start_ns() <= event.start_ns() <= window.end_ns()
    ]
    return [event.nbytes() for event in sorted(found, key=lambda event: event.start_ns())]


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_same_allocations(model: Callable[[], Callable[[], Any]]) -> None:
    torch.manual_seed(7)
    work = model()
    work()
    _recorded(work)  # torch tells of a free only where it told of the allocation
    mine, expected = _recorded(work), _kineto(work)
    assert len(expected) >= 2
    assert [delta for delta, _ in mine] == expected
    # the curve: totals after each event, from where it stood before the first
    base = mine[0][1] - mine[0][0]
    assert [total - base for _, total in mine] == list(accumulate(expected))
