"""Where the files of msprof go, how they are called, and what they may be asked for with."""

import sqlite3
from pathlib import Path

import pytest

from warehouse.export import export, kind_names
from warehouse.ingest import ingest
from warehouse.sample import write_profile

RANKS = ["sim_41000_20251009085320000_ascend_pt", "sim_41011_20251009085320000_ascend_pt"]
FOLDER = "mindstudio_profiler_output"


def names(root):
    return sorted(path.relative_to(root).as_posix() for path in root.rglob("*.*") if path.name[0] != ".")


def change(warehouse, statement, *values):
    with sqlite3.connect(warehouse) as connection:
        connection.execute(statement, values)


@pytest.fixture
def small(tmp_path):
    """A warehouse of one rank of one step."""
    write_profile(tmp_path / "job", ranks=1, steps=1, ops_per_step=8)
    ingest([tmp_path / "job"], tmp_path / "W.db")
    return tmp_path / "W.db"


def test_a_database_of_the_framework_lies_in_no_prof_directory(sample, tmp_path):
    report = export(sample, tmp_path / "out", ["msprof_npu_mem"])
    assert [(file.kind, file.rank_no) for file in report.files] == [("msprof_npu_mem", 0), ("msprof_npu_mem", 1)]
    stamp = report.files[0].path.stem.removeprefix("npu_mem_")
    assert len(stamp) == 14
    assert names(tmp_path / "out") == [f"{rank}/{FOLDER}/npu_mem_{stamp}.csv" for rank in RANKS]


def test_the_prof_directory_of_an_input_is_kept(small, tmp_path):
    prof = "PROF_000001_20251009085320000_ABCDEFGH"
    change(small, "UPDATE source SET path = ? WHERE kind = 'profiler database'", f"job/x/{prof}/msprof_1.db")
    change(small, "UPDATE rank SET session_end_ns = 1700000000999999999")
    export(small, tmp_path / "out", ["msprof_npu_mem"])
    assert names(tmp_path / "out") == [f"{RANKS[0]}/{prof}/{FOLDER}/npu_mem_20231114221320.csv"]


@pytest.mark.parametrize(
    ("rank", "paths", "folder"),
    [
        ("a/x_ascend_pt", ["a/x_ascend_pt/FRAMEWORK/f", "a/x_ascend_pt/PROF_1_2_A/host/f"], "PROF_1_2_A"),
        ("PROF_old/x_pt", ["PROF_old/x_pt/FRAMEWORK/f", "PROF_old/x_pt/PROF_1_2_A/f"], "PROF_1_2_A"),
        ("a/PROF_1_2_A", ["a/PROF_1_2_A/host/data/f"], "PROF_1_2_A"),
        ("a/PROF_1_2_A/msprof_1.db", ["a/PROF_1_2_A/msprof_1.db"], "PROF_1_2_A"),
        ("a/x_ascend_pt", ["a/x_ascend_pt/PROFILE/f", "a/x_ascend_pt/PROF_1.db"], ""),
    ],
)
def test_the_prof_directory_is_sought_in_the_run_first(small, tmp_path, rank, paths, folder):
    change(small, "UPDATE rank SET path = ?, directory = 'd'", rank)
    change(small, "DELETE FROM source")
    for path in paths:
        change(
            small,
            """INSERT INTO source (rank_id, path, kind, state, size_bytes, record_count, loaded_count, rejected_count)
            VALUES (1, ?, '', 'used', 0, 0, 0, 0)""",
            path,
        )
    (file,) = export(small, tmp_path / "out", ["msprof_npu_mem"]).files
    assert file.path.parent.relative_to(tmp_path / "out") == Path("d", folder, FOLDER)


@pytest.mark.parametrize("end", [1 << 62, -5])
def test_an_absurd_end_of_the_recording(small, tmp_path, end):
    change(small, "UPDATE rank SET session_end_ns = ?", end)
    (file,) = export(small, tmp_path / "out", ["msprof_npu_mem"]).files
    assert len(file.path.stem) == len("npu_mem_") + 14


def test_without_an_end_the_last_record_counts(small, tmp_path):
    change(small, "UPDATE rank SET session_end_ns = NULL")
    change(small, "UPDATE event_extent SET max_end_ns = 1700000000000000000")
    (file,) = export(small, tmp_path / "out", ["msprof_npu_mem"]).files
    assert file.path.name == "npu_mem_20231114221320.csv"


def test_of_several_stamps_the_last_export_stays(small, tmp_path):
    """Tools take files that differ by the stamp alone for parts of one."""
    out = tmp_path / "out"
    change(small, "UPDATE rank SET session_end_ns = 1700000000000000000")
    export(small, out, ["msprof_npu_mem", "msprof_task_time"])
    foreign = out / RANKS[0] / FOLDER / "npu_mem_20200101000000.csv"
    foreign.write_text("of somebody else")
    change(small, "UPDATE rank SET session_end_ns = 1700000001000000000")
    export(small, out, ["msprof_npu_mem"])
    assert [name.rpartition("/")[2] for name in names(out)] == [
        "npu_mem_20200101000000.csv", "npu_mem_20231114221321.csv", "task_time_20231114221320.csv",
    ]  # fmt: skip


def test_kinds(sample, tmp_path):
    own = [kind for kind in kind_names() if kind.startswith("msprof")]
    assert own[:2] == ["msprof", "msprof_trace"]
    assert set(own) >= {"msprof_op_summary", "msprof_task_time", "msprof_communication_statistic"}
    text = export(sample, tmp_path / "text", ["text"], rank=0)
    assert [file for file in text.files if file.kind in own] == []
    report = export(sample, tmp_path / "out", ["msprof"], rank=0)
    assert {file.kind for file in report.files} <= set(own)


@pytest.mark.parametrize(
    ("kind", "folders"),
    [
        ("task_time", ["ASCEND_PROFILER_OUTPUT"]),
        ("task_time.csv", ["ASCEND_PROFILER_OUTPUT"]),
        ("msprof_task_time", [FOLDER]),
        ("op_summary", [FOLDER]),
        ("op_summary.csv", [FOLDER]),
    ],
)
def test_a_name_alone_is_the_file_of_the_framework_if_it_has_one(sample, tmp_path, kind, folders):
    report = export(sample, tmp_path / "out", [kind], rank=0)
    assert [file.path.parent.name for file in report.files] == folders


def test_what_has_no_rows_is_named_with_its_kind(tmp_path):
    write_profile(tmp_path / "job", ranks=1, steps=1, ops_per_step=8, level="Level0")
    ingest([tmp_path / "job"], tmp_path / "W.db")
    report = export(tmp_path / "W.db", tmp_path / "out", ["msprof"])
    absent = set(report.absent.values())
    assert {"msprof_communication_statistic", "msprof_op_statistic", "msprof_l2_cache"} <= absent
    assert not {"msprof_hbm", "msprof_task_time", "msprof_npu_mem"} & absent
