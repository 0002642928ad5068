"""What the tests of truth share: simulated runs with what they did, and the warehouses made of their bytes."""

import sqlite3
import sys
from pathlib import Path
from typing import NamedTuple

import pytest
from synth import Rank, parse_options, simulate

from warehouse.ingest import ingest

sys.path.insert(0, str(Path(__file__).parent))

from mixes import MIXES


class Run(NamedTuple):
    """ranks: their `truth` says what they did.  folder: holds their bytes in `in`, and the warehouse `W.db`."""

    ranks: list[Rank]
    folder: Path
    connection: sqlite3.Connection

    @property
    def warehouse(self):
        return self.folder / "W.db"

    def ask(self, query, *values):
        return self.connection.execute(query, values).fetchall()

    def of_rank(self, rank):
        """A function: the answer to a query that takes the rank's number in the warehouse."""
        ((rank_id,),) = self.ask("SELECT id FROM rank WHERE directory = ?", rank.directory.name)
        return lambda query: self.ask(query, rank_id)


@pytest.fixture(scope="module", params=MIXES)
def run(request, tmp_path_factory):
    """Each mix of options, as a run and its warehouse."""
    folder = tmp_path_factory.mktemp("run")
    ranks = simulate(parse_options([str(folder / "in"), *request.param.split(), "--truth="]))
    ingest([folder / "in"], folder / "W.db")
    connection = sqlite3.connect(folder / "W.db")
    yield Run(ranks, folder, connection)
    connection.close()
