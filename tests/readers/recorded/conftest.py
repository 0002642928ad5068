"""A recording of calls, ranges, marks and collections, and a way to load what was done to it."""

from __future__ import annotations

import itertools
import shutil
import sqlite3
import sys
from pathlib import Path

import pytest

from warehouse.ingest import ingest

sys.path.insert(0, str(Path(__file__).parent))

from recordings import record


class Loaded:
    """A warehouse, and what its issues say."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path)

    def rows(self, query: str, *values: object) -> list[tuple]:
        return self._connection.execute(query, values).fetchall()

    def one(self, query: str, *values: object) -> object:
        ((found,),) = self.rows(query, *values)
        return found

    def count(self, table: str) -> int:
        return self.one(f"SELECT count(*) FROM {table}")

    def issues(self, code: str) -> list[tuple[str, int, int]]:
        """Text, count and rejected records of the issues of a kind."""
        return self.rows("SELECT text, count, rejected_count FROM issue WHERE code = ? ORDER BY id", code)

    def warnings(self) -> set[str]:
        return {code for (code,) in self.rows("SELECT code FROM issue WHERE severity <> 'info'")}

    def is_balanced(self) -> bool:
        """Whether every record and every byte of every chunk is decoded or rejected."""
        query = "SELECT count(*) FROM source WHERE record_count <> loaded_count + rejected_count"
        bytes_query = (
            "SELECT count(*) FROM source WHERE kind = 'recorded chunk' AND decoded_bytes + rejected_bytes <> size_bytes"
        )
        return not self.one(query) and not self.one(bytes_query)


@pytest.fixture(scope="session")
def sound(tmp_path_factory):
    """A whole recording."""
    return record(tmp_path_factory.mktemp("sound") / "host_1_20260101000000000_ascend_pt")


@pytest.fixture
def run(sound, tmp_path):
    """A copy of it, to be damaged."""
    return Path(shutil.copytree(sound, tmp_path / sound.name))


@pytest.fixture
def loaded(tmp_path):
    """A function: what became of a run directory."""

    numbers = itertools.count()

    def load(*runs: Path) -> Loaded:
        made = tmp_path / f"W{next(numbers)}.db"
        ingest(list(runs), made)
        return Loaded(made)

    return load
