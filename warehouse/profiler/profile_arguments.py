"""What `profile` is given, checked: a wrong argument is reported with what is allowed and what is used instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from warehouse.profiler.boundary import trouble
from warehouse.profiler.experimental_config import _ExperimentalConfig
from warehouse.profiler.recording_options import DiskLimits, Selection
from warehouse.profiler.schedule import ProfilerAction, Schedule, always_record
from warehouse.profiler.settings import ProfilerActivity, report, supported_activities

_Options = TypeVar("_Options", DiskLimits, Selection)


def checked_activities(given: Iterable[ProfilerActivity] | None) -> set[ProfilerActivity]:
    """The activities as a set; None or none of them: all."""
    if given is None:
        return supported_activities()
    try:
        wanted = set(given)
    except Exception:  # whatever it is, it is told
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


class _GivenSchedule:
    """A function of the program's, of which every answer is checked: by name, so that those of torch.profiler's and
    torch_npu's schedules are known too."""

    def __init__(self, given: Callable[[int], object], first: ProfilerAction) -> None:
        self._given = given
        self._first: ProfilerAction | None = first
        self._is_told = False

    def __call__(self, step: int) -> ProfilerAction:
        """The action of a step; NONE, told once, if the function gives none."""
        first, self._first = self._first, None
        if first is not None and step == 0:
            return first
        found, wrong = _action_of(self._given, step)
        if found is not None:
            return found
        if not self._is_told:
            trouble("schedule(%d) gave %s, which is no ProfilerAction; nothing is recorded in such steps", step, wrong)
            self._is_told = True
        return ProfilerAction.NONE


def _action_of(schedule: Callable[[int], object], step: int) -> tuple[ProfilerAction | None, str]:
    """What it gives for a step; None, and what it did instead."""
    try:
        given = schedule(step)
        name = getattr(given, "name", None)
        if isinstance(name, str) and name in ProfilerAction.__members__:
            return ProfilerAction[name], ""
        return None, repr(given)[:100]
    except Exception as error:
        return None, f"{type(error).__name__}: {error}"


def checked_schedule(given: object) -> tuple[Callable[[int], ProfilerAction], bool]:
    """The schedule, and whether one was given."""
    if given is None:
        return always_record, False
    if isinstance(given, Schedule):
        return given, True
    if callable(given):
        first, wrong = _action_of(given, 0)
        if first is not None:
            return _GivenSchedule(given, first), True
        given = f"{given!r} (which gave {wrong} for step 0)"
    allowed = "a schedule(...), or what gives a ProfilerAction for a step"
    report("schedule", given, allowed, "recording from start to stop")
    return always_record, False


def checked_trace_observer(given: object) -> Any:
    """What is to start and stop with the profiler, or None."""
    if given is None or (callable(getattr(given, "start", None)) and callable(getattr(given, "stop", None))):
        return given
    report("execution_trace_observer", given, "something with start() and stop()", None)
    return None
