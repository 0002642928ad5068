"""Recordings whose files are in order and whose records cannot be: nothing is believed, all of it is told."""

from __future__ import annotations

import pytest
from recordings import RANGES, manifest, rewritten

UNLISTED = "records are of threads that the recording does not list"
OUT_OF_TIME = "records lie outside of the recording's time, or end before they start"
IMPOSSIBLE = "records hold numbers that mean nothing"


def set_to(column, row, value):
    def change(columns):
        columns[column][row] = value

    return change


def test_a_sound_recording_has_no_issues(run, loaded):
    found = loaded(run)
    assert found.count("op") == RANGES
    assert found.count("mark") == RANGES
    assert found.warnings() == set()
    assert found.is_balanced()
    assert found.count("thread") == 3  # that of the interpreter has calls as well


@pytest.mark.parametrize("bit", range(3, 24))
def test_a_depth_that_cannot_be_costs_its_record(run, loaded, sound, bit):
    whole = loaded(sound).count("python_call")
    rewritten(run, "frame", lambda columns: columns["depth"].__setitem__(50, columns["depth"][50] ^ 1 << bit))
    found = loaded(run)
    ((text, count, rejected),) = found.issues("impossible")
    assert "contradict those before them" in text
    assert (count, rejected) == (1, 1)
    invented = found.one("SELECT count(*) FROM python_call JOIN string s ON s.id = name_id WHERE s.value = '<lost>'")
    assert [count for _, count, _ in found.issues("lost-calls")] == [1] * invented
    assert invented <= 1
    assert whole - 1 <= found.count("python_call") <= whole
    assert found.is_balanced()


def test_depths_of_millions_end_soon(run, loaded):
    def change(columns):
        columns["depth"][20:60] = [1 << 24 if at % 2 else 7 for at in range(40)]

    rewritten(run, "frame", change)
    found = loaded(run)
    assert found.one("SELECT sum(rejected_count) FROM issue WHERE code = 'impossible'") >= 20
    assert found.count("python_call") < 3_000
    assert found.is_balanced()


@pytest.mark.parametrize("event", [5, 9, 255])
def test_an_unknown_event_costs_its_record_alone(run, loaded, event):
    rewritten(run, "frame", set_to("event", 50, event))
    found = loaded(run)
    assert (IMPOSSIBLE, 1, 1) in found.issues("impossible")
    assert found.one("SELECT sum(rejected_count) FROM issue WHERE code = 'impossible'") <= 2
    assert found.count("op") == RANGES
    assert found.is_balanced()


def test_the_end_of_a_loss_that_nobody_told_of_is_left_out(run, loaded, sound):
    rewritten(
        run, "frame", lambda columns: columns["event"].__setitem__(50, 4) or columns["depth"].__setitem__(50, 999)
    )
    found = loaded(run)
    assert found.one("SELECT sum(rejected_count) FROM issue WHERE code = 'impossible'") == 1
    assert found.count("op") == RANGES


@pytest.mark.parametrize(
    ("table", "column"),
    [("op", "thread"), ("frame", "thread"), ("mark", "thread"), ("mark", "end_thread"), ("gc", "thread")],
)
@pytest.mark.parametrize("number", [0, 99, 65_000])
def test_a_thread_that_is_not_listed_is_never_made_up(run, loaded, table, column, number):
    rewritten(run, table, set_to(column, 0, number))
    found = loaded(run)
    assert (UNLISTED, 1, 1) in found.issues("impossible")
    assert found.count("thread") == 3
    assert found.is_balanced()


def test_threads_of_a_damaged_list_keep_their_numbers_and_that_is_told(run, loaded):
    (path,) = run.glob("NPUWH_RECORDING/thread-*")
    path.unlink()
    found = loaded(run)
    assert found.count("op") == RANGES
    assert found.warnings() == {"missing-chunk", "unlisted-thread"}


@pytest.mark.parametrize("column", ["name", "form"])
def test_a_name_or_form_that_is_not_there_is_told(run, loaded, column):
    rewritten(run, "op", set_to(column, 3, (1 << 32) - 1))
    found = loaded(run)
    assert found.count("op") == RANGES
    assert [each[1:] for each in found.issues("missing-text" if column == "name" else "missing-form")] == [(1, 0)]


@pytest.mark.parametrize("column", ["stack", "module", "dtypes", "shapes"])
def test_texts_of_forms_that_are_not_there_are_told(run, loaded, column):
    rewritten(run, "op_form", set_to(column, 0, 1 << 30))
    found = loaded(run)
    assert found.count("op") == RANGES
    assert found.issues("missing-text")[0][1] == RANGES


def test_a_function_that_is_not_there_is_told(run, loaded):
    def change(columns):
        columns["code"][columns["event"].index(0)] = 1 << 31

    rewritten(run, "frame", change)
    found = loaded(run)
    assert found.issues("missing-text") == [("functions have no name in the recording", 1, 0)]
    assert (
        found.one("SELECT count(*) FROM python_call JOIN string s ON s.id = name_id WHERE s.value = '<unknown>'") == 1
    )


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("op", "start_ticks", 1 << 62), ("op", "start_ticks", -5), ("op", "start_ticks", 7),
        ("op", "duration_ticks", -1 & 0xFFFF_FFFF), ("frame", "time_ticks", 1 << 61), ("mark", "end_ticks", 1 << 62),
        ("mark", "end_ticks", 1), ("gc", "start_ticks", 0), ("gc", "end_ticks", 1 << 62),
    ],
)  # fmt: skip
def test_times_outside_of_the_recording_are_left_out(run, loaded, table, column, value):
    rewritten(run, table, set_to(column, 0, value))
    found = loaded(run)
    if (table, column) == ("op", "duration_ticks"):  # 2 s at most: it may have been so long
        assert found.one("SELECT max(end_ns - start_ns) FROM op") < 5e9
    else:
        assert (OUT_OF_TIME, 1, 1) in found.issues("impossible")
        assert found.one("SELECT max(end_ns) - min(start_ns) FROM op") < 60e9
    assert found.is_balanced()


@pytest.mark.parametrize(("column", "value"), [("scope", 255), ("is_async", 9)])
def test_scopes_that_no_framework_has_are_left_out(run, loaded, column, value):
    rewritten(run, "op_form", set_to(column, 0, value))
    found = loaded(run)
    assert found.count("op") == 0
    assert found.issues("impossible") == [(IMPOSSIBLE, RANGES, RANGES)]


def test_a_text_that_is_there_twice_counts_once(run, loaded):
    def change(columns):
        columns["string"][2] = columns["string"][1]

    rewritten(run, "string", change)
    assert [each[1] for each in loaded(run).issues("bad-text")] == [1]


def test_a_manifest_without_times_leaves_those_of_the_chunks(run, loaded, sound):
    right = loaded(sound).rows("SELECT start_ns, end_ns FROM op ORDER BY id")
    manifest(run, anchors=[], ticks_per_second=None)
    found = loaded(run)
    assert found.rows("SELECT start_ns, end_ns FROM op ORDER BY id") == right
    assert found.warnings() == set()
