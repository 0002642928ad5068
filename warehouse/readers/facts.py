"""What a source says about its rank as a whole."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class RankFacts:
    """Facts of one rank; None where the source does not say.  `ranks` holds every rank number with who said it."""

    ranks: list[tuple[str, int]] = field(default_factory=list)
    device_ids: list[int] = field(default_factory=list)
    chip_names: dict[int, str] = field(default_factory=dict)
    cores: dict[int, Cores] = field(default_factory=dict)  # by device
    host_name: str | None = None
    host_uid: str | None = None
    pid: int | None = None
    level: str | None = None
    framework_version: str | None = None
    cann_version: str | None = None
    schema_version: str | None = None
    session_start_ns: int | None = None
    session_end_ns: int | None = None
    metadata: list[tuple[str, str | None]] = field(default_factory=list)
    groups: dict[str, Group] = field(default_factory=dict)


@dataclass(frozen=True)
class Cores:
    """The cores of a device, as it describes itself: how many, and their nominal clocks in MHz; None: not told."""

    aic_core_count: int | None = None
    aiv_core_count: int | None = None
    aic_mhz: float | None = None
    aiv_mhz: float | None = None


@dataclass
class Group:
    """A communication group as the profiler's metadata describes it."""

    alias: str | None = None
    ranks: list[int] = field(default_factory=list)
