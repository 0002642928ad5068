"""The vendor's databases in, the text files and traces of the same run out: the framework's and those of msprof.

`tests/declared_differences*.txt` list what may differ, each with its reason.  A declared column is not compared at all
by `compare_gold.py`, so the tests below the comparison hold it to its reason: other rows of the column are equal.
"""

import csv
import json
import re
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
GOLD = TESTS.parents[1] / "shared" / "data" / "gold"
LISTS = [TESTS / "declared_differences.txt", TESTS / "declared_differences_of_databases.txt"]
NOT_MADE = ["hbm.csv", "aicpu.csv"]  # of msprof
SCENARIOS = sorted(path.parent.name for path in GOLD.glob("*/expected"))
README = TESTS.parent / "README.md"
# a line of the comparison: the file, or a cell (of a row) or value (at a path) that differs
FILE = re.compile(r"^(?:DIFF|ok  ) \S*/(\S+)")
DIFFERS = re.compile(r"^    (?:cell: .*\} |value: .*/)(\S[^/]*?|.*\(GB/s\)|.*\(MB/s\)): found '.*' expected '")
UNUSED = re.compile(r"^note declared difference that excused nothing: (.*)$", re.MULTILINE)

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not SCENARIOS, reason="../shared is not there")]


def compare(actual, expected, *options):
    command = [
        sys.executable, TESTS / "compare_gold.py", actual, expected, "--only", "*.[cj]s*",
        *(word for path in LISTS for word in ("--allow-from", path)),
        *(word for name in NOT_MADE for word in ("--allow", name)), *options,
    ]  # fmt: skip
    return subprocess.run(command, capture_output=True, text=True, check=False)


def entries():
    lines = [line for path in LISTS for line in path.read_text(encoding="utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith("#")]


def rows(folder, name):
    for path in sorted(folder.rglob(name)):
        with path.open(newline="", encoding="utf-8") as file:
            yield from csv.DictReader(file)


def slices(folder):
    for path in sorted(folder.rglob("trace_view.json")):
        yield from (event for event in json.loads(path.read_text(encoding="utf-8")) if event["ph"] == "X")


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_equal(gold, scenario):
    done = compare(*gold(scenario))
    assert done.stdout.rstrip().endswith("-> EQUAL"), done.stdout + done.stderr


def test_every_declared_difference_excuses_something(gold):
    declared = {entry.split("#")[0].strip() for entry in entries()}
    unused = [set(UNUSED.findall(compare(*gold(scenario)).stdout)) for scenario in SCENARIOS]
    assert set.intersection(declared, *unused) == set()


def test_every_declared_difference_has_its_reason():
    assert [entry for entry in entries() if not entry.partition("#")[2].strip()] == []


def test_what_is_equal_within_rounding_is_told(gold):
    differing = set()
    for scenario in SCENARIOS:
        name = None
        for line in compare(*gold(scenario), "--exact", "--show", "100000").stdout.splitlines():
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
    actual, expected = gold(scenario)
    for folder in sorted(path.relative_to(expected) for path in expected.rglob("kernel_details.csv")):
        end = None
        theirs = rows((expected / folder).parent, "kernel_details.csv")
        for row, reference in zip(rows((actual / folder).parent, "kernel_details.csv"), theirs, strict=True):
            start, wait = Decimal(row["Start Time(us)"].strip()), Decimal(row["Wait Time(us)"])
            assert wait == (0 if end is None else max(Decimal(0), start - end)), row
            end = start + Decimal(row["Duration(us)"])
            assert abs(wait - Decimal(reference["Wait Time(us)"])) <= Decimal("0.5"), row


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
