"""Recording of threads that began on their own and therefore inherit no observer."""

from __future__ import annotations

import threading

from warehouse import _recorder
from warehouse.profiler import thread_names
from warehouse.profiler.producers import ThreadProducers, are_all_threads_observed, at_work_here
from warehouse.profiler.settings import logger

_local = threading.local()


def enable(producers: ThreadProducers) -> None:
    """Observe the calling thread; once a thread."""
    if at_work_here() is not None or getattr(_local, "producers", None) is not None:
        logger.warning("this thread is recorded already; enable_profiler_in_child_thread is left out")
        return
    thread_names.note()
    if are_all_threads_observed():
        return  # `npuwh record`: this thread is recorded as it is
    producers.begin()
    _local.producers = producers
    if producers.wanted.has_frames:
        _recorder.start_tracer_on_thread()


def disable() -> None:
    """Observe the calling thread no more."""
    producers = getattr(_local, "producers", None)
    if producers is not None:
        _local.producers = None
        producers.end()
