"""What happens between two steps: the table of transitions (framework-files.md 6.4)."""

from __future__ import annotations

import enum

from warehouse.profiler.schedule import ProfilerAction


class Do(enum.Enum):
    """One thing that a transition does, in the letters of the specification."""

    INIT = "I"
    WARMUP = "U"
    START = "B"
    STOP = "E"
    FINALIZE = "F"
    READY = "R"
    DELETE = "D"
    WARN = "W"


_NONE, _WARMUP, _RECORD, _SAVE = ProfilerAction

# None stands for the end of the run.  A run that ends in warm-up stops its writers (E), which the vendor's does not.
_TABLE: dict[tuple[ProfilerAction, ProfilerAction | None], str] = {
    (_NONE, _WARMUP): "IU",
    (_NONE, _RECORD): "IB",
    (_NONE, _SAVE): "IB",
    (_WARMUP, _NONE): "WBEF",
    (_WARMUP, _RECORD): "B",
    (_WARMUP, _SAVE): "B",
    (_WARMUP, None): "WEFD",
    (_RECORD, _NONE): "WEF",
    (_RECORD, _WARMUP): "WEF",
    (_RECORD, None): "WEFR",
    (_SAVE, _NONE): "EFR",
    (_SAVE, _WARMUP): "EFRIU",
    (_SAVE, _RECORD): "EFRIB",
    (_SAVE, _SAVE): "EFRIB",
    (_SAVE, None): "WEFR",
}


def between(before: ProfilerAction, after: ProfilerAction | None) -> list[Do]:
    """What to do when the action changes, in order; `after` None: the run ends.  Nothing for pairs not in the table.

    >>> [each.name for each in between(ProfilerAction.NONE, ProfilerAction.RECORD)]
    ['INIT', 'START']
    """
    return [Do(letter) for letter in _TABLE.get((before, after), "")]
