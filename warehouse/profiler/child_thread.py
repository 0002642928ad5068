"""Recording of threads that began on their own and therefore inherit no observer."""

from __future__ import annotations

import threading

from warehouse import _recorder
from warehouse.profiler.producers import ThreadProducers
from warehouse.profiler.boundary import contained
from warehouse.profiler.settings import logger

_local = threading.local()


def enable(producers: ThreadProducers) -> None:
    """Observe the calling thread; once a thread."""
    if getattr(_local, "producers", None) is not None:
        logger.warning("this thread is recorded already; enable_profiler_in_child_thread is left out")
        return
    producers.begin()
    if producers.wanted.has_frames:
        _recorder.start_tracer_on_thread()
    _local.producers = producers


def disable() -> None:
    """Observe the calling thread no more."""
    producers = getattr(_local, "producers", None)
    if producers is not None:
        producers.end()
        _local.producers = None
