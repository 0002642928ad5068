"""What every stage of the benchmark gets, and what it gives: figures."""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from tests.bench.child import ROOT, timed
from tests.bench.inputs.simulated_rank import make_warehouse

LOWER_IS_BETTER = ("s", "ms", "ns", "ns/event", "%", "MB", "B/row", "ns/row", "records", "x growth", "x as long")


@dataclass(frozen=True)
class Figure:
    """One number, and what it has to be; `must` and `aim` are none where nothing was stated for this size."""

    stage: str
    quantity: str
    value: float
    unit: str
    must: float | None = None
    aim: float | None = None
    note: str = ""

    @property
    def verdict(self) -> str:
        """`aim`, `must`, `missed`, or nothing where nothing was asked.

        >>> Figure("load", "10 integers, against adbc", 6.0, "x", must=5, aim=10).verdict
        'must'
        """
        for name in ("aim", "must"):
            asked = getattr(self, name)
            if asked is not None and (self.value <= asked if self.unit in LOWER_IS_BETTER else self.value >= asked):
                return name
        return "" if self.must is None else "missed"


class Seconds(float):
    """Elapsed seconds; `cpu` are those of processors, children's too: about what a machine without other work takes.

    Two processors at work make more of them than elapse.
    """

    cpu: float

    def __new__(cls, elapsed: float, cpu: float) -> Seconds:
        made = super().__new__(cls, elapsed)
        made.cpu = cpu
        return made


@dataclass
class Bench:
    """One stage's run: its size, its folder, and where inputs are kept that several stages take.

    `rows` is the size asked for; `is_stated` whether it is at least the size that the figures are stated for.
    """

    stage: str
    rows: int
    is_stated: bool
    repeat: int
    sync: bool
    folder: Path
    inputs: Path
    say: Callable[[str], None] = field(default=lambda text: print(text, file=sys.stderr, flush=True))

    def figure(self, quantity: str, value: float, unit: str, must: float | None = None, aim: float | None = None,
               note: str = "", *, is_any_size: bool = False) -> Figure:  # fmt: skip
        """A figure of this stage; `must` and `aim` count from the stated size on, or with `is_any_size` always."""
        counts = self.is_stated or is_any_size
        return Figure(self.stage, quantity, float(value), unit, must if counts else None, aim if counts else None, note)

    def in_turns(
        self,
        ways: Mapping[str, Callable[[], object]],
        after: Callable[[str], object] = lambda way: None,
        repeat: int | None = None,
    ) -> dict[str, Seconds]:
        """Median seconds of each way; in every round all take their turn, so that what disturbs one disturbs all.

        `after` tidies up outside of the timer.
        """
        taken: dict[str, list[tuple[float, float]]] = {way: [] for way in ways}
        for _ in range(repeat or self.repeat):
            for way, call in ways.items():
                began, cpu = time.perf_counter(), sum(os.times()[:4])
                call()
                taken[way].append((time.perf_counter() - began, sum(os.times()[:4]) - cpu))
                after(way)
        return {way: Seconds(*map(statistics.median, zip(*times, strict=True))) for way, times in taken.items()}

    def raw_run(self, kernels: int) -> Path:
        """A raw profile of one rank with that many kernels (tests/synth), in up to 20 steps."""
        path = self.inputs / f"raw_{kernels}"
        steps = min(20, max(1, kernels // 1000))
        command = ["tests.synth", str(path), "--steps", str(steps), "--ops-per-step", str(kernels // steps)]
        self._make(path, lambda: timed(command, ROOT))
        return path

    def raw_warehouse(self, kernels: int) -> Path:
        """That run, ingested."""
        run, path = self.raw_run(kernels), self.inputs / f"raw_{kernels}.db"
        self._make(path, lambda: timed(["warehouse.cli", "ingest", str(run), "-o", str(path)]))
        return path

    def task_warehouse(self, tasks: int) -> Path:
        """A warehouse of that many device tasks, operators and calls (inputs/simulated_rank.py)."""
        path = self.inputs / f"tasks_{tasks}.db"
        self._make(path, lambda: make_warehouse(path, tasks))
        return path

    def _make(self, path: Path, make: Callable[[], object]) -> None:
        if path.exists():
            return
        self.say(f"making {path.name} …")
        try:
            make()
        except BaseException:  # half an input must not be taken for one in the next run
            shutil.rmtree(path, ignore_errors=True) if path.is_dir() else path.unlink(missing_ok=True)
            raise


def synced(path: Path) -> None:
    """What was written of a file is on the disk."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def folder_bytes(path: Path) -> int:
    """Bytes of all files below a folder."""
    return sum(each.stat().st_size for each in path.rglob("*") if each.is_file())
