"""Operators of some modules alone: tells the observer when a module of theirs is called and left."""

from __future__ import annotations

import sys
from fnmatch import fnmatchcase
from typing import Any


class ModuleFilter:
    """Watches all modules of torch for those whose class name fits one of the patterns."""

    def __init__(self, patterns: tuple[str, ...], observer: Any) -> None:
        self._patterns = patterns
        self._observer = observer
        self._is_wanted: dict[type, bool] = {}
        self._hooks: list[Any] = []

    def begin(self) -> None:
        """Only operators of these modules from now on."""
        modules = sys.modules["torch"].nn.modules.module
        self._observer.npuwh_filter_modules(1)
        self._hooks = [
            modules.register_module_forward_pre_hook(self._enter),
            modules.register_module_forward_hook(self._leave, always_call=True),
        ]

    def end(self) -> None:
        """All operators again."""
        for hook in self._hooks:
            hook.remove()
        self._hooks = []
        self._observer.npuwh_filter_modules(0)

    def _enter(self, module: Any, _inputs: Any) -> None:
        if self._wants(type(module)):
            self._observer.npuwh_module_enter()

    def _leave(self, module: Any, _inputs: Any, _output: Any) -> None:
        if self._wants(type(module)):
            self._observer.npuwh_module_leave()

    def _wants(self, kind: type) -> bool:
        found = self._is_wanted.get(kind)
        if found is None:
            found = self._is_wanted[kind] = any(fnmatchcase(kind.__name__, each) for each in self._patterns)
        return found
