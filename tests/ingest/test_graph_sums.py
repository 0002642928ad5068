"""Sums over the tasks of graphs, however the tasks are cut into batches."""

import random

import numpy as np
import pytest

from warehouse.ingest.graph_sums import NodeSums, ReplaySums
from warehouse.ingest.graphs import _launched_by

NONE = -1


@pytest.mark.parametrize("seed", range(20))
def test_sums_are_those_of_all_tasks(seed):
    choose = random.Random(seed)
    starts = sorted(choose.randrange(200) for _ in range(90))
    tasks = [(start, start + choose.randrange(30), choose.randrange(4)) for start in starts]
    replays, nodes, done = ReplaySums(5), NodeSums(), 0
    while done < len(tasks):
        size = choose.randrange(1, 20)
        start, end, which = np.array(tasks[done : done + size], dtype=np.int64).T
        replays.add(which, start, end)
        nodes.add(which, end - start)
        done += size
    expected = []
    for replay in range(5):
        mine = [(start, end) for start, end, which in tasks if which == replay]
        busy = {moment for start, end in mine for moment in range(start, end)}
        pause, until = 0, None
        for start, end in mine:
            pause = pause if until is None else max(pause, start - until)
            until = end if until is None else max(until, end)
        expected.append((len(mine), sum(end - start for start, end in mine), len(busy), pause))
    assert list(zip(*(column.tolist() for column in replays.columns()), strict=True)) == expected
    lengths = [[end - start for start, end, which in tasks if which == node] or [0] for node in range(5)]
    counts = [sum(which == node for *_, which in tasks) for node in range(5)]
    sums = [(count, sum(each), min(each), max(each)) for count, each in zip(counts, lengths, strict=True)]
    assert list(zip(*(column.tolist() for column in nodes.columns(5)), strict=True)) == sums


@pytest.mark.parametrize(
    ("tasks", "runs", "expected"),
    [
        ([], [(1, 2, 0)], [NONE]),
        ([0, 10], [(1, 5, 0), (11, 15, 0)], [0, 1]),
        ([0, 10], [(1, 5, 0), (6, 9, 0), (11, 15, 0)], [0, NONE, 1]),  # of one the launching task was lost
        ([3, 10], [(1, 5, 0), (6, 12, 0)], [0, 1]),  # a task that waits for the end, on a stream that was busy
        ([0, 1, 9], [(2, 8, 1), (10, 12, 1)], [1, 2]),  # nothing is recorded of what the first one launched
        ([0, 1], [(2, 8, 1), (3, 9, 0)], [1, 0]),  # two graphs side by side
        ([0, 1], [(2, 8, 0), (9, 12, 0)], [1, NONE]),  # not the one before that of the execution before
    ],
)
def test_what_launched_an_execution(tasks, runs, expected):
    assert _launched_by(tasks, *np.array(runs, dtype=np.int64).T) == expected
