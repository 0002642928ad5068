"""An upgrade that rebuilds an event table with views on it: it works, or nothing of it stays."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from warehouse import store
from warehouse.errors import WarehouseVersionError, WriteError
from warehouse.store.resources import resource_folder

ROWS = 60_000  # more than SQLite's cache holds, so that a killed upgrade has written into the file

# what the next version of npuwh might do: a column of `op` goes, another comes
LATEST = store.latest_version()
NEXT_REVISION = f'''
import os, signal
from alembic import op

revision = "{LATEST + 1:04d}"
down_revision = "{LATEST:04d}"
branch_labels = None
depends_on = None

COLUMNS = """rank_id, start_ns, end_ns, thread_id, name_id, forward_thread_no, shapes_id, dtypes_id, stack_id,
    module_id, parent_id, depth, step_id, lane, framework_op_id"""


def at(point):
    if os.environ.get("FAIL_AT") == point:
        raise RuntimeError(point)
    if os.environ.get("KILL_AT") == point:
        os.kill(os.getpid(), signal.SIGKILL)


def upgrade():
    at("begin")
    op.execute("""
        CREATE TABLE op_next (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, start_ns INTEGER NOT NULL,
            end_ns INTEGER NOT NULL, thread_id INTEGER NOT NULL, name_id INTEGER NOT NULL, sequence_no INTEGER,
            forward_thread_no INTEGER, shapes_id INTEGER, dtypes_id INTEGER, stack_id INTEGER, module_id INTEGER,
            parent_id INTEGER, depth INTEGER NOT NULL, step_id INTEGER, lane INTEGER NOT NULL, framework_op_id INTEGER,
            flops_count INTEGER, PRIMARY KEY (id)) STRICT
    """)
    op.execute(f"INSERT INTO op_next (id, sequence_no, {{COLUMNS}}) SELECT id, sequence_no, {{COLUMNS}} FROM op")
    at("copied")
    op.execute("DROP TABLE op")
    op.execute("ALTER TABLE op_next RENAME TO op")
    op.execute("CREATE INDEX op__rank_id__start_ns ON op (rank_id, start_ns)")
    at("end")
'''


@pytest.fixture(scope="module")
def old_file(tmp_path_factory):
    path = tmp_path_factory.mktemp("old") / "w.db"
    with store.new_warehouse(path) as loader:
        names = loader.intern([f"op{number}" for number in range(10)])
        loader.write(
            "op",
            {"rank_id": 1, "start_ns": list(range(ROWS)), "end_ns": list(range(ROWS)), "thread_id": 1,
             "name_id": [names[number % 10] for number in range(ROWS)], "depth": 0, "lane": 0},
        )  # fmt: skip
    connection = sqlite3.connect(path)
    connection.execute("CREATE VIEW mine AS SELECT name FROM op_named WHERE id = 1")
    connection.commit()
    connection.close()
    return path


@pytest.fixture
def path(old_file, tmp_path):
    return Path(shutil.copy(old_file, tmp_path / "w.db"))


@pytest.fixture(scope="module")
def next_migrations(tmp_path_factory):
    folder = tmp_path_factory.mktemp("next") / "migrations"
    shutil.copytree(resource_folder("migrations"), folder, ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "versions" / f"{LATEST + 1:04d}_flops.py").write_text(NEXT_REVISION)
    return folder


def _state(path: Path):
    connection = sqlite3.connect(path)
    try:
        return (
            sorted(connection.execute("SELECT type, name, sql FROM sqlite_master").fetchall(), key=str),
            connection.execute("PRAGMA user_version").fetchone(),
            connection.execute("SELECT version_num FROM alembic_version").fetchall(),
            connection.execute("SELECT count(*), sum(start_ns), count(name) FROM op_named").fetchone(),
            connection.execute("SELECT * FROM mine").fetchall(),
            connection.execute("PRAGMA integrity_check").fetchone(),
        )
    finally:
        connection.close()


def _upgrade_elsewhere(path: Path, migrations: Path, **environment: str) -> int:
    code = (
        "import sys; from pathlib import Path; from warehouse import store; "
        "store.upgrade(sys.argv[1], Path(sys.argv[2]))"
    )
    return subprocess.run(
        [sys.executable, "-c", code, str(path), str(migrations)], env={**os.environ, **environment}, check=False
    ).returncode


def test_upgrade_works(path, next_migrations):
    before = _state(path)
    store.upgrade(path, next_migrations)
    after = _state(path)
    assert after[1:] == ((LATEST + 1,), [(f"{LATEST + 1:04d}",)], (ROWS, sum(range(ROWS)), ROWS), [("op0",)], ("ok",))
    views = [row for row in before[0] if row[0] == "view"]
    assert [row for row in after[0] if row[0] == "view"] == views
    table = next(sql for kind, name, sql in after[0] if (kind, name) == ("table", "op"))
    assert "flops_count" in table
    assert table.rstrip().endswith("STRICT")


@pytest.mark.parametrize("point", ["begin", "copied", "end"])
def test_failure_leaves_everything_as_it_was(path, next_migrations, monkeypatch, point):
    before = _state(path)
    monkeypatch.setenv("FAIL_AT", point)
    with pytest.raises(RuntimeError, match=point):
        store.upgrade(path, next_migrations)
    assert _state(path) == before
    monkeypatch.delenv("FAIL_AT")
    store.upgrade(path, next_migrations)
    assert _state(path)[1] == (LATEST + 1,)


@pytest.mark.parametrize("point", ["begin", "copied", "end"])
def test_kill_leaves_everything_as_it_was(path, next_migrations, point):
    before = _state(path)
    assert _upgrade_elsewhere(path, next_migrations, KILL_AT=point) == -signal.SIGKILL
    if point != "begin":
        assert Path(f"{path}-journal").stat().st_size > 0, "the kill came before anything was written"
    # our reader plays the journal back
    connection = store.open_read(path)
    assert connection.execute("SELECT count(*) FROM op_named").fetchone() == (ROWS,)
    connection.close()
    assert _state(path) == before
    assert _upgrade_elsewhere(path, next_migrations) == 0
    assert _state(path)[1] == (LATEST + 1,)


def test_newer_file_is_refused_and_left_alone(path, next_migrations):
    store.upgrade(path, next_migrations)
    before = path.read_bytes()
    for attempt in (store.open_read, store.open_write, store.upgrade):
        with pytest.raises(WarehouseVersionError, match="newer npuwh"):
            attempt(path)
    assert path.read_bytes() == before
    assert store.is_warehouse(path)


def test_older_file_asks_for_an_upgrade(path):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 0")
    connection.close()
    with pytest.raises(WarehouseVersionError, match="npuwh upgrade"):
        store.open_read(path)
    assert store.is_warehouse(path)
    store.upgrade(path)
    store.open_read(path).close()


def test_views_of_another_wording_are_made_again(path):
    connection = sqlite3.connect(path)
    connection.execute("DROP VIEW op_named")
    connection.execute("CREATE VIEW op_named AS SELECT id, 'old' AS name FROM op")
    connection.execute("CREATE VIEW gone AS\n-- A view that npuwh no longer has.\n--\n-- grain: id\nSELECT id FROM op")
    connection.commit()
    assert store.stale_views(connection) == ["op_named", "gone"]
    connection.close()
    store.upgrade(path)
    connection = store.open_read(path)
    assert store.stale_views(connection) == []
    assert connection.execute("SELECT * FROM mine").fetchall() == [("op0",)]
    connection.close()


def test_full_disk_during_an_upgrade(path, next_migrations):
    before = _state(path)
    code = (
        "import resource, sys; from pathlib import Path; from warehouse import store\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({path.stat().st_size + 65536},) * 2)\n"
        "try: store.upgrade(sys.argv[1], Path(sys.argv[2]))\n"
        "except store.writing.WriteError as error: print(error); sys.exit(7)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(path), str(next_migrations)], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stderr) == (7, "")
    assert "cannot be written" in done.stdout
    assert _state(path) == before


def test_a_current_file_is_not_written(path):
    before = path.read_bytes()
    assert store.upgrade(path) is False
    assert path.read_bytes() == before


def test_the_second_of_two_writers_is_told(path):
    holder = store.open_write(path)
    holder.execute("DROP VIEW op_named")  # so that there is something to do
    holder.execute("BEGIN IMMEDIATE")
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("warehouse.store.opening._BUSY_SECONDS", 0.1)
            with pytest.raises(WriteError, match="another process"):
                store.upgrade(path)
    finally:
        holder.close()
