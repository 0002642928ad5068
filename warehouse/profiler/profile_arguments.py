"""What `profile` is given, checked: a wrong argument is reported with what is allowed and what is used instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from warehouse.profiler.experimental_config import _ExperimentalConfig
from warehouse.profiler.recording_options import DiskLimits, Selection
from warehouse.profiler.schedule import ProfilerAction, always_record
from warehouse.profiler.settings import ProfilerActivity, report, supported_activities

_Options = TypeVar("_Options", DiskLimits, Selection)


def checked_activities(given: Iterable[ProfilerActivity] | None) -> set[ProfilerActivity]:
    """The activities as a set; None or none of them: all."""
    if given is None:
        return supported_activities()
    try:
        wanted = set(given)
    except TypeError:
        wanted = {None}  # type: ignore[arg-type]
    names = {getattr(each, "name", None): each for each in wanted}
    if not wanted:
        return supported_activities()
    if not set(names) <= {each.name for each in ProfilerActivity}:
        report("activities", given, "a list of ProfilerActivity.CPU and NPU", sorted(a.name for a in ProfilerActivity))
        return supported_activities()
    return {ProfilerActivity[name] for name in names if name is not None}


def checked_config(given: object) -> _ExperimentalConfig:
    """The settings beyond ranges, or their defaults."""
    if given is None:
        return _ExperimentalConfig()
    if isinstance(given, _ExperimentalConfig):
        return given
    report("experimental_config", given, "an _ExperimentalConfig", "its defaults")
    return _ExperimentalConfig()


def checked_options(name: str, given: object, default: _Options) -> _Options:
    """Settings of our own, or their defaults."""
    if given is None:
        return default
    if isinstance(given, type(default)):
        return given
    report(name, given, f"a {type(default).__name__}(...)", "its defaults")
    return default


def checked_schedule(given: object) -> tuple[Callable[[int], ProfilerAction], bool]:
    """The schedule, and whether one was given."""
    if given is None:
        return always_record, False
    if callable(given):
        return given, True
    report("schedule", given, "a schedule(...)", "recording from start to stop")
    return always_record, False
