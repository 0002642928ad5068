"""Stored sums are what the events of the same warehouse add up to, whatever order or depth they come in."""

import shutil
import sqlite3
import time
from contextlib import closing

import pytest

from warehouse import store
from warehouse.ingest import ingest
from warehouse.sample import write_profile

# name -> key columns
TABLES = {
    "op_work": ["id"],
    "op_total": ["rank_id", "name_id"],
    "module_total": ["rank_id", "name_id", "is_frame"],
    "kernel_op_total": ["rank_id", "name_id", "op_name_id", "framework_name_id", "module_name_id"],
    "kernel_total": ["rank_id", "kernel_id"],
    "step_kernel_total": ["rank_id", "step_id", "name_id"],
    "stream_total": ["rank_id", "device_id", "stream_no", "type_id"],
    "busy_total": ["rank_id", "device_id", "kind", "step_id"],
    "api_total": ["rank_id", "level_id", "name_id"],
}
VARIANTS = {
    "capture": {"graph": "capture"},
    "replay": {"graph": "replay"},
    "bare": {"graph": "bare"},
    "no queue": {"queue": False},
    "Level0": {"level": "Level0", "generation": "1.0.0"},
    "Level2": {"level": "Level2"},
}


@pytest.fixture
def again(tmp_path, sum_statements):
    """Rows of the tables of sums as stored, and as the upgrade of an older file finds them in the events."""

    def call(path):
        copy = tmp_path / "copy.db"
        shutil.copy(path, copy)
        with closing(sqlite3.connect(copy)) as connection:
            stored = _sums(connection)
            for table in TABLES:
                connection.execute(f"DELETE FROM {table}")
            connection.execute("UPDATE op SET framework_op_id = NULL")
            connection.execute("UPDATE busy_interval SET copy_count = NULL, copy_ns = NULL")
            for statement in sum_statements:
                connection.execute(statement)
            found = _sums(connection)
        return stored, found

    return call


def _sums(connection):
    columns = {"op": "framework_op_id", "busy_interval": "copy_count, copy_ns"}
    sums = {
        table: connection.execute(f"SELECT id, {names} FROM {table} ORDER BY id").fetchall()
        for table, names in columns.items()
    }
    for table, keys in TABLES.items():
        columns = [name for name in store.TABLES[table].column_names if name not in keys]
        sums[table] = connection.execute(
            f"SELECT {', '.join(keys)}, {', '.join(columns)} FROM {table} ORDER BY {', '.join(keys)}"
        ).fetchall()
    return sums


def _equal(again, path):
    stored, found = again(path)
    for table in stored:
        assert stored[table] == found[table], table
    return stored


@pytest.mark.parametrize("variant", VARIANTS)
def test_sums_are_those_of_the_events(again, tmp_path, variant):
    write_profile(tmp_path / "job", steps=3, ops_per_step=16, replays=2, ranks=2, **VARIANTS[variant])
    ingest([tmp_path / "job"], tmp_path / "W.db")
    stored = _equal(again, tmp_path / "W.db")
    assert stored["op_work"]
    assert stored["kernel_op_total"]


def test_sums_follow_ranks_that_come_and_go(again, change, database_of, tmp_path):
    runs = write_profile(tmp_path / "job", ranks=2, steps=2, ops_per_step=10)
    assert ingest([runs[0]], tmp_path / "W.db").exit_code == 0
    assert ingest([runs[1]], tmp_path / "W.db").exit_code == 0
    before = _equal(again, tmp_path / "W.db")
    assert {row[0] for row in before["kernel_total"]} == {1, 2}
    change(database_of(runs[0]), "UPDATE TASK SET endNs = endNs + 1 WHERE rowid % 2 = 0")
    assert ingest([runs[0]], tmp_path / "W.db", force=True).exit_code == 0
    after = _equal(again, tmp_path / "W.db")
    assert len(after["op_work"]) == len(before["op_work"])
    assert after["op_work"] != before["op_work"]


def test_modules_that_operators_carry(again, change, tmp_path):
    """No database holds them: so the sums of an upgrade alone are looked at, and what the view makes of them."""
    write_profile(tmp_path / "job", ranks=1, steps=1, ops_per_step=10)
    ingest([tmp_path / "job"], tmp_path / "W.db")
    change(
        tmp_path / "W.db",
        "UPDATE op SET module_id = (SELECT id FROM string WHERE value LIKE 'aten::%' LIMIT 1) WHERE depth > 0",
    )
    _, found = again(tmp_path / "W.db")
    assert {row[2] for row in found["module_total"]} == {0, 1}


def _nested(database, depth, wide):
    """Operators that lie in each other, and as many that lie side by side in the innermost; the tasks of the last of
    either lead to all."""
    columns = "startNs, endNs, globalTid, name, type"
    numbers = "WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n LIMIT ?)"
    middle = 1_700_000_000_000_000_000
    with closing(sqlite3.connect(database)) as connection:
        connection.execute("DELETE FROM PYTORCH_API")
        for kind in (50001, 50003):
            connection.execute(
                f"""INSERT INTO PYTORCH_API ({columns}) {numbers} SELECT {middle} - v * 1000, {middle} + 4000000000 + v,
                1, (SELECT min(id) FROM STRING_IDS) + v % 3, {kind} FROM n""",
                [depth],
            )
        connection.execute(
            f"INSERT INTO PYTORCH_API ({columns}) {numbers} SELECT {middle} + v * 10, {middle} + v * 10 + 5, 1,"
            " (SELECT min(id) FROM STRING_IDS), 50001 FROM n",
            [wide],
        )
        connection.execute("DELETE FROM CANN_API")
        connection.execute(
            f"""INSERT INTO CANN_API (startNs, endNs, type, globalTid, connectionId, name) {numbers}
            SELECT {middle} + v * 10 + 1, {middle} + v * 10 + 3, 10000, 1, v + 1000000, 1 FROM n""",
            [wide],
        )
        connection.execute("UPDATE TASK SET connectionId = rowid + 1000000")
        connection.commit()


@pytest.mark.parametrize("shape", ["deep", "wide"])
def test_time_is_linear(again, ask, write, database_of, tmp_path, shape):
    taken = {}
    for size in (2_000, 20_000):
        (run,) = write(f"{shape}{size}", ranks=1, queue=False)
        _nested(database_of(run), size if shape == "deep" else 10, 100 if shape == "deep" else size)
        path = tmp_path / f"{size}.db"
        begun = time.monotonic()
        assert ingest([run], path).exit_code == 0
        for view in ("op_cost", "op_time", "module_time", "kernel_op_time", "export_operator_details", "op_framework"):
            ask(path, f"SELECT * FROM {view}")
        taken[size] = time.monotonic() - begun
        ((most,), *_) = ask(path, "SELECT max(depth) FROM op")
        assert most == (size if shape == "deep" else 10)
        ((outermost, self_ns, total_ns),) = ask(
            path, "SELECT op_id, device_self_ns, device_total_ns FROM op_cost WHERE depth = 0"
        )
        assert outermost == 1
        assert self_ns == 0
        assert total_ns == ask(path, "SELECT sum(device_self_ns) FROM op_cost")[0][0] > 0
    _equal(again, tmp_path / "2000.db")
    assert taken[20_000] < 10 * taken[2_000] + 3
