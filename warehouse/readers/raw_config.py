"""What a raw profile says about itself: configuration files, and from them the clocks (cann-files.md 1.3, 2;
framework-files.md 4).

A file that is missing or damaged is noted and its facts are missing; nothing is guessed in their place.
"""

from __future__ import annotations

import ast
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from warehouse import _native
from warehouse.errors import InputError
from warehouse.readers.facts import Cores
from warehouse.readers.input_file import is_regular, open_regular, why_unreadable
from warehouse.readers.issues import INFO, WARNING, Ledger
from warehouse.readers.json_text import decimal, parse_json
from warehouse.readers.plausible import LATEST_NS
from warehouse.readers.raw_files import RawFiles
from warehouse.readers.raw_rows import Numbers

_LARGEST = 16 << 20
_FARTHEST = float(1 << 62)  # of a time, ns: damaged stamps end there
_MOST_TICKS = 1 << 62
_MOST_APART_NS = 10**9  # of what two files say of the same clock
_LATEST_US = 1 << 51  # of a stamp: 71 years after its clock began
_MOST_CORES = 1 << 16
_SLOWEST_MHZ, _FASTEST_MHZ = 1e-3, 1e6  # of a counter; what lies outside is damage
_NUMBER = re.compile(r"[+-]?\d{0,20}\.?\d{1,20}(?:[eE][+-]?\d+)?")
# info.json: platform_version -> the name of the chip that databases give (ascend-db.md 7)
_CHIPS = {
    "0": "Ascend310",
    "1": "Ascend910A",
    "2": "Ascend310P",
    "5": "Ascend910B",
    "7": "Ascend310B",
    "15": "Ascend950",
}


@dataclass
class StartLog:
    """host_start.log or dev_start.log: the counters at the beginning; None where it says nothing."""

    monotonic_ns: int | None = None
    tick: int | None = None
    tick_lag: int = 0


@dataclass
class FolderConfig:
    """The configuration of `host` or of one `device_N`."""

    info: dict[str, Any] = field(default_factory=dict)
    sample: dict[str, Any] = field(default_factory=dict)
    suffix: str = ""  # of the names of its files
    begin_ns: int | None = None  # wall clock
    begin_monotonic_ns: int | None = None
    end_ns: int | None = None
    host_start: StartLog = field(default_factory=StartLog)
    device_start: StartLog = field(default_factory=StartLog)

    @property
    def offset_ns(self) -> int | None:
        """Wall clock less monotonic clock."""
        if self.begin_ns is None or self.begin_monotonic_ns is None:
            return None
        return self.begin_ns - self.begin_monotonic_ns

    def require(self, *names: str) -> None:
        """InputError if one of these files does not tell what times need."""
        told = {
            "start_info": self.offset_ns,
            "host_start.log": self.host_start.monotonic_ns,
            "dev_start.log": self.device_start.monotonic_ns,
        }
        if lacking := [f"{name}{self.suffix}" for name in names if told[name] is None]:
            verb = "is" if len(lacking) == 1 else "are"
            raise InputError(f"no times: {' and '.join(lacking)} {verb} missing or damaged")

    @property
    def host_mhz(self) -> str:
        """Frequency of the host's counter; empty: host stamps are ns."""
        cpus = self.info.get("CPU")
        first = cpus[0] if isinstance(cpus, list) and cpus and isinstance(cpus[0], dict) else {}
        return str(first.get("Frequency", "")).strip()

    @property
    def device(self) -> dict[str, Any]:
        """The description of the device; {} in the host's."""
        devices = self.info.get("DeviceInfo")
        return devices[0] if isinstance(devices, list) and devices and isinstance(devices[0], dict) else {}

    @property
    def chip(self) -> str:
        return str(self.info.get("platform_version", ""))

    @property
    def chip_name(self) -> str | None:
        return _CHIPS.get(self.chip)

    def number(self, name: str) -> float | None:
        """A number of the device's description, written as a number or as a text."""
        text = str(self.device.get(name, "")).strip()
        return float(text) if _NUMBER.fullmatch(text) else None

    @property
    def cores(self) -> Cores:
        """What the device says of its cores; an absurd number counts as none."""
        counts = [self.number(name) for name in ("ai_core_num", "aiv_num")]
        clocks = [self.number(name) for name in ("aic_frequency", "aiv_frequency")]
        whole = [int(each) if each is not None and 1 <= each <= _MOST_CORES else None for each in counts]
        mhz = [each if each is not None and 1 <= each <= _FASTEST_MHZ else None for each in clocks]
        return Cores(whole[0], whole[1], mhz[0], mhz[1])

    @property
    def level(self) -> str | None:
        """Level0, Level1 or Level2."""
        text = str(self.sample.get("prof_level") or self.sample.get("profLevel") or "")
        return f"Level{text[-1]}" if text[-1:] in ("0", "1", "2") else None


