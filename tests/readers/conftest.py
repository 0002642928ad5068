"""Databases for the reader: a small one of our own, and ways to change it."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from warehouse.readers.official import OfficialReader
from warehouse.sample import write_profile


@pytest.fixture(scope="session")
def pristine(tmp_path_factory):
    """One small profiler database with every table; read only."""
    run, _ = write_profile(
        tmp_path_factory.mktemp("pristine") / "job", ranks=2, steps=2, ops_per_step=12, level="Level2", replays=2
    )
    return run / "ASCEND_PROFILER_OUTPUT" / "ascend_pytorch_profiler_0.db"


@pytest.fixture
def database(pristine, tmp_path):
    """A copy of it to change."""
    return shutil.copyfile(pristine, tmp_path / pristine.name)


@pytest.fixture
def change(database):
    """Run statements on the copy."""

    def call(*statements):
        with closing(sqlite3.connect(database)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()

    return call


@pytest.fixture
def ask(database):
    """All rows of a statement on the copy."""

    def call(statement):
        with closing(sqlite3.connect(database)) as connection:
            return connection.execute(statement).fetchall()

    return call


@pytest.fixture
def read(database):
    """Rows of a record kind in the copy, and the ledger after they were read."""

    def call(kind):
        with OfficialReader(database) as reader:
            rows = [row for batch in reader.read(kind) for row in batch.to_pylist()]
            return rows, reader.ledger

    return call


@pytest.fixture
def read_all(database):
    """The ledger after everything in the copy was read."""

    def call():
        with OfficialReader(database) as reader:
            for kind in KINDS:
                for _ in reader.read(kind):
                    pass
            for _ in reader.counters():
                pass
            for _ in reader.strings():
                pass
            reader.ledger.settle()
            return reader.ledger

    return call


KINDS = (
    "step host_event stack_frame gc_event mark kernel launch graph_run device_event task_metric memory_copy comm_task "
    "memory_event allocation memory_record module_memory device_memory reference_overlap"
).split()
