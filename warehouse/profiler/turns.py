"""Calls of one profiler, one at a time, whatever thread or signal they come from."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable


class Turns:
    """Runs calls one after the other.  One that comes in the middle of another on the same thread, as from the handler
    of a signal, runs right after it.

    >>> turns, done = Turns(), []
    >>> turns.take(lambda: (turns.take(lambda: done.append("second")), done.append("first")))
    >>> done
    ['first', 'second']
    """

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._lock = threading.RLock()
        self._is_busy = False
        self._later: list[Callable[[], object]] = []

    def take(self, call: Callable[[], object]) -> None:
        """Run it, now or after the one that runs."""
        if os.getpid() != self._pid:  # the lock may be held by a thread that this process does not have
            self.__init__()  # type: ignore[misc]
        with self._lock:
            if self._is_busy:
                self._later.append(call)
                return
            try:
                try:
                    self._is_busy = True
                    call()
                finally:
                    self._is_busy = False
            finally:  # also where a signal strikes in the line above
                self._is_busy = False
                if self._later:
                    self.take(self._later.pop(0))
