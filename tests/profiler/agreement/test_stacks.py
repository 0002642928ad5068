"""Stacks of operators: as torch.profiler tells them with `_ExperimentalConfig(verbose=True)`.

Of scripts only the forward pass can be compared: torch.profiler gives a backward node the stack of the script operator
after it, since it keeps these stacks in a list of their own to which backward nodes add nothing.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="there is no torch whose profiler could be compared", exc_type=ImportError)

from tests.profiler.agreement.frames import Call, plain, recorded_calls  # noqa: E402 needs torch
from tests.profiler.agreement.models import autocast, inference, own_function, script, user_ranges  # noqa: E402
from tests.profiler.agreement.observed import WINDOW, tables, texts_of  # noqa: E402
from warehouse.profiler import ProfilerActivity, profile  # noqa: E402

Stack = tuple[str, tuple[str, ...]]


def _open_calls(calls: list[Call], start: int) -> list[str]:
    """Names of the calls that were open at a time, innermost first."""
    names: list[str] = []
    depth = None
    for call in reversed(calls[: bisect_right(calls, start, key=lambda call: call.start)]):
        if (depth is None or call.depth < depth) and (call.end is None or call.end >= start):
            names.append(call.name)
            depth = call.depth
    return names


def _recorded(work: Callable[[], Any]) -> list[Stack]:
    ours = profile(activities=[ProfilerActivity.CPU], with_stack=True)
    ours.start()
    with torch.profiler.record_function(WINDOW):
        work()
    ours.stop()
    assert ours.path is not None
    rows = tables(ours.path)
    text = texts_of(rows)
    tid = {row["thread"]: row["tid"] for row in rows["thread"]}
    calls: dict[int, list[Call]] = defaultdict(list)
    for call in recorded_calls(ours.path):
        calls[call.tid].append(call)
    ops = sorted(rows["op"], key=lambda op: op["start_ticks"])
    (window,) = (op for op in ops if text[op["name"]] == WINDOW)
    return [
        (
            text[op["name"]],
            tuple(
                text[op["stack"]].split(";")
                if op["stack"]
                else _open_calls(calls[tid[op["thread"]]], op["start_ticks"])
            ),
        )
        for op in ops
        if window["start_ticks"] < op["start_ticks"] < window["end_ticks"]
    ]


def _kineto(work: Callable[[], Any]) -> list[Stack]:
    theirs = torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU],
        with_stack=True,
        experimental_config=torch.profiler._ExperimentalConfig(verbose=True),
    )
    theirs.start()
    with torch.profiler.record_function(WINDOW):
        work()
    theirs.stop()
    events = theirs.profiler.kineto_results.events()
    (window,) = (event for event in events if event.name() == WINDOW)
    found = [event for event in events if event.activity_type() in ("cpu_op", "user_annotation")]
    return [
        (event.name(), tuple(event.stack()))
        for event in sorted(found, key=lambda event: event.start_ns())
        if window.start_ns() < event.start_ns() < window.end_ns()
    ]


def _above_the_test(stacks: list[Stack]) -> list[Stack]:
    """The part of each stack within the work, addresses and numbers of modules made comparable."""
    found = []
    for name, stack in stacks:
        whole = list(plain(stack))
        inner = next((at for at, frame in enumerate(whole) if frame.endswith(": the_work")), len(whole))
        found.append((name, tuple(whole[:inner])))
    return found


def script_forward() -> Callable[[], Any]:
    work = script()

    def forward() -> None:
        with torch.no_grad():
            work(is_backward=False)

    return forward


@pytest.mark.parametrize(
    "model", [script_forward, user_ranges, inference, autocast, own_function], ids=lambda model: model.__name__
)
def test_same_stacks(model: Callable[[], Callable[[], Any]]) -> None:
    torch.manual_seed(7)
    inner = model()

    def the_work() -> None:
        inner()

    for _ in range(3):
        the_work()
    mine, expected = _above_the_test(_recorded(the_work)), _above_the_test(_kineto(the_work))
    assert len(expected) >= 5
    for own, other in zip(mine, expected, strict=False):
        assert own == other
    assert len(mine) == len(expected)
