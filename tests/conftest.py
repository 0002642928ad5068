"""What holds for every test."""

import importlib.util
import os
import shutil
import signal
import sqlite3
import sys
from contextlib import closing
from pathlib import Path

import pytest

# what tests share.  At the end, so that nothing here hides an installed package
sys.path.append(str(Path(__file__).parent))

import perfetto_trace

from warehouse.store.resources import resource_folder


@pytest.fixture(scope="session")
def perfetto(tmp_path_factory):
    """A function: the rows that Perfetto answers to a query about a trace file."""
    return perfetto_trace.loader(tmp_path_factory.mktemp("perfetto"))


@pytest.fixture(scope="session", autouse=True)
def away_from_the_source_tree(tmp_path_factory):
    """An empty folder: in the source tree `python -c` would import the package without its native module."""
    os.chdir(tmp_path_factory.mktemp("elsewhere"))


@pytest.fixture(scope="session", autouse=True)
def hears_interrupts():
    """What a shell puts into the background ignores interrupts from the start, and so would all that tests start."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def sum_statements():
    """Statements that fill the tables of sums from the events of a warehouse, as the upgrade of an older file does:
    another road to what ingest stores."""
    statements = []
    for path in sorted((resource_folder("migrations") / "versions").glob("[0-9]*.py")):
        spec = importlib.util.spec_from_file_location(path.stem, path)
        revision = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(revision)
        statements += getattr(revision, "FILL", [])
    return statements


@pytest.fixture
def altered():
    """A function: `target` becomes a copy of the warehouse `source` that those statements changed."""

    def call(source, target, *statements):
        shutil.copyfile(source, target)
        with closing(sqlite3.connect(target)) as connection:
            for statement in statements:
                connection.execute(statement)
            connection.commit()
        return target

    return call
