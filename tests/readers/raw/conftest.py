"""What the tests of the raw reader share: the small run, and a warehouse as rows of a view."""

import shutil
import sqlite3
import sys
from pathlib import Path

import pytest
from synth import parse_options, simulate

from warehouse.export import export
from warehouse.ingest import ingest

sys.path.insert(0, str(Path(__file__).parent))

from raw_run_writer import small_run

GOLD = Path(__file__).parents[4] / "shared" / "data" / "gold"


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


@pytest.fixture(scope="session")
def synthesized(tmp_path_factory):
    """A function: the raw run directories that the generator makes with some arguments."""
    made = {}

    def directories(arguments):
        if arguments not in made:
            made[arguments] = tmp_path_factory.mktemp("raw") / "in"
            simulate(parse_options([str(made[arguments]), *arguments.split()]))
        return made[arguments]

    return directories


@pytest.fixture(scope="session")
def raw(synthesized, tmp_path_factory):
    """A function: the raw run directories of a scenario, made as its command.txt says."""

    def directories(scenario):
        command = GOLD / scenario / "command.txt"
        if command.exists():
            return synthesized(command.read_text(encoding="utf-8").split(maxsplit=2)[2])
        copy = tmp_path_factory.mktemp(scenario) / "in"
        shutil.copytree(GOLD / scenario / "raw", copy)
        return copy

    return directories


@pytest.fixture(scope="session")
def gold(raw, tmp_path_factory):
    """A function: a scenario's raw directories in, text and traces of the vendor out; gives (output, expected)."""
    made = {}

    def exported(scenario):
        if scenario not in made:
            folder = tmp_path_factory.mktemp(scenario)
            ingest([raw(scenario)], folder / "W.db")
            export(folder / "W.db", folder / "out", ["text", "msprof"])
            made[scenario] = folder / "out", GOLD / scenario / "expected"
        return made[scenario]

    return exported