@dataclass
class RawConfig:
    """All of it; `profiler` is profiler_info[_N].json."""

    host: FolderConfig = field(default_factory=FolderConfig)
    devices: dict[int, FolderConfig] = field(default_factory=dict)
    profiler: dict[str, Any] = field(default_factory=dict)
    damaged: dict[Path, str] = field(default_factory=dict)  # files that could not be read, and why

    def folders(self) -> list[FolderConfig]:
        return [self.host, *self.devices.values()]


def read_config(files: RawFiles, profiler: dict[str, Any], ledger: Ledger) -> RawConfig:
    """The configuration of a run; what is missing, or contradicts, is noted in the ledger."""
    config = RawConfig(profiler=profiler)
    if files.prof is not None:
        notes = _Notes(ledger, config.damaged)
        config.host = _folder(files.prof / "host", "", notes)
        for device in files.devices:
            config.devices[device.device_id] = _folder(device.path, f".{device.device_id}", notes)
            if not config.host.info and config.devices[device.device_id].info:
                # each folder has a copy: host and process are the same in all
                config.host.info = config.devices[device.device_id].info
                text = f"what info.json should tell of the host is taken from {device.path.name}"
                ledger.note(INFO, "other-configuration", text, table="host")
            _compare_clocks(config.host, config.devices[device.device_id], device.path.name, ledger)
    return config


@dataclass
class _Notes:
    """Takes what is missing and what is damaged."""

    ledger: Ledger
    damaged: dict[Path, str]

    def missing(self, path: Path, severity: str) -> None:
        self.ledger.note(severity, "no-configuration", f"{path.name} is missing", table=path.parent.name)

    def bad(self, path: Path, reason: str) -> None:
        self.damaged[path] = f"{path.name} {reason}"


def _folder(path: Path, suffix: str, notes: _Notes) -> FolderConfig:
    info, sample = _json(path / f"info.json{suffix}", notes), _json(path / "sample.json", notes)
    config = FolderConfig(info, sample, suffix)
    start, end = _json(path / f"start_info{suffix}", notes), _json(path / f"end_info{suffix}", notes, INFO)
    config.begin_ns = _microseconds(start.get("collectionTimeBegin"))
    config.begin_monotonic_ns = _time(start.get("clockMonotonicRaw"))
    config.end_ns = _microseconds(end.get("collectionTimeEnd"))
    config.host_start = _start_log(path / f"host_start.log{suffix}", notes)
    if suffix:
        config.device_start = _start_log(path / f"dev_start.log{suffix}", notes)
    return config


def _text(path: Path, notes: _Notes, severity: str) -> str | None:
    if not is_regular(path):
        if os.path.lexists(path):
            notes.bad(path, f"is not read: {why_unreadable(path)}")
        else:
            notes.missing(path, severity)
        return None
    try:
        with open_regular(path) as file:
            content = file.read(_LARGEST + 1)
        if len(content) > _LARGEST:
            raise InputError("it is too large for a configuration file")
        return content.decode("utf-8", "replace")
    except (OSError, InputError) as error:
        notes.bad(path, f"is not read: {error if str(error).startswith('it ') else why_unreadable(path)}")
        return None


def _json(path: Path, notes: _Notes, severity: str = WARNING) -> dict[str, Any]:
    """The object in the first line, as JSON or as a Python literal (start_info is written both ways)."""
    text = _text(path, notes, severity)
    if text is None:
        return {}
    try:
        try:
            found, _ = parse_json(text)
        except ValueError:
            found = ast.literal_eval(text.strip().partition("\n")[0])
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        notes.bad(path, f"is not readable ({error})")
        return {}
    if not isinstance(found, dict):
        notes.bad(path, "holds no object")
        return {}
    return found


