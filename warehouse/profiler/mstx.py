"""Marks and ranges of the program's own, in domains (framework-files.md 6.7)."""

from __future__ import annotations

import functools
import itertools
import threading
from collections import defaultdict
from collections.abc import Callable
from functools import cache
from typing import Any, ParamSpec, TypeVar

from warehouse import _recorder
from warehouse.profiler.boundary import contained
from warehouse.profiler.own_frames import calls_program
from warehouse.profiler.settings import logger, printable

P = ParamSpec("P")
R = TypeVar("R")

_DEFAULT = "default"
_RESERVED = "npuwh"  # of the marks that an ingest makes of losses
_numbers = itertools.count(1)
_open_ranges: dict[int, tuple[int, int, str, str]] = {}
_local = threading.local()
_session = 0  # counts the recordings: ranges belong to the one that they began in
_is_wanted = False  # by the recording that runs
_include: frozenset[str] = frozenset()
_exclude: frozenset[str] = frozenset()


def choose(is_wanted: bool, include: list[str], exclude: list[str]) -> None:
    """Whether marks are recorded; only those of domains in `include`, or of all but those in `exclude`; both empty:
    all."""
    global _is_wanted, _include, _exclude, _session  # noqa: PLW0603 one recording a process
    _is_wanted, _include, _exclude = is_wanted, frozenset(include), frozenset(exclude)
    _session += 1
    _open_ranges.clear()


@contained(None)
def mark(message: str, stream: Any = None, domain: str = _DEFAULT) -> None:
    """A moment."""
    if _are_texts("mark", message, domain) and _is_recorded(domain):
        now = _recorder.now_ticks()
        _record(now, now, 0, message, domain)


@contained(-1)
def range_push(message: str, stream: Any = None, domain: str = _DEFAULT) -> int:
    """Begin a range in this thread and domain; how many ranges are open around it, -1 if it is not recorded."""
    if not (_are_texts("range_push", message, domain) and _is_recorded(domain)):
        return -1
    stack = _stack(domain)
    stack.append((next(_numbers), _recorder.now_ticks(), message))
    return len(stack) - 1


@contained(-1)
def range_pop(domain: str = _DEFAULT) -> int:
    """End the innermost range of this thread and domain; the number that stays open, -1 if none was."""
    if not (_are_texts("range_pop", domain) and _is_recorded(domain)):
        return -1
    stack = _stack(domain)
    if not stack:
        return -1
    number, start, message = stack.pop()
    _record(start, _recorder.now_ticks(), number, message, domain)
    return len(stack)


@contained(0)
def range_start(message: str, stream: Any = None, domain: str = _DEFAULT) -> int:
    """Begin a range that any thread may end; its number, 0 if it is not recorded."""
    if not (_are_texts("range_start", message, domain) and _is_recorded(domain)):
        return 0
    number = next(_numbers)
    _open_ranges[number] = (_session, _recorder.now_ticks(), message, domain)
    return number


@contained(None)
def range_end(range_id: int, domain: str = _DEFAULT) -> None:
    """End the range of that number; nothing for 0 and for numbers that are not open."""
    found = _open_ranges.pop(range_id, None) if isinstance(range_id, int) else None
    if found is not None and found[0] == _session:
        _, start, message, begun_in = found
        _record(start, _recorder.now_ticks(), range_id, message, begun_in)


def mstx_range(message: str, stream: Any = None, domain: str = _DEFAULT) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator: each call of the function is a range."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        @calls_program
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            number = range_start(message or _name_of(function), stream, domain)
            try:
                return function(*args, **kwargs)
            finally:
                range_end(number, domain)

        return call

    return decorate


class annotate:  # noqa: N801 the name that scripts use
    """A range as context manager or decorator; without a message a decorated function gives its name."""

    def __init__(self, message: str = "", stream: Any = None, domain: str = _DEFAULT) -> None:
        self._message = message
        self._stream = stream
        self._domain = domain
        self._number = 0

    def __enter__(self) -> annotate:
        self._number = range_start(self._message, self._stream, self._domain)
        return self

    def __exit__(self, *_error: object) -> None:
        range_end(self._number, self._domain)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        return mstx_range(self._message or _name_of(function), self._stream, self._domain)(function)


def _stack(domain: str) -> list[tuple[int, int, str]]:
    stacks: dict[str, list[tuple[int, int, str]]] | None = getattr(_local, "stacks", None)
    if stacks is None or _local.session != _session:
        stacks = _local.stacks = defaultdict(list)
        _local.session = _session
    return stacks[domain]


def _name_of(function: object) -> str:
    """The function's name; of one that has none, as a partial, what it shows as."""
    name = getattr(function, "__name__", None)
    return name if isinstance(name, str) else repr(function)


def _record(start: int, end: int, number: int, message: str, domain: str) -> None:
    if domain == _RESERVED:
        domain = f"{_RESERVED}.user"
        _tell_reserved(domain)
    try:
        _recorder.mark(start, end, number, message, domain)
    except TypeError:  # halves of surrogate pairs
        _recorder.mark(start, end, number, printable(message), printable(domain))


def _is_recorded(domain: str) -> bool:
    if not _is_wanted:
        return False
    if not _recorder.is_on():
        _recorder.count_missed()  # if it ended early
        return False
    return domain in _include if _include else domain not in _exclude


@cache
def _tell_reserved(domain: str) -> None:
    logger.warning("domain %s is the recorder's own; marks of that name stand in domain %s", _RESERVED, domain)


def _are_texts(name: str, *values: object) -> bool:
    if all(isinstance(value, str) for value in values):
        return True
    logger.warning("mstx.%s is left out: message and domain have to be texts", name)
    return False
