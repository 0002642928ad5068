"""Opening a database of others: never written to, never trusted, watched for change."""

import os
import shutil
import sqlite3
from contextlib import closing

import pytest

from warehouse.errors import InputError
from warehouse.readers.official_open import OfficialFile


def files_of(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_tables_and_their_stored_columns(database):
    with OfficialFile(database) as file:
        assert {"startNs", "endNs", "globalTaskId"} <= file.tables["TASK"]
        assert file.unique["COMPUTE_TASK_INFO"] == "globalTaskId"
        assert "TASK" not in file.unique


def test_nothing_appears_beside_it(database, tmp_path):
    before = files_of(tmp_path)
    with OfficialFile(database) as file:
        file.connection.execute("SELECT count(*) FROM TASK").fetchone()
        assert files_of(tmp_path) == before
    assert files_of(tmp_path) == before


def test_rows_in_a_wal_are_seen(database, tmp_path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    with closing(sqlite3.connect(database)) as writer:
        writer.execute("PRAGMA journal_mode = WAL")
        writer.execute("INSERT INTO STEP_TIME VALUES (99, 1, 2)")
        writer.commit()
        for suffix in ("", "-wal"):
            shutil.copyfile(f"{database}{suffix}", elsewhere / f"{database.name}{suffix}")
    before = files_of(elsewhere)
    with OfficialFile(elsewhere / database.name) as file:
        assert file.connection.execute("SELECT count(*) FROM STEP_TIME WHERE id = 99").fetchone() == (1,)
    assert files_of(elsewhere) == before


def test_half_a_change_is_rolled_back(database, tmp_path):
    """A hot journal beside the file: its writer was killed in the middle."""
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    with closing(sqlite3.connect(database, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("BEGIN")
        writer.execute("UPDATE TASK SET startNs = 7")
        for suffix in ("", "-journal"):
            shutil.copyfile(f"{database}{suffix}", crashed / f"{database.name}{suffix}")
        writer.execute("ROLLBACK")
    assert (crashed / f"{database.name}-journal").stat().st_size
    with OfficialFile(crashed / database.name) as file:
        assert file.connection.execute("SELECT count(*) FROM TASK WHERE startNs = 7").fetchone() == (0,)


def test_a_change_while_it_is_read_is_noticed(database, change):
    with OfficialFile(database) as file:
        assert not file.changed()
        change("INSERT INTO STEP_TIME VALUES (99, 1, 2)")
        assert file.changed()


@pytest.mark.parametrize(
    "statement", ["CREATE VIEW {0} AS SELECT * FROM hidden", "CREATE VIRTUAL TABLE {0} USING fts5(x)"]
)
def test_only_ordinary_tables_are_read(database, change, statement):
    change("ALTER TABLE GC_RECORD RENAME TO hidden", statement.format("GC_RECORD"))
    with OfficialFile(database) as file:
        assert "GC_RECORD" not in file.tables
        assert file.skipped["GC_RECORD"] in ("view", "virtual")


def test_columns_that_the_file_computes_are_not_read(database, change):
    change("ALTER TABLE STEP_TIME ADD COLUMN made INTEGER AS (abs(id))")
    with OfficialFile(database) as file:
        assert "made" not in file.tables["STEP_TIME"]


@pytest.mark.parametrize("size", [0, 10, 100, 4096, 20000])
def test_what_is_left_of_a_truncated_file(database, size):
    database.write_bytes(database.read_bytes()[:size])
    with pytest.raises(InputError, match=database.name):
        OfficialFile(database)


def test_a_schema_whose_damage_is_no_text(database):
    content = database.read_bytes()
    database.write_bytes(content.replace(b"CREATE TABLE TASK", b"\xff\xfeEATE TABLE TASK"))
    with pytest.raises(InputError, match="cannot be read"):
        OfficialFile(database)


def test_what_is_no_file_is_not_opened(tmp_path):
    pipe = tmp_path / "analysis.db"
    os.mkfifo(pipe)
    with pytest.raises(InputError, match="not a regular file"):
        OfficialFile(pipe)
    with pytest.raises(InputError, match="not a regular file"):
        OfficialFile(tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        OfficialFile(tmp_path / "missing.db")
    with pytest.raises(InputError, match="too long"):
        OfficialFile(tmp_path / "/".join(["x" * 200] * 30))
