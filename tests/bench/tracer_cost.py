"""What a call or return of a Python function costs more while it is traced: by us, and by others."""

from __future__ import annotations

import argparse
import cProfile
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.cost import Figure, Observer, costs
from warehouse.profiler import ProfilerActivity, profile

_CALLS = 100_000
_MOST_NS = 60.0


def _nothing() -> None:
    pass


def _work() -> None:
    for _ in range(_CALLS):
        _nothing()


def figures(options: argparse.Namespace, folder: Path) -> Iterator[Figure]:
    """ns an event (a call is one, a return another) of each tracer, and our ratio to the others."""
    os.environ["ASCEND_WORK_PATH"] = str(folder)
    observers: dict[str, Observer] = {"npuwh": _ours, "cProfile": cProfile.Profile}
    try:
        from viztracer import VizTracer
    except ImportError:
        pass
    else:
        observers["VizTracer"] = _viztracer(VizTracer)
    try:
        import torch
    except ImportError:
        pass
    else:
        observers["torch.profiler"] = _kineto(torch)
    found = costs(_work, observers, 2 * _CALLS, options.rounds)
    for name, value in found.items():
        yield Figure(f"Python call or return: {name}", value, "ns", _MOST_NS if name == "npuwh" else None)
        if name != "npuwh":
            yield Figure(f"Python call or return: npuwh / {name}", 100 * found["npuwh"] / value, "%", 100.0)


@contextmanager
def _ours() -> Iterator[None]:
    ours = profile(activities=[ProfilerActivity.CPU], with_stack=True)
    ours.start()
    yield
    ours.stop()


def _viztracer(kind: Any) -> Observer:
    @contextmanager
    def observe() -> Iterator[None]:
        tracer = kind(verbose=0, tracer_entries=2_000_000)
        tracer.start()
        yield
        tracer.stop()
        tracer.clear()

    return observe


def _kineto(torch: Any) -> Observer:
    @contextmanager
    def observe() -> Iterator[None]:
        theirs = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], with_stack=True)
        theirs.start()
        yield
        theirs.stop()

    return observe
