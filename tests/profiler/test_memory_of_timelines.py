"""What a memory timeline itself takes: a recording of hours has millions of allocations."""

from __future__ import annotations

import tracemalloc

import numpy as np
import pytest

pytest.importorskip("warehouse._recorder", reason="the recorder is built for Linux only")

from warehouse.profiler.memory_timeline import curves, deltas, timeline
from warehouse.profiler.timeline_categories import Categories
from warehouse.profiler.timeline_events import Events, Inputs, Tensor
from warehouse.profiler.timeline_graph import build_graph

CPU = (0, -1)


def events(rounds):
    """Each round: an operator that takes memory for a tensor, one that reads it, and the memory is given back."""
    start = np.arange(rounds) * 100
    address = 64 * (1 + np.arange(rounds) % 50)
    used = [Inputs(), *(Inputs(("tensor",), (Tensor(0, 64 * (1 + n), CPU, 256),)) for n in range(50))]
    op_time = np.concatenate([start, start + 20])
    ops = {
        "time": op_time, "end": op_time + 10, "thread": np.ones(2 * rounds, np.int32),
        "what": np.repeat([1, 2], rounds),
        "value": np.concatenate([np.zeros(rounds, np.int64), 1 + np.arange(rounds) % 50]),
        "kind": np.zeros(2 * rounds, np.int16),
    }  # fmt: skip
    memory_time = np.concatenate([start + 5, start + 50])
    memory = {
        "time": memory_time, "end": memory_time, "thread": np.ones(2 * rounds, np.int32), "what": np.tile(address, 2),
        "value": np.repeat([256, -256], rounds), "kind": np.zeros(2 * rounds, np.int16),
    }  # fmt: skip
    columns = {name: np.concatenate([ops[name], memory[name]]) for name in ops}
    second = -columns["end"]
    second[2 * rounds :] = 0
    order = np.lexsort((second, columns["time"]))
    return Events(columns, order, 2 * rounds, {1: "aten::empty", 2: "aten::neg"}, used, [CPU], {}, [], 0)


def test_bytes_an_allocation():
    rounds = 20_000
    build_graph(events(1))  # imports torch, where it is
    recorded = events(rounds)
    tracemalloc.start()
    try:
        graph = build_graph(recorded)
        categories = Categories(graph)
        found = curves(deltas(timeline(graph, CPU), categories))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    held = found.sizes.sum(axis=1)
    assert (len(held), held.min(), held.max()) == (2 * rounds, 0, 256)
    assert peak / rounds < 900
