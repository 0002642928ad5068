"""Names of Python's threads, which the system does not know: a recording shows them."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any

from warehouse import _recorder

_names: dict[int, str] = {}  # by the system's number
_meet: Callable[[], bool] | None = None
_before: Any = None  # the profile function that the program gave new threads
_MOST = 10_000


def begin(meet: Callable[[], bool] | None) -> None:
    """Learn the names of the threads that there are; with `meet` also of those that begin from now on.

    `meet` is called on each of them, at its first call; whether the thread has another profile function then.
    """
    global _meet, _before  # noqa: PLW0603 threads are the process's
    _names.clear()
    for thread in threading.enumerate():
        _note(thread)
    _meet = meet
    if meet is not None:
        _before = threading.getprofile()
        threading.setprofile(_begin_thread)


def note() -> None:
    """Learn the name of the calling thread."""
    _note(threading.current_thread())


def end() -> None:
    """Learn the names of those that begin now no more."""
    global _meet  # noqa: PLW0603
    if _meet is not None:
        _meet = None
        if threading.getprofile() == _begin_thread:
            threading.setprofile(_before)
    for thread in threading.enumerate():
        _note(thread)


def name_of(tid: int) -> str:
    """The name of a thread, or its number in the system."""
    return _names.get(tid, f"id {tid}")


def _note(thread: threading.Thread) -> None:
    if thread.native_id is not None and len(_names) < _MOST:
        _names[thread.native_id] = thread.name
        _recorder.name_thread(thread.native_id, thread.name)


def _begin_thread(frame: Any, event: str, argument: Any) -> None:
    note()
    if _before is not None or _meet is None or not _meet():
        sys.setprofile(_before)
        if _before is not None:
            _before(frame, event, argument)
