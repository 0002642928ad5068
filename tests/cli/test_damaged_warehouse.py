"""Warehouses that are damaged, absurd or crafted: one line that names the file, nothing left behind, no traceback."""

import json
import os
import random
import shutil
import signal
import sqlite3
import time
from contextlib import closing

import pytest

VERBS = [
    ("info", "W.db"),
    ("check", "W.db"),
    ("views", "W.db"),
    ("sql", "W.db", "SELECT * FROM device_task_named", "--format", "csv"),
    ("sql", "W.db", "SELECT * FROM op_named", "-o", "ops.parquet"),
    ("export", "W.db", "--to", "out", "text", "trace"),
    ("export", "W.db", "--to", "out", "parquet"),
]


@pytest.fixture
def endures(run, tmp_path):
    """A function: every verb that reads W.db ends with a code of ours; gives what was said in the order of VERBS."""

    def call():
        said = []
        for verb in VERBS:
            found = run(*verb)
            assert found.code in (0, 1, 2), (verb, found)
            assert "Traceback" not in found.err
            if found.code == 2:
                assert len(found.error_lines) == 1, (verb, found.err)
                assert "W.db" in found.err
                assert not (tmp_path / "out").exists()
                assert not list(tmp_path.glob("*.tmp"))
            said.append(found)
            shutil.rmtree(tmp_path / "out", ignore_errors=True)
        return said

    return call


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE device_task SET start_ns = -9000000000000000000, end_ns = 9223372036854775807",
        "UPDATE op SET start_ns = -9000000000000000000, end_ns = 9223372036854775807",
        "UPDATE memory_record SET allocated_bytes = 9223372036854775807",
        "UPDATE comm_op SET start_ns = 0, end_ns = 9223372036854775807",
        "UPDATE rank SET directory = 'a' || char(0) || 'b'",
        "UPDATE rank SET path = 'a' || char(0) || id",
        "UPDATE source SET path = 'a' || char(0) || id",
        "UPDATE op SET parent_id = id",
        "UPDATE python_call SET parent_id = id",
        "UPDATE op SET parent_id = id + CASE id % 2 WHEN 0 THEN 1 ELSE -1 END",
        "UPDATE op SET thread_id = 9223372036854775807, lane = 9223372036854775807",
        "UPDATE string SET value = CAST(x'ff00fe22' || hex(id) AS TEXT)",
        "DELETE FROM string",
        "DELETE FROM thread",
        "DELETE FROM event_extent",
        "DROP TABLE device_task",
        "DROP TABLE rank",
    ],
)
def test_absurd_rows(changed, endures, statement):
    changed(statement)
    endures()


def test_an_operator_around_itself_is_found_and_ends(changed, run):
    changed("UPDATE op SET parent_id = id, stack_id = NULL WHERE id = 3")
    assert run("sql", "W.db", "SELECT count(*) FROM op_code_line").code == 0
    found = run("check", "W.db")
    assert found.code == 1
    assert "parent: table_name op, rank_id 1, rank_no 0, row_count 1, first_id 3" in found.out


def test_an_error_within_a_view_names_view_and_file(changed, endures, run):
    changed("UPDATE device_task SET start_ns = -4000000000000000000, end_ns = 4000000000000000000")
    found = run("export", "W.db", "--to", "out", "op_statistic")
    assert found.code == 2
    assert len(found.error_lines) == 1
    assert "view export_op_statistic" in found.err
    assert "W.db" in found.err


@pytest.mark.parametrize("version", [-5, 0, 99])
def test_another_file_version(changed, endures, version):
    changed(f"PRAGMA user_version = {version}")
    assert {found.code for found in endures()} == {2}


