"""The range `ProfilerStep#N` around each step, by which an analysis knows the steps."""

from __future__ import annotations

import sys
from typing import Any

from warehouse import _recorder

_USER_SCOPE = 7


class StepRange:
    """One open step range at most; through torch where it is there, so that other observers see it too."""

    def __init__(self) -> None:
        self._range: Any = None
        self._name = ""
        self._start = 0
        self._begun = 0

    def keep(self) -> None:
        """Record the open range though the recording pauses; to be called before `close`."""
        if self._name:
            _recorder.range(self._name, self._begun, _recorder.now_ticks(), _USER_SCOPE, is_kept=True)

    def open(self, step: int) -> None:
        """Begin the range of a step."""
        self._name = f"ProfilerStep#{step}"
        self._begun = _recorder.now_ticks()
        torch = sys.modules.get("torch")
        if torch is not None:
            self._range = torch.autograd.profiler.record_function(self._name)
            self._range.__enter__()
        else:
            self._start = self._begun

    def close(self) -> None:
        """End the open range, if there is one."""
        if self._range is not None:
            found, self._range = self._range, None
            found.__exit__(None, None, None)
        elif self._start:
            _recorder.range(self._name, self._start, _recorder.now_ticks(), _USER_SCOPE)
            self._start = 0
        self._name = ""
