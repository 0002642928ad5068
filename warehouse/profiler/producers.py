"""What puts records into a recording: torch's operators and allocator, Python frames, the garbage collector."""

from __future__ import annotations

import ctypes
import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from warehouse import _recorder
from warehouse.profiler import thread_names
from warehouse.profiler.boundary import let_signals_through, trouble
from warehouse.profiler.memory_slot import give_back, hold
from warehouse.profiler.module_filter import ModuleFilter
from warehouse.profiler.own_frames import is_own_thread
from warehouse.profiler.parameters import record_parameters
from warehouse.profiler.recording_options import Selection
from warehouse.profiler.settings import logger
from warehouse.profiler.torch_arrival import TorchArrival
from warehouse.profiler.torch_build import TorchModuleError
from warehouse.profiler.torch_module import load

_MOST_NAMES = 1000  # of threads that are not recorded
HOST_PERIOD_NS = 100_000_000  # of samples of the host; processors count in steps of 10 ms

_torch_module: Any = None
_has_failed = False  # to be built or loaded: said once, not tried again


@dataclass(frozen=True)
class Wanted:
    """What a profiler was asked to record."""

    record_shapes: bool = False
    profile_memory: bool = False
    with_stack: bool = False
    with_modules: bool = False
    with_flops: bool = False
    gc_threshold_ms: float | None = None
    host_parts: tuple[str, ...] = ()
    selection: Selection = field(default_factory=Selection)
    has_all_threads: bool = False  # operators of every thread, not only of the one that begins

    @property
    def has_details(self) -> bool:
        """Whether a memory timeline can be made."""
        return self.record_shapes and self.profile_memory and self.has_frames

    @property
    def input_level(self) -> int:
        """0 ranges only, 1 with types and sizes of inputs, 2 also which tensors and values they are."""
        if self.has_details or self.with_flops:
            return 2
        return 1 if self.record_shapes else 0

    @property
    def takes(self) -> int:
        """What the observer takes of a range (collector_ext/torch/observer.hpp)."""
        inputs = (0, 1, 3)[self.input_level]
        everywhere = 16 * (1 + 2 * self.profile_memory) if self.has_all_threads else 0
        return inputs + 4 * self.with_stack + 8 * self.with_modules + everywhere

    @property
    def has_frames(self) -> bool:
        return self.with_stack or self.with_modules


def torch_module() -> Any:
    """The observer module, or None where torch is not imported in this process or the module cannot be had."""
    global _torch_module, _has_failed  # noqa: PLW0603 one a process, as torch is
    torch = sys.modules.get("torch")
    if torch is None or _has_failed or not hasattr(torch, "_C"):  # not yet imported to its end
        return None
    if _torch_module is None:
        try:
            _torch_module = load(torch)
        except TorchModuleError as error:
            _has_failed = True
            trouble("%s", error)
            return None
        except Exception as error:
            let_signals_through(error)
            _has_failed = True
            trouble("operators of torch are not recorded: %s", error)
            return None
    return _torch_module


@cache
def _ticks_per_us() -> float:
    """How fast the recorder's clock runs, measured over 20 ms; good to some 0.01 %."""
    ticks, began = _recorder.now_ticks(), time.perf_counter_ns()
    time.sleep(0.02)
    ticks_run: int = _recorder.now_ticks() - ticks
    return 1000 * ticks_run / (time.perf_counter_ns() - began)


