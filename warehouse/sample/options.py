"""What a simulated run can be asked for."""

from __future__ import annotations

from dataclasses import dataclass

LEVELS = ("Level0", "Level1", "Level2")
GRAPHS = ("none", "capture", "replay", "bare")


@dataclass(frozen=True)
class Options:
    """Settings of a simulated run.

    graph: `capture` also profiles the capture, `replay` only the replays, `bare` not even what its kernels are.
    """

    ranks: int = 2
    steps: int = 3
    ops_per_step: int = 40
    level: str = "Level1"
    generation: str = "1.2.0"
    graph: str = "capture"
    replays: int = 2
    stack: bool = True
    memory: bool = True
    counters: bool = True
    marks: bool = True
    queue: bool = True
    analysis: bool = True
    seed: int = 7

    @property
    def old(self) -> bool:
        return self.generation == "1.0.0"

    @property
    def describes(self) -> bool:
        """Level0 knows no shapes, types and PMU."""
        return self.level != "Level0"
