"""What open_read says of files that are no warehouse, and how it treats what a killed writer left."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from warehouse import store
from warehouse.errors import WarehouseFileError
from warehouse.store import opening

KILLED_WRITER = """
import os, signal, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute(sys.argv[2])
connection.execute("PRAGMA cache_size = 10")
connection.execute("BEGIN")
connection.executemany("INSERT INTO string (value) VALUES (?)", ((f"lost {n} " * 40,) for n in range(3000)))
connection.execute("UPDATE string SET value = 'changed ' || id")
if sys.argv[3] == "commit":
    connection.execute("COMMIT")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("opening") / "w.db"
    with store.new_warehouse(path) as loader:
        loader.intern([f"kept {number}" for number in range(2000)])
    return path


@pytest.fixture
def path(original, tmp_path):
    return Path(shutil.copy(original, tmp_path / "w.db"))


def _kill_while_writing(path: Path, pragma: str, end: str) -> None:
    done = subprocess.run([sys.executable, "-c", KILLED_WRITER, str(path), pragma, end], check=False)
    assert done.returncode == -signal.SIGKILL


def _strings(connection: sqlite3.Connection) -> tuple[int, str, str]:
    return connection.execute("SELECT count(*), min(value), max(value) FROM string").fetchone()


KEPT = (2000, "kept 0", "kept 999")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file"),
        (b"", "is empty"),
        (b"hello", "not a SQLite file"),
        (b"hello" * 1000, "not a database"),
        (b"SQLite format 3\0" + b"\0" * 2000, "not a warehouse|not a database"),
    ],
)
def test_what_is_no_sqlite_file(tmp_path, content, message):
    path = tmp_path / "x.db"
    if content is not None:
        path.write_bytes(content)
    for attempt in (store.open_read, store.open_write, store.upgrade):
        with pytest.raises(WarehouseFileError, match=message):
            attempt(path)
    assert not store.is_warehouse(path)
    assert (path.read_bytes() if content is not None else None) == content
    assert len(list(tmp_path.iterdir())) == (content is not None)


def test_a_folder(tmp_path):
    with pytest.raises(WarehouseFileError, match="is not a file"):
        store.open_read(tmp_path)


def test_another_sqlite_file(tmp_path):
    connection = sqlite3.connect(tmp_path / "x.db")
    connection.execute("CREATE TABLE op (id INTEGER)")
    connection.close()
    with pytest.raises(WarehouseFileError, match="not a warehouse made by npuwh"):
        store.open_read(tmp_path / "x.db")
    assert not store.is_warehouse(tmp_path / "x.db")


@pytest.mark.parametrize("share", [0.01, 0.5, 0.95])
def test_a_truncated_warehouse(path, share):
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * share)])
    with pytest.raises(WarehouseFileError, match="cannot be read as a warehouse"):
        store.open_read(path)


def test_integrity(path):
    connection = store.open_read(path)
    assert store.integrity(connection) == []
    connection.close()
    content = bytearray(path.read_bytes())
    at = content.index(b"kept 77")
    content[at - 300 : at + 300] = b"\xff" * 600
    path.write_bytes(content)
    connection = store.open_read(path)
    assert store.integrity(connection) != []
    connection.close()


def test_reading_cannot_write(path):
    connection = store.open_read(path)
    changes = ("DELETE FROM string", "CREATE TABLE x (a)", "PRAGMA user_version = 3", "CREATE TEMP VIEW v AS SELECT 1")
    for statement in changes:
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute(statement)
    connection.close()


def test_temporary_views_if_asked_for(path):
    connection = store.open_read(path, query_only=False)
    connection.execute("CREATE TEMP VIEW string AS SELECT 1 AS id, 'shadow' AS value")
    assert connection.execute("SELECT value FROM string").fetchall() == [("shadow",)]
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("DELETE FROM main.string")
    connection.close()


def test_names_that_mean_something_in_a_uri(original, tmp_path):
    path = Path(shutil.copy(original, tmp_path / "a?mode=rwc#100% b.db"))
    connection = store.open_read(path)
    assert _strings(connection) == KEPT
    connection.close()


def test_hot_journal_is_rolled_back(path):
    _kill_while_writing(path, "PRAGMA journal_mode = DELETE", "leave")
    assert Path(f"{path}-journal").stat().st_size > 0
    connection = store.open_read(path)
    assert _strings(connection) == KEPT
    connection.close()
    assert not Path(f"{path}-journal").exists()


