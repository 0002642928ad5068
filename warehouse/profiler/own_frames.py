"""Calls of this package are none of the program that is recorded: they and what they call are left out of its frames.

What calls the program (a decorator around one of its functions, a step of its optimizer) is left out alone.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import CodeType
from typing import Any, TypeVar

from warehouse import _recorder

F = TypeVar("F", bound=Callable[..., Any])

_own_servers: list[object] = []
_recorder.hide_folder(__file__[: -len("profiler/own_frames.py")])  # as the names of its code objects begin


def calls_program(function: F) -> F:
    """A decorator: what the function, and functions made in it, call is recorded; they themselves are not."""
    _let_pass(function.__code__, is_runner=False)
    return function


def runs_program(function: F) -> F:
    """As `calls_program` for what runs all of the program: what it was called by is left out, too."""
    _let_pass(function.__code__, is_runner=True)
    return function


def start_own_thread(target: Callable[[], object], name: str) -> None:
    """Start a thread of the recorder's, of which nothing is recorded.  It does not keep the process."""

    def run() -> None:
        tid = threading.get_native_id()
        _recorder.leave_thread_out(tid, True)
        try:
            target()
        finally:
            _recorder.leave_thread_out(tid, False)  # the number may become another's

    _OwnThread(target=run, name=name, daemon=True).start()


def disown_server(server: object, thread: threading.Thread) -> None:
    """A server's thread, and those that it makes for its requests, are the recorder's."""
    _own_servers.append(server)
    if thread.native_id is not None:
        _recorder.leave_thread_out(thread.native_id, True)


def is_own_thread() -> bool:
    """Whether the calling thread, which has just begun, is the recorder's."""
    thread = threading.current_thread()
    server = getattr(getattr(thread, "_target", None), "__self__", None)
    return isinstance(thread, _OwnThread) or any(server is each for each in _own_servers)


class _OwnThread(threading.Thread):
    pass


def _let_pass(code: CodeType, is_runner: bool) -> None:
    _recorder.let_pass(code, is_runner)
    for each in code.co_consts:
        if isinstance(each, CodeType):
            _let_pass(each, is_runner=False)
