"""What `tests/declared_differences_raw.txt` lets differ from the vendor's files is held to its reason."""

from collections import Counter
from decimal import Decimal
from pathlib import Path

import pytest
from gold.declared import OF_DATABASES, OF_RAW_PROFILES, check_waits, clock_shift, compare, entries, rows, unused

GOLD = Path(__file__).parents[4] / "shared" / "data" / "gold"
SCENARIOS = sorted(path.parent.name for path in GOLD.glob("*/expected"))

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not SCENARIOS, reason="../shared is not there")]
each_scenario = pytest.mark.parametrize("scenario", SCENARIOS)


def test_every_declared_difference_excuses_something(gold):
    excused_nothing = [unused(compare(OF_RAW_PROFILES, *gold(scenario))) for scenario in SCENARIOS]
    assert set.intersection(set(entries(OF_RAW_PROFILES)), *excused_nothing) == set()


def test_every_declared_difference_has_its_reason_and_concerns_databases_too():
    assert [entry for entry, reason in entries(OF_RAW_PROFILES).items() if not reason] == []
    known = set(entries(OF_DATABASES))
    assert [entry for entry in entries(OF_RAW_PROFILES) if not {entry, entry.partition("::")[0]} & known] == []


@each_scenario
def test_waits_differ_by_what_doubles_lose(gold, scenario):
    check_waits(*gold(scenario))


@each_scenario
def test_only_kernels_of_a_graph_without_descriptions_have_another_model(gold, scenario):
    def models(folder):
        details = {
            (row["Name"], row["Start Time(us)"]): row["Model ID"]
            for row in rows(folder, "kernel_details.csv")
            if "Model ID" in row
        }
        summary = {
            (row["Op Name"], row["Task Start Time(us)"]): row["Model ID"] for row in rows(folder, "op_summary_*.csv")
        }
        assert details.items() <= summary.items()
        return summary

    found, expected = map(models, gold(scenario))
    assert found.keys() == expected.keys()
    differing = {key: (found[key], expected[key]) for key in found if found[key] != expected[key]}
    assert {name.endswith("_kernel") for name, _ in differing} <= {True}
    assert set(differing.values()) == ({("7", "4294967295")} if scenario == "graph_bare" else set())


@each_scenario
def test_the_graph_engine_is_late_by_what_a_double_loses(gold, raw, scenario):
    actual, expected = gold(scenario)
    for folder in sorted(path.parent.relative_to(expected) for path in expected.rglob("memory_record.csv")):
        shift = sum(map(clock_shift, (raw(scenario) / folder.parent).glob("PROF_*")), Decimal(0))  # one, or none
        assert abs(shift) <= Decimal("0.25")
        allocations = [Counter(_allocations(root / folder, moved)) for root, moved in ((actual, shift), (expected, 0))]
        assert allocations[0] == allocations[1]
        records = [Counter(_records(root / folder, moved)) for root, moved in ((actual, shift), (expected, 0))]
        assert records[0] == records[1]
        engine = [Counter(_of_msprof(root / folder.parent, moved)) for root, moved in ((actual, shift), (expected, 0))]
        assert engine[0] == engine[1]


@each_scenario
def test_the_ai_cpu_differs_by_what_doubles_lose(gold, scenario):
    """The reference's Python adds doubles of us since 1970 to ticks."""
    for name in ("data_preprocess.csv", "aicpu_*.csv"):
        found, expected = (
            sorted(Decimal(row["Timestamp(us)"].strip()) for row in rows(root, name)) for root in gold(scenario)
        )
        assert len(found) == len(expected)
        assert all(abs(one - other) <= Decimal("0.25") for one, other in zip(found, expected, strict=True))


def _allocations(folder, shift):
    for row in rows(folder, "operator_memory.csv"):
        times = [row[column].strip() for column in ("Allocation Time(us)", "Release Time(us)")]
        if row["Name"].startswith("cann::"):
            times = [str(Decimal(time) + shift) if time else time for time in times]
        yield row["Name"], *times, row["Size(KB)"]


def _of_msprof(folder, shift):
    for name, column in (("operator_memory_*.csv", "Allocation Time(us)"), ("memory_record_*.csv", "Timestamp(us)")):
        for row in rows(folder, name):
            time = str(Decimal(row.pop(column).strip()) + shift)
            yield time, *row.values()


def _records(folder, shift):
    engine = {
        row["Timestamp(us)"].strip() for row in rows(folder, "memory_record.csv") if row["Component"] == "GE"
    }  # a sum is as late as the engine's record that it follows
    for row in rows(folder, "memory_record.csv"):
        time = row["Timestamp(us)"].strip()
        is_late = row["Component"] == "GE" or (row["Component"] == "PTA+GE" and time in engine)
        yield row["Component"], str(Decimal(time) + shift) if is_late else time, row["Total Allocated(MB)"]
