"""Where calls of a program enter the recorder: what goes wrong in here is told in one line and booked, never raised."""

from __future__ import annotations

import functools
import logging
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from warehouse.profiler.settings import WrongSettingError, logger

P = ParamSpec("P")
R = TypeVar("R")

_MOST_BOOKED = 100
_booked: list[str] = []
_lock = threading.Lock()


def trouble(text: str, *values: object, level: int = logging.WARNING) -> None:
    """Something is not recorded: one line, and the recording that runs says so of itself."""
    try:
        with _lock:
            if len(_booked) < _MOST_BOOKED:
                _booked.append(text % values)
        logger.log(level, text, *values)
    except Exception:  # of a handler of the program's, or of what a value says of itself: nothing is left to tell
        return


def booked_troubles() -> list[str]:
    """What was booked since this was asked last."""
    with _lock:
        found = _booked.copy()
        _booked.clear()
    return found


def contained(instead: R) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A decorator for what a program calls: an error in it is a line, and the call gives `instead`.  Arguments that the
    function does not have are TypeErrors as ever.

    >>> @contained(0)
    ... def half(number: int) -> int:
    ...     return number // 2
    >>> half(4), half(None)
    (2, 0)
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                return function(*args, **kwargs)
            except WrongSettingError:
                raise
            except Exception as error:
                trace = error.__traceback__
                if isinstance(error, TypeError) and trace is not None and trace.tb_next is None:
                    raise  # the call itself
                tell_failure(function.__qualname__, error)
                return instead

        return call

    return decorate


def tell_failure(what: str, error: Exception) -> None:
    """A call of the program's failed within the recorder."""
    trouble("%s failed: %s: %s; the program goes on", what, type(error).__name__, error, level=logging.ERROR)