def _start_log(path: Path, notes: _Notes) -> StartLog:
    values: dict[str, str] = {}
    text = _text(path, notes, WARNING)
    for line in (text or "").splitlines():
        name, separator, value = re.sub("=", ":", line, count=1).partition(":")
        if separator:
            values[name.strip()] = value
    tick, lag = _ticks(values.get("cntvct")), _ticks(values.get("cntvct_diff"))
    found = StartLog(_time(values.get("clock_monotonic_raw")), tick, lag or 0)
    if text is not None and found.tick is None and found.monotonic_ns is None:
        notes.bad(path, "holds no counter")
    return found


def _time(value: object) -> int | None:
    """ns of a clock, if it can be."""
    number = decimal(str(value).strip())
    return number if number is not None and number <= LATEST_NS else None


def _ticks(value: object) -> int | None:
    number = decimal(str(value).strip())
    return number if number is not None and number < _MOST_TICKS else None


def _microseconds(value: object) -> int | None:
    try:
        return _time(_native.microseconds_to_ns(str(value))) if value not in (None, "") else None
    except ValueError:
        return None


def _compare_clocks(host: FolderConfig, device: FolderConfig, name: str, ledger: Ledger) -> None:
    """Note it if the folders of host and device do not agree on what the host's clocks showed."""
    if host.offset_ns is not None and device.offset_ns is not None:
        apart = abs(host.offset_ns - device.offset_ns)
        if apart > _MOST_APART_NS:
            text = f"start_info of host and {name} tell wall clocks that are {apart / 1e9:.3f} s apart"
            ledger.note(WARNING, "contradictory-clocks", text, table=name)
    first, second = host.host_start, device.host_start
    if None in (first.tick, second.tick, first.monotonic_ns, second.monotonic_ns) or not host.host_mhz:
        return
    try:
        clock = _native.TickClock(host.host_mhz, first.tick or 0, first.monotonic_ns or 0)
    except ValueError:  # noted where the clock is needed
        return
    apart = abs(clock.ns(second.tick or 0) - (second.monotonic_ns or 0))
    if apart > _MOST_APART_NS:
        text = f"host_start.log of host and {name} contradict each other by {apart / 1e9:.3f} s"
        ledger.note(WARNING, "contradictory-clocks", text, table=name)


def host_clock(folder: FolderConfig) -> _native.TickClock:
    """Host ticks to ns of the wall clock.  InputError where the files do not tell what a tick is."""
    folder.require("start_info")
    offset = folder.offset_ns or 0
    if not folder.info:
        raise InputError(f"no times: info.json{folder.suffix}, which tells what a tick is, is missing or damaged")
    if not folder.host_mhz:
        return _native.TickClock("", 0, offset)
    start = folder.host_start
    if start.monotonic_ns is None or start.tick is None:
        raise InputError(f"no times: host_start.log{folder.suffix} is missing or damaged")
    return _tick_clock(folder.host_mhz, start.tick, _latched_ns(folder) + offset)


def device_clock(folder: FolderConfig) -> _native.TickClock:
    """Device ticks to ns of the wall clock; InputError as `host_clock`."""
    mhz, tick = str(folder.device.get("hwts_frequency", "")).strip(), folder.device_start.tick
    folder.require("start_info", "host_start.log")
    if tick is None:
        raise InputError(f"no times: dev_start.log{folder.suffix} is missing or damaged")
    if not mhz:
        raise InputError(f"no times: info.json{folder.suffix}, which tells what a tick is, is missing or damaged")
    return _tick_clock(mhz, tick, _latched_ns(folder) + (folder.offset_ns or 0))


def _tick_clock(mhz: str, base_tick: int, base_ns: int) -> _native.TickClock:
    if not 0 < base_ns <= LATEST_NS:
        raise InputError("no times: start_info and host_start.log do not fit each other")
    try:
        return _native.TickClock(mhz, base_tick, base_ns)
    except ValueError as error:
        raise InputError(f"no times: a counter of {mhz!r} MHz tells none") from error


