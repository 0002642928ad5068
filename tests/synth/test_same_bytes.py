"""The bytes of a simulated run: the same for the same options, everywhere and with every version.

Results of the vendor's parsers exist for some of them, so a changed byte makes those worthless.
"""

import hashlib
import importlib
import os
import sys
from pathlib import Path

import pytest

from synth import parse_options, simulate
from synth.bare import BareProgram, parse_bare_options

TOOLS = Path(__file__).parents[3] / "shared" / "tools"

# of the runs that the vendor's parsers have read
KNOWN = {
    "--steps 2 --ops-per-step 40 --seed 11": "46f45a56e8",
    "--ranks 2 --steps 2 --ops-per-step 30 --collectives 3 --p2p --seed 12": "51c163e459",
    "--graph-mode bare --steps 2 --ops-per-step 10 --graph-ops 12 --replays 3 --seed 15": "6b883ae372",
    "--graph-mode capture --steps 2 --ops-per-step 10 --graph-ops 12 --replays 3 --seed 13": "c8e45cf03c",
    "--capture-in-step --graph-mode capture --steps 3 --ops-per-step 10 --graph-ops 7 --seed 19": "9cfc7b78a8",
    "--graph-mode replay --steps 2 --ops-per-step 10 --graph-ops 12 --replays 3 --seed 14": "eca48212da",
    "--level l0 --ranks 2 --steps 2 --ops-per-step 20 --seed 16": "bf58a034d0",
    "--level l2 --ranks 2 --steps 2 --ops-per-step 16 --seed 20": "89852e8edf",
    "--slices 5 --steps 3 --ops-per-step 40 --first-task 65420 --seed 18": "234a660b6d",
    "--with-stack --gc --steps 3 --ops-per-step 30 --seed 17": "64ef05c536",
}
RUNS = [
    *KNOWN,
    "",
    "--level l2 --x86 --seed 5 --slices 3",
    "--level l0 --graph-mode capture --graphs 2 --steps 3 --seed 6",
    "--level l2 --with-stack --gc --graph-mode replay --op-info variable --graphs 3 --steps 4 --seed 7",
    "--ranks 4 --p2p --collectives 4 --first-task 65400 --worker w1 --slices 7 --seed 8",
    "--ranks 2 --level l2 --graph-mode capture --capture-in-step --graphs 2 --with-stack --no-memory --seed 9",
    "--graph-mode bare --graphs 2 --no-rank-id --ops-per-step 0 --first-task 65472 --seed 10",
    "--ranks 3 --collectives 1 --ops-per-step 3 --steps 5 --x86 --with-stack --level l0 --seed 21",
    "--graph-mode replay --capture-in-step --graph-ops 1 --replays 7 --no-memory --gc --seed 22",
    "--collectives 2 --ops-per-step 100 --first-task 65450 --with-stack --seed 23",
]
BARE = [
    "5 2",
    "6 3 --graph-mode capture --graphs 2 --slices 3 --flip --mix --aicpu --seed 4",
    "3 1 --graph-mode bare --level l0 --no-pmu --mix --no-hccl --x86",
    "4 2 --op-info variable --no-mem --no-memcpy --graphs 3 --seed 9",
    "1 0",
]


def digest(folder):
    """Of names and contents of all files."""
    whole = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        whole.update(f"{path.relative_to(folder).as_posix()}\0{path.stat().st_size}\0".encode())
        whole.update(path.read_bytes())
    return whole.hexdigest()[:10]


@pytest.fixture(scope="module")
def original():
    """A function: the module of the project's shared tools with that name."""
    if not TOOLS.is_dir():
        pytest.skip("../shared is not there")
    sys.path.insert(0, str(TOOLS))
    yield importlib.import_module
    sys.path.remove(str(TOOLS))


def run(folder, options):
    simulate(parse_options([str(folder), *options.split()]))
    return digest(folder)


def bare(folder, options):
    BareProgram(parse_bare_options([str(folder), *options.split()])).run()
    return digest(folder)


@pytest.mark.parametrize("options", KNOWN)
def test_as_ever(tmp_path, options):
    assert run(tmp_path / "out", options) == KNOWN[options]


@pytest.mark.shared
@pytest.mark.parametrize("options", RUNS)
def test_as_the_original(tmp_path, original, options):
    tool = original("synth_run")
    (tmp_path / "original").mkdir()
    tool.simulate(tool.parse_options([str(tmp_path / "original"), *options.split()]))
    assert run(tmp_path / "own", options) == digest(tmp_path / "original")


@pytest.mark.shared
@pytest.mark.parametrize("options", BARE)
def test_bare_as_the_original(tmp_path, original, monkeypatch, options):
    tool = original("synth_prof")
    monkeypatch.setattr(os, "umask", lambda mask: mask)
    monkeypatch.setattr(sys, "argv", ["synth_prof.py", str(tmp_path / "original"), *options.split()])
    tool.main()
    assert bare(tmp_path / "own", options) == digest(tmp_path / "original")
