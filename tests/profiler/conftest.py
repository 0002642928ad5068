"""What the recorder's tests share: scripts that run in a process of their own, with torch, as a user runs them."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from warehouse.cli.check import findings

SECONDS = 300  # the first script of a session also builds the observer


@pytest.fixture(scope="session")
def observer_cache(tmp_path_factory):
    """The torch observer is built once a session, whatever the number of test processes."""
    folder = tmp_path_factory.getbasetemp()
    if os.environ.get("PYTEST_XDIST_WORKER"):
        folder = folder.parent
    return folder / "npuwh-cache"


class Script:
    """How a script ended, and what it left."""

    def __init__(self, done: subprocess.CompletedProcess[str], folder: Path) -> None:
        self.code = done.returncode
        self.out = done.stdout
        self.err = done.stderr
        self.folder = folder

    def runs(self, below: str = ".") -> list[Path]:
        """Run directories, oldest first."""
        return sorted(self.folder.glob(f"{below}/*_ascend_pt"), key=lambda path: path.name[-27:])

    def run(self, below: str = ".") -> Path:
        (found,) = self.runs(below)
        return found

    def warehouse(self, below: str = ".") -> Path:
        """The warehouse of the one run, after `npuwh check` found nothing in it."""
        made = self.run(below) / "ASCEND_PROFILER_OUTPUT" / "npuwh.db"
        assert list(findings(made)) == []
        return made


@pytest.fixture
def script(tmp_path, observer_cache):
    """A function: text of a script -> how it ended, run in an empty folder."""

    def start(text: str, *arguments: str, code: int | None = 0, **environment: str) -> Script:
        folder = tmp_path / "job"
        folder.mkdir(exist_ok=True)
        file = folder / "train.py"
        file.write_text(textwrap.dedent(text))
        inherited = {name: value for name, value in os.environ.items() if name not in ("RANK", "ASCEND_WORK_PATH")}
        done = subprocess.run(
            [sys.executable, str(file), *arguments], cwd=folder, capture_output=True, text=True, timeout=SECONDS,
            env={**inherited, "NPUWH_CACHE": str(observer_cache), **environment}, check=False,
        )  # fmt: skip
        ended = Script(done, folder)
        assert code is None or ended.code == code, ended.out + ended.err
        return ended

    return start


def pytest_collection_modifyitems(items):
    """Tests marked `torch` are skipped with a reason where it is absent."""
    if importlib.util.find_spec("torch") is None:
        skip = pytest.mark.skip(reason="torch is not installed: pip install torch==2.13.0")
        for item in items:
            if "torch" in item.keywords and Path(__file__).parent in item.path.parents:
                item.add_marker(skip)
