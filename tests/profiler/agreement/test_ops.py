"""Operators: the same names, numbers, nesting, shapes, types and sequence numbers as torch.profiler's own."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="there is no torch whose profiler could be compared", exc_type=ImportError)

from tests.profiler.agreement.models import MODELS, training  # noqa: E402 they need torch
from tests.profiler.agreement.observed import Op, nested  # noqa: E402
from tests.profiler.agreement.watch import watched_by_both  # noqa: E402
from warehouse.profiler import profile  # noqa: E402


def _check_same(ours: list[Op], theirs: list[Op], least: int = 1) -> None:
    mine, expected = nested(ours), nested(theirs)
    assert sum(map(len, expected.values())) >= least
    assert mine.keys() == expected.keys()
    for tid, seen in expected.items():
        for own, other in zip(mine[tid], seen, strict=False):
            assert own == other
        assert len(mine[tid]) == len(seen)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_same_operators(model: Callable[[], Callable[[], Any]]) -> None:
    _check_same(*watched_by_both(model()), least=10)


def test_same_operators_after_warm_up() -> None:
    work = training()
    work()
    _check_same(*watched_by_both(work), least=50)


def test_same_operators_beside_data_loader_workers() -> None:
    data = torch.utils.data.TensorDataset(torch.arange(12.0).reshape(6, 2))

    def work() -> None:
        for (batch,) in torch.utils.data.DataLoader(data, batch_size=2, num_workers=2):
            batch.sum()

    _check_same(*watched_by_both(work), least=10)


def test_same_operators_of_child_threads() -> None:
    def on_thread() -> None:
        profile.enable_profiler_in_child_thread(record_shapes=True)
        torch.ones(3).add(1).sum()
        profile.disable_profiler_in_child_thread()

    def work() -> None:
        threads = [threading.Thread(target=on_thread) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        torch.zeros(2)

    config = torch.profiler._ExperimentalConfig(profile_all_threads=True)
    ours, theirs = watched_by_both(work, config=config)
    assert len({op.tid for op in ours}) == 4
    _check_same(ours, theirs, least=10)


def test_a_thread_that_did_not_ask_is_seen_by_neither() -> None:
    def work() -> None:
        thread = threading.Thread(target=lambda: torch.ones(3).add(1))
        thread.start()
        thread.join()
        torch.zeros(2)

    ours, theirs = watched_by_both(work)
    assert len({op.tid for op in ours}) == 1
    _check_same(ours, theirs)
