"""Where calls of a program enter the recorder: what goes wrong in here is told in one line and booked, never raised."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from types import FrameType
from typing import ParamSpec, TypeVar

from warehouse.profiler.settings import WrongSettingError, logger

P = ParamSpec("P")
R = TypeVar("R")

_MOST_BOOKED = 100
_booked: list[str] = []  # without a lock, which a signal could leave taken


def trouble(text: str, *values: object, level: int = logging.WARNING) -> None:
    """Something is not recorded: one line, and the recording that runs says so of itself."""
    try:
        if len(_booked) < _MOST_BOOKED:
            _booked.append(text % values)
        logger.log(level, text, *values)
    except Exception as error:  # of a handler of the program's, or of what a value says of itself
        let_signals_through(error)
        return  # nothing is left to tell


def booked_troubles() -> list[str]:
    """What was booked since this was asked last."""
    found = _booked.copy()
    del _booked[: len(found)]
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
                let_signals_through(error)
                trace = error.__traceback__
                if isinstance(error, TypeError) and trace is not None and trace.tb_next is None:
                    raise  # the call itself
                tell_failure(function.__qualname__, error)
                return instead

        return call

    return decorate


def is_of_signal(error: BaseException) -> bool:
    """Whether a handler of a signal raised it, as those of timeouts do: it has struck in here by chance, and is the
    program's.  A handler is known by what it is given, the frame that it interrupts.

    What another thread throws (PyThreadState_SetAsyncExc) has no such mark and cannot be told from an error of ours.
    """
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        if _is_given(trace.tb_next.tb_frame, trace.tb_frame):
            return True
        trace = trace.tb_next
    return False


def let_signals_through(error: Exception) -> None:
    """To be called first where errors are caught: those of the program's handlers of signals go on."""
    if is_of_signal(error):
        raise error


def _is_given(called: FrameType, caller: FrameType) -> bool:
    values = called.f_locals.values()
    return any(each is caller or (type(each) is tuple and any(one is caller for one in each)) for each in values)


def tell_failure(what: str, error: Exception) -> None:
    """A call of the program's failed within the recorder."""
    trouble("%s failed: %s: %s; the program goes on", what, type(error).__name__, error, level=logging.ERROR)
