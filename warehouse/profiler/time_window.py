"""Recording for a while: from so many seconds after the start on, and for so many seconds."""

from __future__ import annotations

import threading

from warehouse.profiler.own_frames import start_own_thread
from warehouse.profiler.profile import profile
from warehouse.profiler.settings import report

_LONGEST_S = 1e7  # of what a thread can wait for


class TimeWindow:
    """Pauses a profiler outside of a window of time.

    `after_s` seconds after `begin` it records, for `for_s` seconds (None: to the end).

    >>> TimeWindow(60, 10).for_s
    10
    """

    def __init__(self, after_s: float = 0.0, for_s: float | None = None) -> None:
        if not 0 <= after_s < _LONGEST_S:
            report("after", after_s, "seconds from 0", 0.0)
            after_s = 0.0
        if for_s is not None and not 0 < for_s < _LONGEST_S:
            report("for", for_s, "seconds above 0", None)
            for_s = None
        self.after_s = after_s
        self.for_s = for_s
        self._is_over = threading.Event()

    def begin(self, profiler: profile) -> None:
        """Wait for the window, in a thread of its own; to be called right before the profiler's `start`."""
        if self.after_s:
            profiler.pause()
        if self.after_s or self.for_s is not None:
            start_own_thread(lambda: self._keep(profiler), "npuwh window")

    def end(self) -> None:
        """The profiler stops: nothing is waited for any more."""
        self._is_over.set()

    def _keep(self, profiler: profile) -> None:
        if self.after_s:
            if self._is_over.wait(self.after_s):
                return
            profiler.resume()
        if self.for_s is not None and not self._is_over.wait(self.for_s):
            profiler.pause()
