"""The moment at which a program imports torch, where it is recorded from before that."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Callable, Sequence
from types import ModuleType

from warehouse.profiler.own_frames import calls_program


class _Loader(importlib.abc.Loader):
    """Loads as the real loader does, then tells."""

    def __init__(self, loader: importlib.abc.Loader, arrived: Callable[[], None]) -> None:
        self._loader = loader
        self._arrived = arrived

    @calls_program
    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType | None:
        """As the real one."""
        return self._loader.create_module(spec)

    @calls_program
    def exec_module(self, module: ModuleType) -> None:
        """As the real one; what comes after is told when torch is whole."""
        if module.__spec__ is not None:
            module.__spec__.loader = self._loader  # nothing of this remains
        module.__loader__ = self._loader
        self._loader.exec_module(module)
        self._arrived()


class TorchArrival(importlib.abc.MetaPathFinder):
    """Calls `arrived` once, right after `import torch` in this process; not if torch is there already.

    >>> watch = TorchArrival(lambda: None)
    >>> watch.begin(); watch.end()
    """

    def __init__(self, arrived: Callable[[], None]) -> None:
        self._arrived = arrived

    def begin(self) -> None:
        """Watch from now on."""
        if "torch" not in sys.modules and self not in sys.meta_path:
            sys.meta_path.insert(0, self)

    def end(self) -> None:
        """Watch no more."""
        if self in sys.meta_path:
            sys.meta_path.remove(self)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The spec of torch as others find it, with a loader that tells; nothing for other modules."""
        if fullname != "torch":
            return None
        self.end()
        spec = importlib.util.find_spec(fullname)
        if spec is not None and spec.loader is not None:
            spec.loader = _Loader(spec.loader, self._arrived)
        return spec
