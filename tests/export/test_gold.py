"""The vendor's databases in, the text files and traces of the same run out: the framework's and those of msprof.

`tests/declared_differences.txt` lists what may differ, each with its reason.  A declared column is not compared at all
by `compare_gold.py`, so the tests below the comparison hold it to its reason: other rows of the column are equal.
"""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from gold.declared import OF_DATABASES, check_waits, compare, entries, rows, unused

TESTS = Path(__file__).parents[1]
GOLD = TESTS.parents[1] / "shared" / "data" / "gold"
SCENARIOS = sorted(path.parent.name for path in GOLD.glob("*/expected"))
README = TESTS.parent / "README.md"
# a line of the comparison: the file, or a cell (of a row) or value (at a path) that differs
FILE = re.compile(r"^(?:DIFF|ok  ) \S*/(\S+)")
DIFFERS = re.compile(r"^    (?:cell: .*\} |value: .*/)(\S[^/]*?|.*\(GB/s\)|.*\(MB/s\)): found '.*' expected '")

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not SCENARIOS, reason="../shared is not there")]


def slices(folder):
    for path in sorted(folder.rglob("trace_view.json")):
        yield from (event for event in json.loads(path.read_text(encoding="utf-8")) if event["ph"] == "X")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_equal(gold, scenario):
    printed = compare(OF_DATABASES, *gold(scenario))
    assert printed.endswith("-> EQUAL"), printed


def test_every_declared_difference_excuses_something(gold):
    excused_nothing = [unused(compare(OF_DATABASES, *gold(scenario))) for scenario in SCENARIOS]
    assert set.intersection(set(entries(OF_DATABASES)), *excused_nothing) == set()


def test_every_declared_difference_has_its_reason():
    assert [entry for entry, reason in entries(OF_DATABASES).items() if not reason] == []


def test_what_is_equal_within_rounding_is_told(gold):
    differing = set()
    for scenario in SCENARIOS:
        name = None
        for line in compare(OF_DATABASES, *gold(scenario), "--exact", "--show", "100000").splitlines():
            name = found[1] if (found := FILE.match(line)) else name
            if found := DIFFERS.match(line):
                differing.add((name, found[1].removeprefix("args.")))
    table = README.read_text(encoding="utf-8").partition("### Equal within rounding\n")[2].partition("\n\n###")[0]
    told = set()
    for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE):
        file, *columns = re.findall(r"`(.*?)`", row)
        told |= {(file, column) for column in columns}
    assert told == differing


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_model_is_lost_only_without_descriptions(gold, scenario):
    def known(folder):
        return Counter(
            (row["Name"], row["Start Time(us)"], row["Model ID"])
            for row in rows(folder, "kernel_details.csv")
            if "Model ID" in row and not (scenario == "graph_bare" and row["Name"].endswith("_kernel"))
        )

    found, expected = map(known, gold(scenario))
    assert found == expected


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_waits_differ_by_what_doubles_lose(gold, scenario):
    check_waits(*gold(scenario))


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_only_the_graph_engine_is_late(gold, scenario):
    def allocations(folder):
        return Counter(
            (row["Name"], row["Allocation Time(us)"], row["Release Time(us)"])
            for row in rows(folder, "operator_memory.csv")
            if not row["Name"].startswith("cann::")
        )

    def records(folder):
        return Counter(
            tuple(row.values()) for row in rows(folder, "memory_record.csv") if row["Component"] not in ("GE", "PTA+GE")
        )

    actual, expected = gold(scenario)
    assert allocations(actual) == allocations(expected)
    assert records(actual) == records(expected)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_a_kernel_has_its_name(gold, scenario):
    def names(folder):
        return Counter(
            (row["task_start(us)"], row["stream_id"], row["kernel_name"].removesuffix("_kernel"))
            for row in rows(folder, "task_time.csv")
        )

    actual, expected = gold(scenario)
    assert names(actual) == names(expected)


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_only_copies_have_another_type(gold, scenario):
    def types(folder):
        return Counter(
            (event["ts"], event["name"], event["args"]["Task Type"])
            for event in slices(folder)
            if "Task Type" in event.get("args", {}) and event["name"] != "MEMCPY_ASYNC"
        )

    actual, expected = gold(scenario)
    assert types(actual) == types(expected)
