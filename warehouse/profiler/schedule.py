"""When to record: the action of each step (framework-files.md 6.3)."""

from __future__ import annotations

import enum

from warehouse.profiler.settings import checked_count, logger, report


class ProfilerAction(enum.Enum):
    """What a profiler does in a step.

    >>> ProfilerAction.RECORD_AND_SAVE.value
    3
    """

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


class Schedule:
    """Action of each step: after `skip_first` steps cycles of `wait`, `warmup` and `active` steps, `repeat` of them
    (0: no end).  With `skip_first_wait` other than 0 the first cycle does not wait.

    Wrong values are reported and replaced: counts by 0, `active` by 1.  ValueError for a step below 0.

    >>> plan = Schedule(wait=1, active=2, warmup=1, repeat=1)
    >>> [plan(step).name for step in range(5)]
    ['NONE', 'WARMUP', 'RECORD', 'RECORD_AND_SAVE', 'NONE']
    """

    def __init__(
        self,
        wait: int,
        active: int,
        warmup: int = 0,
        repeat: int = 0,
        skip_first: int = 0,
        skip_first_wait: int = 0,
    ) -> None:
        self.wait = checked_count("wait", wait)
        self.active = checked_count("active", active, least=1)
        self.warmup = checked_count("warmup", warmup)
        self.repeat = checked_count("repeat", repeat)
        self.skip_first = checked_count("skip_first", skip_first)
        self.skip_first_wait = _flag_number(skip_first_wait)
        if self.warmup == 0:
            logger.warning("warmup=0: the first recorded step also pays for starting the recording; warmup=1 avoids it")

    def __call__(self, step: int) -> ProfilerAction:
        if step < 0:
            raise ValueError(f"step {step}: steps are counted from 0")
        if step < self.skip_first:
            return ProfilerAction.NONE
        step -= self.skip_first
        if self.skip_first_wait != 0:
            step += self.wait
        length = self.wait + self.warmup + self.active
        if 0 < self.repeat <= step // length:
            return ProfilerAction.NONE
        place = step % length
        if place < self.wait:
            return ProfilerAction.NONE
        if place < self.wait + self.warmup:
            return ProfilerAction.WARMUP
        return ProfilerAction.RECORD if place < length - 1 else ProfilerAction.RECORD_AND_SAVE


def always_record(_step: int) -> ProfilerAction:
    """The schedule of a profiler without one: everything from start to stop.

    >>> always_record(7).name
    'RECORD'
    """
    return ProfilerAction.RECORD


def _flag_number(given: object) -> int:
    if isinstance(given, int):
        return given
    report("skip_first_wait", given, "a whole number", 0)
    return 0
