"""What a recording takes and how much room it may have: settings of our own, beside those that torch_npu knows."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from warehouse.profiler.settings import is_text, report

_LARGEST_RING = 1 << 30


@dataclass(frozen=True)
class DiskLimits:
    """How a recording uses memory and disk.

    `ring_bytes` a thread and ring (a power of two up to 1 GiB), `chunk_bytes` and `chunk_seconds` of one file,
    `flush_seconds` that a killed process loses at most, `disk_bytes` of the whole recording (0: no limit; reaching it
    ends the recording, and says so).

    >>> DiskLimits(disk_bytes=10 << 30).disk_bytes
    10737418240
    """

    ring_bytes: int = 16 << 20
    chunk_bytes: int = 256 << 20
    chunk_seconds: float = 60.0
    flush_seconds: float = 1.0
    disk_bytes: int = 0

    def __post_init__(self) -> None:
        size = self.ring_bytes
        if not _is_count(size) or not 4096 <= size <= _LARGEST_RING or size & (size - 1):
            _replace(self, "ring_bytes", f"a power of two from 4096 to {_LARGEST_RING}", 16 << 20)
        for name, bytes_used in (("chunk_bytes", 256 << 20), ("disk_bytes", 0)):
            if not _is_count(getattr(self, name)):
                _replace(self, name, "a whole number of bytes", bytes_used)
        for name, seconds_used in (("chunk_seconds", 60.0), ("flush_seconds", 1.0)):
            if not _is_time(getattr(self, name)):
                _replace(self, name, "seconds above 0", seconds_used)


@dataclass(frozen=True)
class Selection:
    """What of a run is recorded; everything unless told otherwise.

    `include_ops` and `exclude_ops` are patterns (`*`, `?`, `[...]`) of names of operators; what is excluded is left out
    even if it is included.  `modules` are patterns of class names: only operators of their forward calls, and of the
    backward nodes that these made, are recorded, and the program's own ranges.  Of the active steps every
    `every_step`-th is recorded, from the first on.  Operators shorter than `shortest_us` are left out.  The ranges of
    steps, `ProfilerStep#N`, are always recorded.

    >>> Selection(exclude_ops=["aten::empty*", "aten::as_strided"]).exclude_ops
    ('aten::empty*', 'aten::as_strided')
    """

    include_ops: Iterable[str] = ()
    exclude_ops: Iterable[str] = ()
    modules: Iterable[str] = ()
    every_step: int = 1
    shortest_us: float = 0.0

    def __post_init__(self) -> None:
        for name in ("include_ops", "exclude_ops", "modules"):
            given = getattr(self, name)
            if isinstance(given, list | tuple | set | frozenset) and all(is_text(each) for each in given):
                object.__setattr__(self, name, tuple(given))
            else:
                _replace(self, name, "a list of patterns", ())
        if not _is_count(self.every_step) or self.every_step < 1:
            _replace(self, "every_step", "a whole number from 1", 1)
        if not (self.shortest_us == 0 or _is_time(self.shortest_us)):
            _replace(self, "shortest_us", "a number from 0", 0.0)


def _is_count(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 62


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 < value < 1e9


def _replace(options: object, name: str, allowed: str, used: object) -> None:
    report(name, getattr(options, name), allowed, used)
    object.__setattr__(options, name, used)
