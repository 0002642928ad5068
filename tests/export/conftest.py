"""What the export tests share: a warehouse of the small sample, and the gold scenarios."""

import shutil
from pathlib import Path

import pytest

from warehouse.export import export
from warehouse.ingest import ingest
from warehouse.sample import write_profile

SHARED = Path(__file__).parents[3] / "shared"
GOLD = SHARED / "data" / "gold"
OUTPUT = "ASCEND_PROFILER_OUTPUT"


@pytest.fixture(scope="session")
def sample(tmp_path_factory):
    """A warehouse of two ranks with three steps, and the directory it was read from."""
    folder = tmp_path_factory.mktemp("sample")
    write_profile(folder / "job", ops_per_step=12)
    ingest([folder / "job"], folder / "W.db")
    return folder / "W.db"


@pytest.fixture(scope="session")
def gold(tmp_path_factory):
    """A function: a scenario's databases in, text and traces of the vendor out; gives (output, expected directory)."""
    made = {}

    def exported(scenario):
        if scenario not in made:
            folder = tmp_path_factory.mktemp(scenario)
            expected = GOLD / scenario / "expected"
            for path in expected.rglob("*"):
                if path.parent.name == OUTPUT and path.suffix == ".db":
                    target = folder / "in" / path.relative_to(expected)
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(path, target)
            ingest([folder / "in"], folder / "W.db")
            export(folder / "W.db", folder / "out", ["text", "msprof"])
            made[scenario] = folder / "out", expected
        return made[scenario]

    return exported
