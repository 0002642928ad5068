"""Figures of what recording costs, and how they are measured."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

Observer = Callable[[], AbstractContextManager[object]]


@dataclass
class Figure:
    """One number; `limit` is the largest it may be, if anything is asked of it."""

    what: str
    value: float
    unit: str
    limit: float | None = None

    @property
    def is_missed(self) -> bool:
        """Whether it is larger than it may be."""
        return self.limit is not None and self.value > self.limit

    def __str__(self) -> str:
        asked = "" if self.limit is None else f"  (at most {self.limit:g}{', MISSED' if self.is_missed else ''})"
        return f"{self.what:58} {self.value:12.1f} {self.unit}{asked}"


@contextmanager
def unobserved() -> Iterator[None]:
    """Nobody watches."""
    yield


def thread_cpu_ns(work: Callable[[], object]) -> int:
    """CPU time of the calling thread for one run of the work, collector off."""
    gc.collect()
    gc.disable()
    try:
        began = time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID)
        work()
        return time.clock_gettime_ns(time.CLOCK_THREAD_CPUTIME_ID) - began
    finally:
        gc.enable()


def costs(work: Callable[[], object], observers: Mapping[str, Observer], events: int, rounds: int) -> dict[str, float]:
    """ns an event that each observer adds to the work: median over the rounds of its difference to the same round's
    unobserved run."""
    added: dict[str, list[float]] = {name: [] for name in observers}
    work()
    for _ in range(rounds):
        bare = min(thread_cpu_ns(work) for _ in range(3))
        for name, observer in observers.items():
            with observer():
                work()  # names, pages and caches are there from here on
                taken = min(thread_cpu_ns(work) for _ in range(3))
            added[name].append((taken - bare) / events)
    return {name: statistics.median(each) for name, each in added.items()}
