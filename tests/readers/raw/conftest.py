"""What the tests of the raw reader share: the small run, and a warehouse as rows of a view."""

import sqlite3
import sys
from pathlib import Path

import pytest

from warehouse.ingest import ingest

sys.path.insert(0, str(Path(__file__).parent))

from raw_run_writer import small_run


@pytest.fixture
def run():
    return small_run()


@pytest.fixture
def loaded(tmp_path):
    """A function: a run, or a path, ingested; gives a function that runs a query over the warehouse."""

    def load(run, part=""):
        root = run.write(tmp_path / "in") if hasattr(run, "write") else run
        output = tmp_path / "W.db"
        output.unlink(missing_ok=True)
        ingest([root / part], output)
        connection = sqlite3.connect(output)
        return lambda query: connection.execute(query).fetchall()

    return load
