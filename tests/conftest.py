"""What holds for every test."""

import os
import sys
from pathlib import Path

import pytest

# what tests share.  At the end, so that nothing here hides an installed package
sys.path.append(str(Path(__file__).parent))

import perfetto_trace


@pytest.fixture(scope="session")
def perfetto(tmp_path_factory):
    """A function: the rows that Perfetto answers to a query about a trace file."""
    return perfetto_trace.loader(tmp_path_factory.mktemp("perfetto"))


@pytest.fixture(scope="session", autouse=True)
def away_from_the_source_tree(tmp_path_factory):
    """An empty folder: in the source tree `python -c` would import the package without its native module."""
    os.chdir(tmp_path_factory.mktemp("elsewhere"))
