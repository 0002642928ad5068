"""Clocks as Python sees them, against exact fractions and Python's own floats."""

from __future__ import annotations

from array import array
from fractions import Fraction
from math import floor

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse._native import FrameworkClock, TickClock, latched_ns, microseconds_to_ns

INT64 = st.integers(-(2**63), 2**63 - 1)
MHZ = st.decimals("0.000001", "99999", places=6).map(lambda value: format(value, "f"))


def clamped(value: int) -> int:
    return max(-(2**63), min(2**63 - 1, value))


@given(MHZ, INT64, INT64, INT64)
def test_ticks_are_exact(mhz: str, base_tick: int, base_ns: int, tick: int) -> None:
    clock = TickClock(mhz, base_tick, base_ns)
    assert clock.ns(tick) == clamped(base_ns + floor((tick - base_tick) * 1000 / Fraction(mhz)))
    assert clock.duration_ns(tick) == clamped(floor(tick * 1000 / Fraction(mhz)))
    assert latched_ns(base_ns, tick, mhz) == clamped(base_ns + round(tick * 1000 / Fraction(mhz)))


@given(st.floats(1e-15, 1e15), INT64, INT64, INT64, INT64)
def test_the_framework_formula_is_pythons(mhz: float, start_tick: int, start_ns: int, offset: int, tick: int) -> None:
    expected = clamped(int((tick - start_tick) * (1000.0 / mhz)) + start_ns + offset)
    assert FrameworkClock(mhz, start_tick, start_ns, offset).ns(tick) == expected
    assert FrameworkClock(offset).ns(tick) == clamped(tick + offset)


def test_whole_columns() -> None:
    ticks = [1000, 1001, 999]
    clock = TickClock("50.000000", 1000, 5)
    assert clock.column_ns(array("q", ticks)).tolist() == [5, 25, -15]
    assert clock.column_ns(pa.array(ticks, pa.int64())).tolist() == [5, 25, -15]
    assert FrameworkClock(100.0, 1000, 0, 5).column_ns(array("q", ticks)).tolist() == [5, 15, -5]
    assert TickClock("", 1000, 5).ns(7) == 12


@pytest.mark.parametrize(("text", "ns"), [("12.5", 12500), ("12.5678", 12567), ("12", 12000), ("12\t", 12000)])
def test_microseconds(text: str, ns: int) -> None:
    assert microseconds_to_ns(text) == ns


@pytest.mark.parametrize("mhz", ["0", "fast", "-1", "1e3"])
def test_a_frequency_that_is_none_is_refused(mhz: str) -> None:
    with pytest.raises(ValueError, match="is no such number"):
        TickClock(mhz, 0, 0)
