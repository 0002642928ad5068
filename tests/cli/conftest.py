"""What the verb tests share: a small profile, a warehouse made of it, and ways to run the command."""

import os
import subprocess
import sys
from functools import partial
from typing import NamedTuple

import pytest

from warehouse.cli import main
from warehouse.sample import write_profile


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def error_lines(self):
        return self.err.splitlines()


@pytest.fixture(scope="session")
def profile(tmp_path_factory):
    """A directory with the run directories of two ranks; read only."""
    directory = tmp_path_factory.mktemp("profile") / "job"
    write_profile(directory, ops_per_step=20)
    return directory


@pytest.fixture(scope="session")
def made(profile, tmp_path_factory):
    """A warehouse of that profile; read only."""
    path = tmp_path_factory.mktemp("made") / "W.db"
    assert main(["ingest", str(profile), "-o", str(path)]) == 0
    return path


@pytest.fixture
def run(capfd, tmp_path, monkeypatch):
    """Run a verb in this process, in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*arguments):
        capfd.readouterr()
        code = main([str(argument) for argument in arguments])
        return Outcome(code, *capfd.readouterr())

    return call


@pytest.fixture
def start(tmp_path):
    """Start a verb in a process of its own, in an empty folder."""
    started = []

    def call(*arguments, **options):
        command = [sys.executable, "-m", "warehouse.cli", *map(str, arguments)]
        defaults = {"cwd": tmp_path, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
        environment = os.environ | {"PYTHONUNBUFFERED": "1"}
        started.append(subprocess.Popen(command, env=environment, **(defaults | options)))
        return started[-1]

    yield call
    for process in started:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def left_over():
    """Names of all files below a directory."""

    def call(directory):
        return sorted(str(path.relative_to(directory)) for path in directory.rglob("*") if not path.is_dir())

    return call


@pytest.fixture
def changed(altered, made, tmp_path):
    """A function: W.db is a copy of the warehouse that those statements changed."""
    return partial(altered, made, tmp_path / "W.db")