def test_hot_journal_that_cannot_be_rolled_back_is_an_error(path, monkeypatch):
    _kill_while_writing(path, "PRAGMA journal_mode = DELETE", "leave")
    connect = opening._connect
    monkeypatch.setattr(opening, "_connect", lambda path, _mode: connect(path, "ro"))  # as on a read-only disk
    with pytest.raises(WarehouseFileError, match="copy the file together with its -journal"):
        store.open_read(path)


@pytest.mark.parametrize(("end", "expected"), [("leave", KEPT), ("commit", (5000, "changed 1", "changed 999"))])
def test_wal_that_was_left_is_played_in(path, end, expected):
    _kill_while_writing(path, "PRAGMA journal_mode = WAL", end)
    assert Path(f"{path}-wal").stat().st_size > 0
    connection = store.open_read(path)
    assert _strings(connection) == expected
    connection.close()


def test_wal_file_where_nothing_can_be_made_beside_it(path):
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    Path(f"{path}-shm").mkdir()  # stands for a read-only folder, which does not stop root
    connection = store.open_read(path)
    assert _strings(connection) == KEPT
    connection.close()


def test_a_file_that_is_being_written(path, monkeypatch):
    monkeypatch.setattr(opening, "_BUSY_SECONDS", 0.1)
    writer = store.open_write(path)
    writer.execute("BEGIN EXCLUSIVE")  # as a long addition holds it
    assert store.is_warehouse(path)
    for attempt in (store.open_read, store.open_write):
        with pytest.raises(WarehouseFileError, match="another process is writing it"):
            attempt(path)
    writer.close()


def test_a_live_writer_is_neither_disturbed_nor_seen(path):
    writer = store.open_write(path)
    writer.execute("PRAGMA cache_size = 10")
    writer.execute("BEGIN IMMEDIATE")
    writer.execute("UPDATE string SET value = 'half ' || id WHERE id < 5")
    reader = store.open_read(path)
    assert _strings(reader) == KEPT
    reader.close()
    assert store.is_warehouse(path)
    writer.execute("COMMIT")  # its locks are still there
    assert writer.execute("SELECT count(*) FROM string WHERE value LIKE 'half %'").fetchone() == (4,)
    writer.close()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (["ALTER TABLE kernel DROP COLUMN grid_id"], "table kernel lacks column grid_id"),
        (["ALTER TABLE op RENAME COLUMN lane TO way"], "table op lacks column lane"),
        (["ALTER TABLE mark ADD COLUMN mine TEXT"], "table mark has the strange column mine"),
        (["ALTER TABLE mark ADD COLUMN mine INTEGER AS (id) VIRTUAL"], "table mark has the strange column mine"),
        (["DROP TABLE gc_event"], "there is no table gc_event"),
        (["DROP TABLE gc_event", "CREATE VIEW gc_event AS SELECT 1 AS id"], "there is no table gc_event"),
        (
            [
                "DROP TABLE link_rule",
                "CREATE TABLE link_rule"
                " (id INTEGER NOT NULL, name TEXT NOT NULL, is_vendor INTEGER, text TEXT NOT NULL)",
            ],
            "table link_rule has another type of is_vendor",
        ),
    ],
)  # fmt: skip
def test_an_altered_table_is_told(path, change, told):
    with sqlite3.connect(path) as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'view'").fetchall():
            connection.execute(f"DROP VIEW {name}")
        for statement in change:
            connection.execute(statement)
    connection.close()
    for opened in (store.open_read, store.open_write):
        with pytest.raises(WarehouseFileError, match=f"was altered: {told}; ingest its inputs into a new warehouse"):
            opened(path)
    assert store.is_warehouse(path)
    reading = store.open_read(path, any_tables=True)
    assert store.altered_tables(reading) == [told]
    reading.close()


def test_tables_of_others_and_lost_indexes_stop_nobody(path):
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE notes (text)")
        connection.execute("DROP INDEX op__rank_id__start_ns")
    connection.close()
    reading = store.open_read(path)
    assert store.altered_tables(reading) == []
    assert store.missing_indexes(reading) == ["op__rank_id__start_ns"]
    reading.close()