@dataclass(eq=False)
class ThreadProducers:
    """Observers of torch on the calling thread and its heirs.

    A thread has one at a time.  Those that are standing (of the child-thread API) are of no recording: they wait while
    another is at work on their thread, and go on behind it.
    """

    wanted: Wanted
    is_standing: bool = False
    handle: int | None = None
    has_memory: bool = False
    is_over: bool = False
    thread: int = 0
    waiting: ThreadProducers | None = None

    def begin(self) -> None:
        """Observe.  Trouble is logged, never raised."""
        self.thread = threading.get_ident()
        before = at_work_here()
        self.waiting = before if before is not None and before.is_standing and before is not self else None
        if self.waiting is not None:
            self.waiting.rest()
        self.is_over = False
        _here.producers = self
        _at_work.append(self)
        self._observe()

    def end(self) -> None:
        """Observe no more; on another thread than that of `begin`, it ends there with the recording."""
        if self in _at_work:
            _at_work.remove(self)
        self.is_over = True
        if self.thread != threading.get_ident() or getattr(_here, "producers", None) is not self:
            module = torch_module()
            if self.wanted.has_all_threads and self.handle is not None and module is not None:
                module.npuwh_observer_remove(self.handle)  # it is no thread's own
                self.handle = None
            return
        self.rest()
        _here.producers = None
        if self.waiting is not None and not self.waiting.is_over:
            _here.producers = self.waiting
            self.waiting._observe()

    def rest(self) -> None:
        """Take the observers away, which `begin` or the end of another brings again."""
        module = torch_module()
        if module is None:
            return
        if self.has_memory:
            self.has_memory = False
            give_back(module)
        if self.handle is not None:
            handle, self.handle = self.handle, None
            module.npuwh_observer_remove(handle)

    def _observe(self) -> None:
        module = torch_module()
        if module is None:
            return
        shortest_us = self.wanted.selection.shortest_us
        shortest_ticks = round(shortest_us * _ticks_per_us()) if shortest_us else 0
        self.handle = module.npuwh_observer_add(self.wanted.takes, shortest_ticks, int(self.is_standing))
        if self.wanted.profile_memory:
            self.has_memory = True  # before it is: what is half done is undone
            self.has_memory = hold(module, self.is_standing, self.wanted.has_all_threads)
            if not self.has_memory:
                trouble("memory is not recorded: another profiler is at work on this thread")


def at_work_here() -> ThreadProducers | None:
    """What observes the calling thread by its own wish."""
    found: ThreadProducers | None = getattr(_here, "producers", None)
    return None if found is None or found.is_over else found


@dataclass
class GcProducer:
    """Runs of Python's garbage collector that took at least `threshold_ms` ms."""

    threshold_ms: float
    _starts: dict[int, tuple[int, int]] = field(default_factory=dict)

    def begin(self) -> None:
        gc.callbacks.append(self._on_event)

    def end(self) -> None:
        if self._on_event in gc.callbacks:
            gc.callbacks.remove(self._on_event)

    def _on_event(self, phase: str, info: dict[str, Any]) -> None:
        thread = threading.get_ident()
        if phase == "start":
            self._starts[thread] = (_recorder.now_ticks(), time.perf_counter_ns())
            return
        start = self._starts.pop(thread, None)
        if start is not None and time.perf_counter_ns() - start[1] >= self.threshold_ms * 1e6:
            _recorder.gc(start[0], _recorder.now_ticks(), info.get("generation", -1), info.get("collected", -1))


