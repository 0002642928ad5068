"""The tables a migrated file has are those the metadata says."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.schema import CreateIndex, CreateTable

from tests.store.newest import migrated, newest
from warehouse import store
from warehouse.sample import write_profile
from warehouse.store import column_meanings
from warehouse.store.resources import resource_folder
from warehouse.store.tables import APPLICATION_ID, metadata


def _normal(statement: object) -> str:
    return " ".join(str(statement).replace("(", " ( ").replace(")", " ) ").split())


@pytest.fixture(scope="module")
def connection(tmp_path_factory):
    path = tmp_path_factory.mktemp("schema") / "w.db"
    store.create(path)
    connection = store.open_read(path)
    yield connection
    connection.close()


def test_tables_and_indexes_are_those_of_the_metadata(connection):
    expected = {}
    for table in metadata.tables.values():
        expected[table.name] = _normal(CreateTable(table).compile(dialect=dialect()))
        for index in table.indexes:
            expected[index.name] = _normal(CreateIndex(index).compile(dialect=dialect()))
    found = {
        name: _normal(sql)
        for name, sql in connection.execute(
            "SELECT name, sql FROM sqlite_master WHERE type IN ('table', 'index') AND sql IS NOT NULL"
        )
        if name not in ("alembic_version", "sqlite_stat1")
    }
    assert found == expected


def test_a_new_file_is_what_the_revisions_make(connection, tmp_path):
    assert (resource_folder("migrations") / "newest.ddl").read_text(encoding="utf-8") == newest(), (
        "run `python -m tests.store.newest --write`"
    )
    revised = migrated(tmp_path / "revised.db")
    everything = "SELECT type, name, tbl_name, sql FROM sqlite_master WHERE name <> 'sqlite_stat1' ORDER BY type, name"
    assert connection.execute(everything).fetchall() == revised.execute(everything).fetchall()
    for pragma in ("application_id", "user_version", "encoding"):
        assert connection.execute(f"PRAGMA {pragma}").fetchall() == revised.execute(f"PRAGMA {pragma}").fetchall()
    for name in [*store.TABLES, "alembic_version"]:
        rows = f"SELECT * FROM {name}"
        assert connection.execute(rows).fetchall() == revised.execute(rows).fetchall()
    revised.close()


def test_loading_brings_nothing_that_is_large(tmp_path):
    write_profile(tmp_path / "job", ops_per_step=5)
    code = "import sys; from warehouse.cli import main; main(); print(*sys.modules)"
    command = [sys.executable, "-c", code, "ingest", tmp_path / "job", "-o", tmp_path / "w.db"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    assert "warehouse.store.bulk_loader" in done.stdout
    assert {"sqlalchemy", "alembic", "polars", "pandas"} & set(done.stdout.split()) == set()


def test_every_table_and_column_says_what_it_is():
    assert list(store.TABLES) == list(metadata.tables)
    for table in metadata.tables.values():
        assert table.comment == store.TABLES[table.name].purpose
        assert table.comment.endswith(".")
        for column in table.c:
            assert column.comment, (table.name, column.name)
    assert store.TABLES["step"].purpose == "One training step: its range on the host, and its windows on the device."
    meanings = {column.name: (column.unit, column.meaning) for column in store.TABLES["step"].columns}
    assert meanings["step_no"] == ("-", "number of the step")
    assert meanings["start_ns"] == ("ns", "start on the host, Unix epoch")


def test_every_meaning_is_used():
    columns = {(table.name, column.name) for table in store.TABLES.values() for column in table.columns}
    assert set(column_meanings._OF_TABLE) <= {f"{table}.{name}" for table, name in columns}
    used = {name for table, name in columns if f"{table}.{name}" not in column_meanings._OF_TABLE}
    assert set(column_meanings._ANYWHERE) - used == set()


def test_reading_brings_nothing_that_only_writing_needs():
    code = "import sys; from warehouse import store; store.open_read; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert {"sqlalchemy", "alembic", "polars", "pyarrow", "numpy"} & set(done.stdout.split()) == set()


def test_every_table_is_strict(connection):
    lax = connection.execute(
        "SELECT name FROM pragma_table_list WHERE type = 'table' AND NOT strict AND name NOT LIKE 'sqlite_%'"
    ).fetchall()
    assert lax == [("alembic_version",)]


def test_marks_of_the_file(connection):
    assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
    assert connection.execute("PRAGMA user_version").fetchone() == (store.latest_version(),)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert store.stale_views(connection) == []


def test_version_is_the_ordinal_of_the_last_revision():
    files = sorted(path.name for path in (resource_folder("migrations") / "versions").glob("*.py"))
    assert [int(name[:4]) for name in files] == list(range(1, len(files) + 1))
    assert store.latest_version() == len(files)


def test_migrations_import_no_application_code():
    for path in resource_folder("migrations").rglob("*.py"):
        assert "warehouse import" not in path.read_text()
        assert "import warehouse" not in path.read_text()


def test_link_rules_are_there(connection):
    rules = connection.execute("SELECT id, name FROM link_rule WHERE is_vendor = 1 ORDER BY id").fetchall()
    assert rules == [(1, "queue"), (3, "host"), (6, "capture")]


def test_a_shell_of_any_client_reads_the_file(tmp_path: Path):
    store.create(tmp_path / "w.db")
    plain = sqlite3.connect(tmp_path / "w.db")
    try:
        for name in store.views():
            plain.execute(f'SELECT * FROM "{name}" LIMIT 1').fetchall()
    finally:
        plain.close()
