"""Runs a piece of work under both profilers at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch.autograd.profiler import record_function

from tests.profiler.agreement.observed import WINDOW, Op, kineto_ops, recorded_ops, window_of, with_numbers_of_nodes
from warehouse.profiler import ProfilerActivity, profile


def watched_by_both(work: Callable[[], Any], *, config: Any = None) -> tuple[list[Op], list[Op]]:
    """Operators of the work as we recorded them, and as torch.profiler did."""
    ours = profile(activities=[ProfilerActivity.CPU], record_shapes=True)
    theirs = torch.profiler.profile(
        activities=[torch.profiler.ProfilerActivity.CPU], record_shapes=True, experimental_config=config
    )
    ours.start()  # first: no other profiler may hold the thread when ours begins
    theirs.start()
    with record_function(WINDOW):
        work()
    theirs.stop()
    ours.stop()
    assert ours.path is not None
    return with_numbers_of_nodes(window_of(recorded_ops(ours.path))), window_of(
        kineto_ops(theirs.profiler.kineto_results)
    )
