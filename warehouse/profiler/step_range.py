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

    def open(self, step: int) -> None:
        """Begin the range of a step."""
        self._name = f"ProfilerStep#{step}"
        torch = sys.modules.get("torch")
        if torch is not None:
            self._range = torch.autograd.profiler.record_function(self._name)
            self._range.__enter__()
        else:
            self._start = _recorder.now_ticks()

    def close(self) -> None:
        """End the open range, if there is one."""
        if self._range is not None:
            self._range.__exit__(None, None, None)
            self._range = None
        elif self._start:
            _recorder.range(self._name, self._start, _recorder.now_ticks(), _USER_SCOPE)
            self._start = 0
