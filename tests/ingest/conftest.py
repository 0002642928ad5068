"""Profiles to ingest, and warehouses to look into."""

import sqlite3
from contextlib import closing

import pytest

from warehouse.ingest import ingest
from warehouse.sample import write_profile


@pytest.fixture(scope="session")
def profile(tmp_path_factory):
    """The directory of a job of two ranks with everything; read only."""
    directory = tmp_path_factory.mktemp("profile") / "job"
    write_profile(directory, ranks=2, steps=3, ops_per_step=20, level="Level2", replays=2)
    return directory


@pytest.fixture(scope="session")
def made(profile, tmp_path_factory):
    """A warehouse of it; read only."""
    path = tmp_path_factory.mktemp("made") / "W.db"
    assert ingest([profile], path).exit_code == 0
    return path


@pytest.fixture
def write(tmp_path):
    """Write a small profile below the test's folder and give its run directories."""

    def call(name="job", **settings):
        return write_profile(tmp_path / name, **({"ranks": 1, "steps": 1, "ops_per_step": 10} | settings))

    return call


@pytest.fixture(scope="session")
def ask():
    """All rows of a statement on a database."""

    def call(path, statement, *parameters):
        with closing(sqlite3.connect(path)) as connection:
            return connection.execute(statement, parameters).fetchall()

    return call


@pytest.fixture(scope="session")
def change():
    """Run statements on a database."""

    def call(path, *statements):
        with closing(sqlite3.connect(path)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    return call


@pytest.fixture(scope="session")
def content(ask):
    """Everything in a warehouse, as it is compared: each table's rows."""

    def call(path):
        tables = ask(path, "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'")
        return {name: ask(path, f"SELECT * FROM {name} ORDER BY rowid") for (name,) in tables}

    return call


@pytest.fixture(scope="session")
def database_of():
    """The profiler database of a run directory."""

    def call(run):
        return next((run / "ASCEND_PROFILER_OUTPUT").glob("ascend_pytorch_profiler*.db"))

    return call
