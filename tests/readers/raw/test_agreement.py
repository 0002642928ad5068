"""Raw profiles and the vendor's databases of the same runs give the same answers."""

import shutil
import sqlite3
from collections import Counter
from pathlib import Path

import pytest

from warehouse import store
from warehouse.ingest import ingest

GOLD = Path(__file__).parents[4] / "shared" / "data" / "gold"
SCENARIOS = sorted(path.parent.name for path in GOLD.glob("*/expected"))

pytestmark = [pytest.mark.shared, pytest.mark.skipif(not SCENARIOS, reason="../shared is not there")]

ROOMS = "host device comm memory graph step cluster".split()
OF_INPUTS = ("source_named", "issue_named", "table_rows")  # tell of the files, not of the run
# a stack that comes again is told once in raw profiles, each time in databases
ONCE = ("stack_line",)
# (view, column, or None for the whole view) -> why only one of them knows, and where
ONE_SIDED = {
    ("rank_overview", "run_name"): "the name of the folder",
    ("rank_overview", "run_path"): "its path",
    ("rank_overview", "input_kind"): "what was read",
    ("rank_overview", "source_count"): "files read",
    ("rank_overview", "record_count"): "records read",
    ("rank_overview", "warning_count"): "what was noted of the files",
    ("rank_overview", "rank_origin"): "raw profiles tell the rank in profiler_info, databases in RANK_DEVICE_MAP",
    ("rank_overview", "framework_version"): "not in databases",
    ("rank_overview", "cann_version"): "not in databases",
    ("rank_overview", "schema_version"): "only databases have one",
    ("rank_overview", "host_name"): ("in the PROF directory, which is not there", ["real_level1_rank0"]),
    ("rank_overview", "level"): ("in profiler_info, which is not with the databases", ["real_level1_rank0"]),
    ("comm_op_label", "group_name"): ("the databases hold no hash of a group then", ["level0"]),
    ("analysis_comm_time", "group_name"): ("the databases hold no hash of a group then", ["level0"]),
    ("module_time", None): ("raw operators carry their module, which databases do not hold", ["with_stack_gc_memory"]),
    ("kernel_op_time", None): ("as module_time", ["with_stack_gc_memory"]),
    ("graph_cost", "captured_ns"): "the databases hold numbers of graphs, but neither captures nor their streams",
    ("graph_cost", "destroyed_ns"): "as above",
    ("graph_cost", "model_streams"): "as above",
    ("graph_cost", "original_streams"): "as above",
    ("graph_node_origin", "original_stream_no"): "as above",
    ("graph_task", "original_stream_no"): "as above",
}


def is_one_sided(view, column, scenario):
    found = ONE_SIDED.get((view, column), ("", ()))
    return isinstance(found, str) or scenario in found[1]


@pytest.fixture
def both(raw, tmp_path):
    """A function: the warehouses of a scenario's raw profile and of its databases."""

    def made(scenario):
        expected = GOLD / scenario / "expected"
        for path in expected.rglob("ASCEND_PROFILER_OUTPUT/*.db"):
            target = tmp_path / "databases" / path.relative_to(expected)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
        ingest([raw(scenario)], tmp_path / "raw.db")
        ingest([tmp_path / "databases"], tmp_path / "official.db")
        return [sqlite3.connect(tmp_path / f"{name}.db") for name in ("raw", "official")]

    return made


def answers(connection, view, scenario):
    """Rows without the numbers that rows have in one file only."""
    names = [
        column.name
        for column in view.columns
        if column.name != "id"
        and not column.name.endswith("_id")
        and not is_one_sided(view.name, column.name, scenario)
    ]
    listed = ", ".join(f'"{name}"' for name in names)
    distinct = "DISTINCT" if view.name in ONCE else ""
    return Counter(connection.execute(f"SELECT {distinct} {listed} FROM {view.name}").fetchall())


@pytest.mark.parametrize("scenario", SCENARIOS)
def test_the_answers_are_the_same(both, scenario):
    connections = both(scenario)
    different, asked = {}, 0
    for view in store.views().values():
        if view.room not in ROOMS or view.name in OF_INPUTS or is_one_sided(view.name, None, scenario):
            continue
        raw, official = (answers(connection, view, scenario) for connection in connections)
        asked += raw.total()
        if raw != official:
            different[view.name] = {"raw": sorted(raw - official, key=str), "official": sorted(official - raw, key=str)}
    for connection in connections:
        connection.close()
    assert different == {}
    assert asked > 0
