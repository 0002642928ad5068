"""`npuwh info`: what a warehouse tells about itself."""

import json
import re
import shutil
import sqlite3
from contextlib import closing

from warehouse.query import Warehouse
from warehouse.store.tables import metadata


def test_as_text(run, made):
    found = run("info", made)
    assert found.code == 0
    assert "runs: 1, ranks: 2\n" in found.out
    heads, first, second = re.search(r"\nranks\n(.+)\n(.+)\n(.+)\n", found.out).groups()
    assert heads.split()[:3] == ["run", "rank", "rank_id"]
    assert [first.split()[:3], second.split()[:3]] == [["1", "0", "1"], ["1", "1", "2"]]
    assert "2025-10-09 08:53:20  0.007 " in first  # the rank's own time
    assert found.out.endswith(f"complete: 0 errors, 0 warnings; `npuwh check {made}` looks closer\n")
    assert "SimNPU" in found.out
    assert "sim_41011_20251009085320000_ascend_pt" in found.out


def test_as_json(run, made):
    told = json.loads(run("info", made, "--json").out)
    assert told["runs"] == 1
    assert [rank["rank_no"] for rank in told["ranks"]] == [0, 1]
    assert {rank["level"] for rank in told["ranks"]} == {"Level1"}
    assert told["tables"]["step"] == 6
    assert [rank["session_start_ns"] for rank in told["ranks"]] == [1_760_000_000_000_000_000] * 2
    assert (told["is_complete"], told["lost_count"], told["ignored_count"]) == (True, 0, 0)
    assert sum(source["rejected_count"] for source in told["sources"]) == 0
    for source in told["sources"]:
        assert source["record_count"] == source["loaded_count"] + source["rejected_count"]


def test_a_damaged_file(run, made, tmp_path):
    whole = made.read_bytes()
    (tmp_path / "cut.db").write_bytes(whole[: len(whole) // 3])
    found = run("info", "cut.db")
    assert found.code == 2
    assert len(found.error_lines) == 1


def test_every_table_is_counted(made):
    with Warehouse(made) as opened:
        assert set(opened.sql("SELECT table_name FROM table_rows")["table_name"]) == set(metadata.tables)


def test_the_number_of_a_run_is_the_one_export_takes(run, made):
    number = json.loads(run("info", made, "--json").out)["ranks"][0]["run_id"]
    assert run("export", made, "--to", "out", "--run", number, "op_statistic").code == 0


def test_tables_of_another_tool_are_ignored_and_nothing_is_missing(run, profile, tmp_path):
    shutil.copytree(profile, tmp_path / "job")
    for path in (tmp_path / "job").rglob("ascend_pytorch_profiler_*.db"):
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE OurOwnResult (a)")
            connection.executemany("INSERT INTO OurOwnResult VALUES (?)", [(number,) for number in range(7)])
            connection.commit()
    found = run("ingest", "job", "-o", "W.db")
    assert found.code == 0
    assert found.out.endswith(" 0 lost, 14 ignored (tables that another tool added)\n")
    text = run("info", "W.db").out
    assert "\ncomplete: 0 errors, 0 warnings; 14 records ignored (tables that another tool added); " in text
    told = json.loads(run("info", "W.db", "--json").out)
    assert (told["is_complete"], told["lost_count"], told["ignored_count"]) == (True, 0, 14)
    assert [rank["ignored_count"] for rank in told["ranks"]] == [7, 7]
    assert run("check", "W.db").code == 0


def test_lost_records_are_not_complete(run, profile, tmp_path):
    shutil.copytree(profile, tmp_path / "job")
    (path,) = (tmp_path / "job").rglob("ascend_pytorch_profiler_1.db")
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("UPDATE TASK SET endNs = startNs - 1 WHERE rowid = 1")
        connection.commit()
    assert run("ingest", "job", "-o", "W.db").code == 0
    told = json.loads(run("info", "W.db", "--json").out)
    assert told["is_complete"] is False
    assert [rank["lost_count"] > 0 for rank in told["ranks"]] == [False, True]
    assert "\nnot complete: 0 errors, " in run("info", "W.db").out


def test_a_rank_with_reference_results_only(run, profile, tmp_path):
    shutil.copytree(profile, tmp_path / "job")
    (path,) = (tmp_path / "job").rglob("ascend_pytorch_profiler_1.db")
    path.unlink()
    assert (path.parent / "analysis.db").is_file()
    found = run("ingest", "job", "-o", "W.db")
    assert found.code == 0
    (line,) = [line for line in found.error_lines if line.startswith("npuwh: warning: ")]
    assert "only reference results (analysis.db), no profiler database" in line
    assert path.parent.parent.name in line
    text = run("info", "W.db").out
    assert text.count("only reference results (analysis.db), no profiler database") == 1
    assert "\nnot complete: 0 errors, 1 warning; " in text


def test_one_broken_file_is_explained_once(run, profile, tmp_path):
    shutil.copytree(profile, tmp_path / "job")
    (path,) = (tmp_path / "job").rglob("ascend_pytorch_profiler_1.db")
    path.write_bytes(b"not a database at all\n" * 50)
    assert run("ingest", "job", "-o", "W.db").code == 1
    assert run("info", "W.db").out.count("is not a SQLite database") == 1
    found = run("check", "W.db")
    assert found.out.count("is not a SQLite database") == 1
    assert found.code == 1
    lines = found.out.splitlines()
    assert lines[0].startswith("issue: ")
    assert all(line.endswith("text as above") for line in lines[1:-1])
    assert lines[-1] == f"W.db: {len(lines) - 1} findings"
