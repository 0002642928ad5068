"""What holds for every test."""

import os
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))  # for what the tests share



@pytest.fixture(scope="session", autouse=True)
def away_from_the_source_tree(tmp_path_factory):
    """An empty folder: in the source tree `python -c` would import the package without its native module."""
    os.chdir(tmp_path_factory.mktemp("elsewhere"))