class Producers:
    """All that a recording wants, from start to stop, on the thread that starts it."""

    def __init__(self, wanted: Wanted) -> None:
        self._wanted = wanted
        self._thread = ThreadProducers(wanted)
        self._gc = None if wanted.gc_threshold_ms is None else GcProducer(wanted.gc_threshold_ms)
        self._modules: ModuleFilter | None = None
        self._arrival = TorchArrival(self._torch_arrived)
        self._began_on = 0
        self._watch: int | None = None  # of threads that nobody observes

    def prepare(self) -> None:
        """What takes long and must not happen in a recorded step: the torch module is built and loaded."""
        self._find_modules()
        if self._wanted.selection.shortest_us:
            _ticks_per_us()

    def begin(self) -> None:
        """All of them record from now on; what cannot is told."""
        _at_work.append(self)
        self._began_on = threading.get_ident()
        if self._modules is not None:
            _part("the choice of modules", self._modules.begin)
        is_free = threading.getprofile() is None
        meet = _meet_thread if self._wanted.has_frames or self._wanted.has_all_threads else None
        _part("names of threads", lambda: thread_names.begin(meet))
        if self._wanted.has_frames:
            _part("Python calls", lambda: self._begin_frames(is_free))
        if self._gc is not None:
            _part("garbage collections", self._gc.begin)
        if self._wanted.host_parts:
            _part("the host", lambda: _recorder.start_host(list(self._wanted.host_parts), HOST_PERIOD_NS))
        _part("operators of torch", self._arrival.begin)
        _part("operators of torch", self._thread.begin)
        _part("threads that are not recorded", self._watch_others)

    def end(self) -> None:
        """None of them records any more."""
        if self._wanted.has_frames:
            _part("Python calls", self._end_frames)
        _part("names of threads", thread_names.end)
        _part("operators of torch", self._arrival.end)
        if self._watch is not None:
            watch, self._watch = self._watch, None
            torch_module().npuwh_observer_remove(watch)
        if self in _at_work:
            _at_work.remove(self)
        _part("the host", _recorder.stop_host)
        _part("operators of torch", self._thread.end)
        if self._modules is not None:
            _part("the choice of modules", self._modules.end)
        if self._wanted.has_details and _recorder.is_open():
            record_parameters()
        if self._gc is not None:
            _part("garbage collections", self._gc.end)
        module = torch_module()
        if module is not None:
            module.npuwh_end_session()

    def _begin_frames(self, is_free_for_new_threads: bool) -> None:
        left_out = _recorder.start_tracer(_module_call())
        if left_out:
            text = "Python calls of %d threads are not recorded: another profiler (cProfile, sys.setprofile) is at work"
            trouble(text, left_out)
        if not is_free_for_new_threads:
            trouble("Python calls of new threads are not recorded: threading.setprofile is in use")

    def _end_frames(self) -> None:
        taken = _recorder.stop_tracer()
        if taken:
            text = "Python calls of %d threads end early: another profiler (cProfile, sys.setprofile) took their hook"
            trouble(text, taken)

    def _find_modules(self) -> None:
        module = torch_module()
        if module is not None and self._modules is None and self._wanted.selection.modules:
            self._modules = ModuleFilter(tuple(self._wanted.selection.modules), module)

    def unobserved_threads(self) -> list[str]:
        """Names of the threads that ran operators of which none were recorded, as far as they are known."""
        module = torch_module()
        if module is None or self._wanted.has_all_threads:
            return []
        found = (ctypes.c_int64 * _MOST_NAMES)()
        count = module.npuwh_unobserved_threads(found, _MOST_NAMES)
        names = [thread_names.name_of(tid) for tid in found[: min(count, _MOST_NAMES)]]
        return names + ["..."] * (count - len(names))

    def _watch_others(self) -> None:
        module = torch_module()
        if module is not None and not self._wanted.has_all_threads and self._watch is None:
            self._watch = module.npuwh_watch_threads()

    def _torch_arrived(self) -> None:
        if not self._wanted.has_all_threads and threading.get_ident() != self._began_on:
            logger.warning("operators of torch are not recorded: another thread than the recorded one imported it")
            return
        if self._wanted.has_frames:
            _recorder.set_module_call(_module_call())
        self._find_modules()
        if self._modules is not None:
            self._modules.begin()
        self._thread.end()
        self._thread.begin()
        self._watch_others()


_at_work: list[ThreadProducers | Producers] = []
_here = threading.local()


def _part(what: str, call: Callable[[], object]) -> None:
    """One of several producers; without it the others go on."""
    try:
        call()
    except Exception as error:
        let_signals_through(error)
        trouble("%s: not recorded as they should be: %s", what, error)


def are_all_threads_observed() -> bool:
    """Whether a recording of every thread is at work."""
    return any(each.wanted.has_all_threads for each in _at_work if isinstance(each, ThreadProducers))


def _end_in_child() -> None:
    """A forked child records nothing, and pays nothing for what its parent records."""
    for each in reversed(_at_work.copy()):
        try:
            each.end()
        except Exception as error:
            logger.warning("a forked child could not leave its parent's recording: %s", error)


os.register_at_fork(after_in_child=_end_in_child)


def _meet_thread() -> bool:
    """A thread begins while all are recorded; whether the native hook looks at its calls from here on."""
    return not is_own_thread() and _recorder.start_tracer_on_thread(replaces=True)  # that of `thread_names`


def _module_call() -> Any:
    torch = sys.modules.get("torch")
    if torch is None:
        return None
    return torch.nn.Module.__call__.__code__
