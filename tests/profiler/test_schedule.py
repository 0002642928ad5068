"""Actions of steps and what happens between them, against the tables of framework-files.md 6.3 and 6.4."""

from __future__ import annotations

import pytest

pytest.importorskip("warehouse._recorder", reason="the recorder is built for Linux only")

from warehouse.profiler import ProfilerAction, schedule
from warehouse.profiler.schedule import always_record
from warehouse.profiler.transitions import Do, between

N, W, R, S = ProfilerAction


@pytest.mark.parametrize(
    ("settings", "actions"),
    [
        ({"wait": 0, "active": 1, "warmup": 0}, [S, S, S]),
        ({"wait": 1, "active": 2, "warmup": 1}, [N, W, R, S, N, W, R, S]),
        ({"wait": 1, "active": 1, "warmup": 1, "repeat": 2}, [N, W, S, N, W, S, N, N]),
        ({"wait": 1, "active": 2, "warmup": 0, "skip_first": 2}, [N, N, N, R, S, N]),
        ({"wait": 2, "active": 1, "warmup": 1, "skip_first": 1, "skip_first_wait": 1}, [N, W, S, N, N, W, S]),
        ({"wait": 2, "active": 1, "warmup": 0, "repeat": 1, "skip_first_wait": 1}, [S, N, N, N]),
    ],
)
def test_action_of_each_step(settings, actions):
    plan = schedule(**settings)
    assert [plan(step) for step in range(len(actions))] == actions


def test_positional_order_is_wait_active_warmup():
    plan = schedule(1, 2, 3, 4, 5, 6)
    found = (plan.wait, plan.active, plan.warmup, plan.repeat, plan.skip_first, plan.skip_first_wait)
    assert found == (1, 2, 3, 4, 5, 6)


def test_steps_below_zero_are_an_error():
    with pytest.raises(ValueError, match="counted from 0"):
        schedule(wait=0, active=1, warmup=1)(-1)


@pytest.mark.parametrize(
    ("settings", "name", "used"),
    [
        ({"wait": -1, "active": 1, "warmup": 1}, "wait", 0),
        ({"wait": 0, "active": 0, "warmup": 1}, "active", 1),
        ({"wait": 0, "active": "2", "warmup": 1}, "active", 1),
        ({"wait": 0, "active": 1, "warmup": 1.5}, "warmup", 0),
        ({"wait": 0, "active": 1, "warmup": 1, "repeat": -2}, "repeat", 0),
        ({"wait": 0, "active": 1, "warmup": 1, "skip_first": None}, "skip_first", 0),
        ({"wait": 0, "active": 1, "warmup": 1, "skip_first_wait": "x"}, "skip_first_wait", 0),
    ],
)
def test_wrong_values_are_told_and_replaced(settings, name, used, caplog):
    plan = schedule(**settings)
    assert getattr(plan, name) == used
    assert any(f"{name}={settings[name]!r}" in line and f"{used!r} is used" in line for line in caplog.messages)


def test_recording_without_warmup_is_warned_of(caplog):
    schedule(wait=1, active=1)
    assert any("warmup=0" in line for line in caplog.messages)


def test_without_schedule_everything_is_recorded():
    assert {always_record(step) for step in range(5)} == {R}


# rows of the table: before -> (none, warm-up, record, record and save, end of the run)
TABLE = {
    N: ("", "IU", "IB", "IB", ""),
    W: ("WBEF", "", "B", "B", "WEFD"),
    R: ("WEF", "WEF", "", "", "WEFR"),
    S: ("EFR", "EFRIU", "EFRIB", "EFRIB", "WEFR"),
}


@pytest.mark.parametrize("before", list(ProfilerAction))
def test_transitions(before):
    found = tuple("".join(each.value for each in between(before, after)) for after in (N, W, R, S, None))
    assert found == TABLE[before]


def test_a_run_that_ends_in_warm_up_stops_its_writers():
    assert Do.STOP in between(W, None)
