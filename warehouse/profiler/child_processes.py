"""Python processes that a recorded script starts: none of them is recorded, which has to be told."""

from __future__ import annotations

import functools
import multiprocessing.process
import os
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from warehouse.profiler.own_frames import calls_program
from warehouse.profiler.settings import logger

_ADVICE = "record each by itself, as `torchrun --no-python npuwh record train.py` does, or call profile() in them"


class ChildProcesses:
    """Counts the Python processes that this one starts: by multiprocessing, by fork, as commands.

    >>> children = ChildProcesses()
    >>> children.begin(); children.end(); sum(children.found.values())
    0
    """

    def __init__(self) -> None:
        self.found: Counter[str] = Counter()
        self._is_counting = False
        self._replaced: list[tuple[type, str, Any]] = []

    def begin(self) -> None:
        """Count from now on."""
        self._is_counting = True
        os.register_at_fork(after_in_parent=self._on_fork)
        self._watch(multiprocessing.process.BaseProcess, "start", self._on_start)
        self._watch(subprocess.Popen, "__init__", self._on_command)

    def end(self) -> None:
        """Count no more."""
        self._is_counting = False
        for owner, name, function in self._replaced:
            setattr(owner, name, function)
        self._replaced = []

    def _watch(self, owner: type, name: str, tell: Callable[[Any], None]) -> None:
        function = getattr(owner, name)
        self._replaced.append((owner, name, function))

        @functools.wraps(function)
        @calls_program
        def watched(process: Any, *args: Any, **kwargs: Any) -> None:
            function(process, *args, **kwargs)
            tell(process)

        setattr(owner, name, watched)

    def tell(self, recorded_ops: int) -> None:
        """What is not recorded of the program, if there is anything: a line."""
        if not self.found:
            return
        kinds = ", ".join(f"{count} by {kind}" for kind, count in sorted(self.found.items()))
        total = sum(self.found.values())
        what = "1 child process is not" if total == 1 else f"{total:,} child processes are not"
        if recorded_ops:
            logger.warning("%s in it (%s)", what, kinds)
        else:
            logger.warning("no operators were recorded in this process; %s recorded (%s): %s", what, kinds, _ADVICE)

    def _on_start(self, process: Any) -> None:
        method = getattr(getattr(process, "_popen", None), "method", None)
        if self._is_counting and method in ("spawn", "forkserver"):
            self.found[method] += 1

    def _on_fork(self) -> None:
        if self._is_counting:
            self.found["fork"] += 1

    def _on_command(self, process: Any) -> None:
        command = process.args
        words = [command] if isinstance(command, str | bytes | os.PathLike) else list(command)
        texts = [os.fsdecode(word) for word in words if isinstance(word, str | bytes | os.PathLike)]
        first = texts[0].split(maxsplit=1)[:1] if texts else []
        if not (self._is_counting and first and Path(first[0]).name.startswith("python")):
            return
        if not any(text.startswith("warehouse.profiler.") for text in texts):  # analyses of ours
            self.found["command"] += 1
