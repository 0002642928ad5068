"""The simulated official databases: true in shape, equal for equal settings, of any size."""

import hashlib
import json
import sqlite3
from contextlib import closing

import pytest

from warehouse.sample import write_profile
from warehouse.sample.inflate import inflate


def ask(path, statement):
    with closing(sqlite3.connect(path)) as database:
        return database.execute(statement).fetchall()


def profiler_database(run):
    (path,) = run.glob("ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_*.db")
    return path


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return write_profile(tmp_path_factory.mktemp("sample") / "job")


def test_each_rank_has_a_run_directory_as_torch_npu_names_it(runs):
    assert [run.name for run in runs] == [f"sim_{pid}_20251009085320000_ascend_pt" for pid in (41000, 41011)]
    for rank, run in enumerate(runs):
        assert json.loads((run / f"profiler_info_{rank}.json").read_text())["rank_id"] == rank
        assert profiler_database(run).name == f"ascend_pytorch_profiler_{rank}.db"


def test_the_device_is_called_simnpu(runs):
    assert ask(profiler_database(runs[0]), "SELECT name FROM NPU_INFO") == [("SimNPU",)]


def test_equal_settings_give_equal_bytes(tmp_path):
    def digests(where):
        runs = write_profile(tmp_path / where)
        return [hashlib.sha256(profiler_database(run).read_bytes()).hexdigest() for run in runs]

    assert digests("one") == digests("two")


@pytest.mark.parametrize(("generation", "block"), [("1.2.0", "blockNum"), ("1.0.0", "blockDim")])
def test_both_generations_name_columns_as_theirs(tmp_path, generation, block):
    (run,) = write_profile(tmp_path / "job", ranks=1, steps=1, generation=generation)
    columns = [row[1] for row in ask(profiler_database(run), "PRAGMA table_info(COMPUTE_TASK_INFO)")]
    assert columns[2] == block
    assert ask(profiler_database(run), "SELECT value FROM META_DATA WHERE name = 'SCHEMA_VERSION'") == [(generation,)]


def test_a_replayed_graph_repeats_its_descriptors(runs):
    counts = ask(
        profiler_database(runs[0]),
        "SELECT globalTaskId, count(*) FROM TASK WHERE modelId <> 4294967295 GROUP BY globalTaskId",
    )
    assert [count for _, count in counts] == [6] * 5  # 3 steps of 2 replays of 5 tasks


def test_collectives_end_at_the_same_time_on_all_ranks(runs):
    statement = (
        "SELECT s.value, endNs FROM COMMUNICATION_OP o JOIN STRING_IDS s ON s.id = o.opName"
        " WHERE s.value LIKE 'hcom_all%' ORDER BY endNs"
    )
    first, second = (ask(profiler_database(run), statement) for run in runs)
    assert first == second != []


def test_level0_describes_nothing(tmp_path):
    (run,) = write_profile(tmp_path / "job", ranks=1, steps=1, level="Level0")
    tables = {name for (name,) in ask(profiler_database(run), "SELECT name FROM sqlite_master")}
    assert "TASK" in tables
    assert "TASK_PMU_INFO" not in tables


@pytest.mark.parametrize("settings", [{"level": "L1"}, {"graph": "yes"}, {"generation": "2"}])
def test_unknown_settings_are_refused(tmp_path, settings):
    with pytest.raises(ValueError, match="is none of"):
        write_profile(tmp_path / "job", **settings)


def test_inflating_comes_close_to_the_number_asked_for(tmp_path):
    rows = inflate(tmp_path / "big", 60_000, ranks=1)
    assert abs(rows - 60_000) < 3_000