def sampled_ns(folder: FolderConfig, stamp_us: Numbers) -> Numbers:
    """Wall clock of HBM, LLC and memory samples (collection format 1.0): us since the device's start log.

    The vendor adds doubles and stores whole ns of the sum: steps of 256 ns, which is less than the stamps' us.  Rates
    are reckoned from these ns, so the same sum is made here, term by term.  Source: cann-files.md 2; the order of the
    terms is that of get_absolute_time_by_sampling_timestamp in the vendor's public parser (github.com/Ascend/msprof,
    analysis/common_func/info_conf_reader.py).  InputError where the files do not tell the wall clock.
    """
    start = folder.device_start.monotonic_ns or 0
    folder.require("start_info", "host_start.log")
    assert folder.begin_ns is not None
    assert folder.begin_monotonic_ns is not None
    delta_s = _latched_ns(folder) / 1e9 - start / 1e9
    offset_us = folder.begin_ns / 1000 - folder.begin_monotonic_ns / 1000
    since_start = np.clip(stamp_us, 0, _LATEST_US) * 1000 + start
    wall = since_start.astype(np.float64) + delta_s * 1e9 + offset_us * 1000.0
    return np.clip(wall, -_FARTHEST, _FARTHEST).astype(np.int64)


def device_ns(folder: FolderConfig, stamp_ns: Numbers) -> Numbers:
    """Wall clock of stamps in ns of the device's monotonic clock (cann-files.md 2); InputError as `sampled_ns`."""
    folder.require("dev_start.log")
    return host_ns(folder, stamp_ns) + (started_ns(folder) - (folder.device_start.monotonic_ns or 0))


def host_ns(folder: FolderConfig, stamp_ns: Numbers) -> Numbers:
    """Wall clock of stamps in ns of the host's monotonic clock; InputError as `sampled_ns`."""
    folder.require("start_info")
    return np.clip(stamp_ns, 0, _LATEST_US * 1000) + (folder.offset_ns or 0)


def started_ns(folder: FolderConfig) -> int:
    """The host's monotonic clock when the device's start log was written; InputError as `sampled_ns`."""
    folder.require("host_start.log")
    return _latched_ns(folder)


def _latched_ns(folder: FolderConfig) -> int:
    start = folder.host_start
    assert start.monotonic_ns is not None
    if not folder.host_mhz or not start.tick_lag:
        return start.monotonic_ns
    try:
        return _native.latched_ns(start.monotonic_ns, start.tick_lag, folder.host_mhz)
    except ValueError as error:
        raise InputError(f"no times: a counter of {folder.host_mhz!r} MHz tells none") from error


def framework_clock(config: RawConfig, ledger: Ledger) -> _native.FrameworkClock:
    """FRAMEWORK ticks to ns of the wall clock, with the reference's own choice of sources (framework-files.md 4).

    A run that was killed has no profiler_info: it counted ticks if CANN did on that host, as both ask the driver.
    """
    start = config.profiler.get("start_info")
    start = start if isinstance(start, dict) else {}
    offset = _framework_offset(config, ledger)
    if not start.get("syscnt_enable", bool(config.host.host_mhz)):
        return _native.FrameworkClock(offset)
    told = config.host.host_mhz if config.host.info else str(start.get("freq", 100.0))
    given = [mhz for mhz in (told, str(start.get("freq", 100.0))) if _NUMBER.fullmatch(mhz)]
    mhz = next((float(mhz) for mhz in given if _SLOWEST_MHZ <= float(mhz) <= _FASTEST_MHZ), None)
    if mhz is None:
        raise InputError(f"no times: a counter of {told!r} MHz tells none")
    if told not in given or float(told) != mhz:
        text = f"info.json gives the host's counter {told!r} MHz, which is none: {mhz} of profiler_info is used"
        ledger.note(WARNING, "no-clock", text)
    log = config.host.host_start
    base_ns, base_tick = log.monotonic_ns, log.tick
    if base_ns is None or base_tick is None:
        base_ns, base_tick = _time(start.get("start_monotonic")), _ticks(start.get("start_cnt"))
    if base_ns is None or base_tick is None:
        raise InputError("no times: neither host_start.log nor profiler_info tells what a tick is")
    return _native.FrameworkClock(mhz, base_tick, base_ns, offset)


def _framework_offset(config: RawConfig, ledger: Ledger) -> int:
    for folder in config.folders():
        if folder.offset_ns:
            return folder.offset_ns
    end = config.profiler.get("end_info")
    if isinstance(end, dict):
        wall, monotonic = _time(end.get("collectionTimeEnd")), _time(end.get("MonotonicTimeEnd"))
        if wall is not None and monotonic is not None:
            return wall - monotonic
    ledger.note(
        WARNING, "no-wall-clock", "no file tells the wall clock: times are those of a clock that starts with the host"
    )
    return 0
