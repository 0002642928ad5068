"""The one place that a thread has for who is told of its allocations, shared with torch's own profilers.

Torch asks for the place when a profiler of its own begins, and fails where it is taken.  While we hold it on any
thread, its functions that begin and end a profiler are ours: they give the place back, let torch begin, and take the
place again when torch's profiler has ended.
"""

from __future__ import annotations

import functools
import sys
import threading
from collections.abc import Callable
from typing import Any

from warehouse.profiler.boundary import trouble
from warehouse.profiler.own_frames import calls_program

_BEGINNINGS = ("_enable_profiler", "_enable_profiler_legacy")
_ENDS = ("_disable_profiler", "_disable_profiler_legacy")
_MODULES = ("torch._C._autograd", "torch.autograd", "torch.autograd.profiler", "torch.autograd.profiler_legacy")

_lock = threading.RLock()  # a signal that strikes where it is given back leaves it to the same thread
_held = 0  # on how many threads
_stays = False  # nobody counts the threads
_replaced: list[tuple[Any, str, Any, Any]] = []  # module, name, torch's function, ours
_local = threading.local()


def hold(observer: Any, is_standing: bool, is_everywhere: bool = False) -> bool:
    """Take the calling thread's place; False if another profiler has it.  `is_everywhere`: the observer takes that of
    each thread it comes to."""
    global _held, _stays  # noqa: PLW0603 one count a process
    _stays = _stays or is_everywhere
    if observer.npuwh_memory_push(int(is_standing)) != 0:
        return False
    with _lock:
        _held += 1
        if not _replaced:
            _replace(observer)
    return True


def give_back(observer: Any) -> None:
    """The calling thread's place is free again."""
    global _held  # noqa: PLW0603
    _local.is_standing = None
    observer.npuwh_memory_pop()
    with _lock:
        _held = max(_held - 1, 0)  # a signal may have struck before it was counted
        if _held == 0 and not _stays:
            _restore()


def _replace(observer: Any) -> None:
    for module in filter(None, map(sys.modules.get, _MODULES)):
        for names, wrap in ((_BEGINNINGS, _beginning), (_ENDS, _end)):
            for name in names:
                original = getattr(module, name, None)
                if original is not None:
                    ours = wrap(observer, original)
                    setattr(module, name, ours)
                    _replaced.append((module, name, original, ours))


def _restore() -> None:
    for module, name, original, ours in _replaced:
        if getattr(module, name, None) is ours:
            setattr(module, name, original)
    _replaced.clear()


def _beginning(observer: Any, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    @calls_program
    def begin(*args: Any, **kwargs: Any) -> Any:
        if observer.npuwh_memory_pop():
            _local.is_yielded = True
            trouble("memory is not recorded while another profiler is at work on this thread")
        return original(*args, **kwargs)

    return begin


def _end(observer: Any, original: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(original)
    @calls_program
    def end(*args: Any, **kwargs: Any) -> Any:
        try:
            return original(*args, **kwargs)
        finally:
            if getattr(_local, "is_yielded", False):
                _local.is_yielded = False
                observer.npuwh_memory_push(0)

    return end
