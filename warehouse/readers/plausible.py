"""Which times can be meant: what no clock shows would stretch every axis and overflow every sum."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

Numbers = npt.NDArray[np.int64]

LATEST_NS = 7_258_118_400 * 10**9  # the year 2200; the earliest is 1, as 0 stands for a missing time
LONGEST_NS = 10 * 86_400 * 10**9  # ten days; nobody profiles longer
# of the slices of one table together, 2.3 years: sums of 128 ranks still fit into 64 bits
MOST_NS = 1 << 56
OUT_OF_TIME = "ends before it starts, lies before 1970 or after 2200, or lasts too long"


def is_time(expression: str) -> str:
    """A condition: an integer from 1 ns to the year 2200.

    >>> is_time("t.timestampNs")
    "typeof(t.timestampNs) = 'integer' AND t.timestampNs BETWEEN 1 AND 7258118400000000000"
    """
    return f"typeof({expression}) = 'integer' AND {expression} BETWEEN 1 AND {LATEST_NS}"


def is_slice(start: str, end: str, longest: int = LONGEST_NS) -> str:
    """A condition: both are numbers that show a time, the end is not before the start and not too long after it.

    >>> is_slice("a", "b", 5)
    'a BETWEEN 1 AND 7258118400000000000 AND b BETWEEN a AND min(7258118400000000000, a + 5)'
    """
    return f"{start} BETWEEN 1 AND {LATEST_NS} AND {end} BETWEEN {start} AND min({LATEST_NS}, {start} + {longest})"


def is_plausible(start: Numbers, end: Numbers) -> npt.NDArray[np.bool_]:
    """As `is_slice`, for columns.

    >>> is_plausible(np.array([5, 5, -1, 5]), np.array([5, 4, 3, 2**63 - 1])).tolist()
    [True, False, False, False]
    """
    good: npt.NDArray[np.bool_] = (start > 0) & (end >= start) & (end <= LATEST_NS)
    good[good] = (end - start)[good] <= LONGEST_NS
    return good
