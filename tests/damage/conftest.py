"""What the tests of damage share: whole profiles to be damaged."""

import shutil
import signal
import sqlite3
import sys
from pathlib import Path

import pytest
from synth import parse_options, simulate

from warehouse.ingest import ingest

sys.path.insert(0, str(Path(__file__).parent))

RUNS = (
    "--level l2 --with-stack --gc --graph-mode capture --steps 1 --ops-per-step 10 --collectives 1 --slices 2"
    " --first-task 65470",
    "--graph-mode replay --steps 1 --ops-per-step 8",
    "--graph-mode bare --steps 1 --ops-per-step 8 --collectives 1 --slices 3",
    "--graph-mode replay --op-info variable --level l0 --x86 --steps 1 --ops-per-step 3",
)
LONGEST = 60  # seconds that one ingest may take


@pytest.fixture(scope="session")
def whole(tmp_path_factory):
    """Sound run directories."""
    made = []
    for number, options in enumerate(RUNS):
        folder = tmp_path_factory.mktemp(f"run{number}")
        made += simulate(parse_options([str(folder), *options.split(), "--truth="]))
    return made


@pytest.fixture
def copied(tmp_path):
    """A function: a copy of a run directory, to be damaged."""
    return lambda rank: Path(shutil.copytree(rank.directory, tmp_path / "in" / rank.directory.name))


@pytest.fixture
def loaded(tmp_path):
    """A function: what was copied is ingested in reasonable time; gives a function that asks the warehouse."""

    def load():
        def hangs(*_):
            raise TimeoutError("it hangs")

        before = signal.signal(signal.SIGALRM, hangs)
        signal.alarm(LONGEST)
        try:
            ingest([tmp_path / "in"], tmp_path / "W.db")
        finally:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
        connection = sqlite3.connect(tmp_path / "W.db")
        return lambda query, *values: connection.execute(query, values).fetchall()

    return load
