"""Python frames: the same calls, nested the same, as torch.profiler sees in a run of the same work."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="there is no torch whose profiler could be compared", exc_type=ImportError)

from tests.profiler.agreement.frames import Call, below, kineto_calls, plain, recorded_calls  # noqa: E402 needs torch
from tests.profiler.agreement.models import MODELS, user_ranges  # noqa: E402
from warehouse.profiler import ProfilerActivity, profile  # noqa: E402

_LINE = re.compile(r"\((\d+)\)")

pytestmark = pytest.mark.usefixtures("no_collections")


def _recorded(work: Callable[[], Any]) -> list[Call]:
    ours = profile(activities=[ProfilerActivity.CPU], with_stack=True)
    ours.start()
    work()
    ours.stop()
    assert ours.path is not None
    return recorded_calls(ours.path)


def _kineto(work: Callable[[], Any]) -> list[Call]:
    theirs = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], with_stack=True)
    theirs.start()
    work()
    theirs.stop()
    return kineto_calls(theirs.profiler.kineto_results)


def _check_same(mine: list[tuple[int, str]], expected: list[tuple[int, str]], least: int) -> None:
    assert len(expected) >= least
    names = zip(plain(name for _, name in mine), plain(name for _, name in expected), strict=False)
    for (depth, _), (other_depth, _), (name, other_name) in zip(mine, expected, names, strict=False):
        assert depth == other_depth
        if name != other_name:  # theirs is the line where a generator goes on, ours where the function begins
            own, other = _LINE.search(name), _LINE.search(other_name)
            assert own is not None
            assert other is not None
            assert int(own[1]) < int(other[1])
            assert _LINE.sub("", name) == _LINE.sub("", other_name)
    assert len(mine) == len(expected)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_same_calls(model: Callable[[], Callable[[], Any]]) -> None:
    torch.manual_seed(7)
    inner = model()

    def the_work() -> None:
        inner()

    for _ in range(3):  # lazy imports, caches of inspect and dispatch
        the_work()
    _check_same(below(_recorded(the_work), "the_work"), below(_kineto(the_work), "the_work"), least=10)


def test_same_calls_of_a_thread_that_was_there_before() -> None:
    begin, done = threading.Semaphore(0), threading.Semaphore(0)
    inner = user_ranges()

    def the_thread_work() -> None:
        inner()

    def on_thread() -> None:
        for _ in range(4):
            begin.acquire()
            the_thread_work()
            done.release()

    def work() -> None:
        begin.release()
        done.acquire()

    thread = threading.Thread(target=on_thread)
    thread.start()
    work()
    work()
    mine, expected = _recorded(work), _kineto(work)
    thread.join()
    _check_same(below(mine, "the_thread_work"), below(expected, "the_thread_work"), least=10)
