"""What the tests of truth share: a simulated run with what it did, and the warehouse made of its bytes."""

import sqlite3
import sys
from pathlib import Path

import pytest
from synth import parse_options, simulate

from warehouse.ingest import ingest

sys.path.insert(0, str(Path(__file__).parent))


@pytest.fixture
def simulated(tmp_path):
    """A function: options in, the ranks out.  Their `truth` says what they did; their bytes in `tmp_path / "in"`."""

    def run(options):
        return simulate(parse_options([str(tmp_path / "in"), *options.split(), "--truth="]))

    return run


@pytest.fixture
def loaded(tmp_path):
    """A function: ingests `tmp_path / "in"`, and gives a query over the warehouse."""

    def load():
        ingest([tmp_path / "in"], tmp_path / "W.db")
        connection = sqlite3.connect(tmp_path / "W.db")
        return lambda query, *values: connection.execute(query, values).fetchall()

    return load