@pytest.mark.parametrize(
    ("view", "body"),
    [
        ("kernel_time", "SELECT load_extension('x') AS a"),
        ("op_named", "SELECT * FROM pragma_table_info('op')"),
        ("rank_overview", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"),
        ("check_issue", "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"),
    ],
)
def test_a_crafted_view_is_not_run_in_place_of_ours(changed, endures, view, body):
    changed(f"DROP VIEW {view}", f"CREATE VIEW {view} AS {body}")
    said = endures()
    assert said[1].code == 1
    assert f"views: {view} is not that of this npuwh" in said[1].out
    for export in said[-2:]:
        assert export.code == 2
        assert "npuwh upgrade" in export.err


def test_info_asks_for_an_upgrade_where_its_views_are_others(changed, run):
    changed("DROP VIEW rank_overview", "CREATE VIEW rank_overview AS SELECT 1 AS a")
    found = run("info", "W.db")
    assert (found.code, found.out) == (2, "")
    assert "npuwh upgrade W.db" in found.err
    assert run("upgrade", "W.db").code == 0
    assert run("info", "W.db").code == 0


@pytest.mark.parametrize("part", [0.001, 0.3, 0.7, 0.999])
def test_a_file_that_was_cut(changed, endures, part):
    path = changed()
    os.truncate(path, int(path.stat().st_size * part))
    endures()


@pytest.mark.parametrize("seed", range(8))
def test_flipped_bits(changed, endures, seed):
    path = changed()
    chance = random.Random(seed)
    data = bytearray(path.read_bytes())
    for _ in range(chance.choice([1, 20, 200])):
        data[chance.randrange(100, len(data))] ^= 1 << chance.randrange(8)
    path.write_bytes(data)
    endures()


def test_a_schema_that_is_no_text(changed, endures):
    path = changed()
    path.write_bytes(path.read_bytes().replace(b"CREATE VIEW", b"CRE\xc5TE VIEW"))
    assert {found.code for found in endures()} == {2}


def test_a_queue_task_without_its_thread_is_written(changed, run, tmp_path):
    changed(
        "UPDATE queue_task SET enqueue_thread_id = NULL, dequeue_thread_id = NULL, dequeue_end_ns = NULL",
        "DELETE FROM thread",
    )
    count = len(json_of(run, tmp_path, "W.db"))
    shutil.rmtree(tmp_path / "out")
    (tmp_path / "W.db").unlink()
    changed()
    assert count == len(json_of(run, tmp_path, "W.db"))


def json_of(run, tmp_path, warehouse):
    """Slices of both traces."""
    assert run("export", warehouse, "--to", "out", "trace", "trace_view").code == 0
    (vendor, *_) = (tmp_path / "out").rglob("trace_view.json")
    slices = [event for event in json.loads(vendor.read_text()) if event["ph"] == "X"]
    slices += [
        event for event in json.loads((tmp_path / "out/trace.json").read_text())["traceEvents"] if "dur" in event
    ]
    assert all(event.get("tid") is not None and event.get("pid") is not None for event in slices)
    return slices


@pytest.mark.parametrize(
    "name", ['"', "a\nb\r\t", "nul\0end", "\\", "\x01\x1f\x7f", "\u2028\ufffd", "</script>'", "💥"]
)
def test_json_with_odd_names(changed, run, tmp_path, name):
    path = changed()
    with closing(sqlite3.connect(path)) as connection:
        named = " UNION ".join(f"SELECT name_id FROM {table}" for table in ("op", "api_call", "comm_op", "comm_group"))
        connection.execute(f"UPDATE string SET value = value || ? WHERE id IN ({named})", [name])
        connection.execute("UPDATE rank SET host_name = ?, chip_name = ?", [name, name])
        connection.commit()
    assert run("export", "W.db", "--to", "out").code == 0
    written = list((tmp_path / "out").rglob("*.json"))
    assert len(written) == 8
    for each in written:
        json.loads(each.read_text(encoding="utf-8"))
    assert json.loads(run("info", "W.db", "--json").out)["ranks"][0]["chip_name"] == name
    rows = json.loads(run("sql", "W.db", "SELECT DISTINCT name FROM op_named", "--format", "json").out)
    assert all(row["name"].endswith(name) for row in rows)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("seconds", [0.15, 0.3, 0.6])
def test_interrupted_export_leaves_nothing(start, made, tmp_path, left_over, number, seconds):
    process = start("export", made, "--to", "out", "text", "trace", "parquet")
    deadline = time.monotonic() + 30
    while not (tmp_path / "out").exists() and time.monotonic() < deadline and process.poll() is None:
        time.sleep(0.005)
    time.sleep(seconds / 10)
    process.send_signal(number)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130, err
    assert (out, err.splitlines()) == ("", ["npuwh: interrupted"])
    assert left_over(tmp_path) == []


def test_a_view_that_is_missing_is_not_another_name(changed, run):
    changed("DROP VIEW op_time")
    found = run("sql", "W.db", "SELECT * FROM op_time")
    assert found.code == 2
    assert "did you mean" not in found.err
    assert "`npuwh upgrade W.db` makes it anew" in found.err
    assert run("upgrade", "W.db").code == 0
    assert run("sql", "W.db", "SELECT * FROM op_time").code == 0
