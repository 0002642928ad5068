"""Ranks decoded in other processes: the same warehouse, and nobody is left behind whatever happens."""

import inspect
import os
import re
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from synth import parse_options, simulate

from warehouse.cli import main
from warehouse.errors import InputError, UsageError, WriteError
from warehouse.ingest import ingest, workers
from warehouse.ingest.budget import budget
from warehouse.ingest.rank_writer import RankWriter
from warehouse.readers.sorted_rows import SpillFolder
from warehouse.sample.inflate import inflate

ENOUGH = 1 << 30
pytestmark = pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="looks for processes in /proc")


def children(pid):
    found = [int(each) for path in Path(f"/proc/{pid}/task").glob("*/children") for each in path.read_text().split()]
    return found + [each for child in found for each in children(child)]


def gone(pids):
    """Whether none of the processes runs any more, after a while."""
    for _ in range(100):
        if not any(Path(f"/proc/{pid}/exe").exists() for pid in pids):
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("jobs", [2, 5])
def test_the_warehouse_is_the_same(write, database_of, content, tmp_path, jobs):
    runs = write(ranks=4, steps=2, level="Level2", replays=2)
    database_of(runs[2]).write_bytes(b"SQLite format 3\0" + bytes(5000))  # found out when it is opened
    write("other", steps=3, ops_per_step=30)
    reports = [
        ingest([tmp_path / "job", tmp_path / "other"], tmp_path / f"{each}.db", memory_bytes=ENOUGH, jobs=each)
        for each in (1, jobs)
    ]
    assert len(reports[0].added) == 4
    for each in ("added", "failed", "records", "rejected", "ignored", "errors", "warnings"):
        assert getattr(reports[0], each) == getattr(reports[1], each), each
    one, other = (content(tmp_path / f"{each}.db") for each in (1, jobs))
    assert {name: rows for name, rows in one.items() if rows != other[name]} == {}


def test_the_warehouse_of_raw_data_is_the_same(content, tmp_path):
    options = ["--ranks", "3", "--ops-per-step", "2000", "--with-stack", "--gc", "--graph-mode", "replay"]
    simulate(parse_options([str(tmp_path / "raw"), *options]))
    found = []
    for jobs, memory in ((1, 128 << 20), (1, ENOUGH), (3, 400 << 20)):
        assert len(ingest([tmp_path / "raw"], tmp_path / "W.db", memory_bytes=memory, jobs=jobs).added) == 3
        found.append(content(tmp_path / "W.db"))
        (tmp_path / "W.db").unlink()
    for other in found[1:]:
        assert {name: rows for name, rows in found[0].items() if rows != other[name]} == {}


def test_texts_that_do_not_fit_wait_in_files_without_names(content, tmp_path, monkeypatch):
    simulate(parse_options([str(tmp_path / "raw"), "--ops-per-step", "300", "--with-stack"]))
    ingest([tmp_path / "raw"], tmp_path / "whole.db")
    (tmp_path / "scratch").mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "scratch"))
    monkeypatch.setattr("warehouse.readers.raw_strings._SPILL_BYTES", 1000)
    files = []
    made = SpillFolder.new_file
    monkeypatch.setattr(SpillFolder, "new_file", lambda folder: files.append(made(folder)) or files[-1])
    seen = []
    ingest([tmp_path / "raw"], tmp_path / "W.db", progress=lambda *_: seen.extend((tmp_path / "scratch").iterdir()))
    assert len(files) > 1
    assert all(file.closed for file in files)
    assert seen == []
    one, other = content(tmp_path / "whole.db"), content(tmp_path / "W.db")
    assert {name: rows for name, rows in one.items() if rows != other[name]} == {}


def test_adding_and_replacing_is_the_same(write, database_of, change, content, tmp_path):
    first, second = write(ranks=2)
    for jobs in (1, 2):
        ingest([first], tmp_path / f"{jobs}.db")
    change(database_of(first), "INSERT INTO STEP_TIME VALUES (99, 1, 2)")
    for jobs in (1, 2):
        report = ingest([first, second], tmp_path / f"{jobs}.db", True, memory_bytes=ENOUGH, jobs=jobs)
        assert (report.replaced, report.added) == ([first.resolve()], [second.resolve()])
    assert content(tmp_path / "1.db") == content(tmp_path / "2.db")


def test_an_input_that_fails_half_way_is_taken_back(write, database_of, change, content, tmp_path):
    first, second, third = write(ranks=3)
    change(database_of(second), "PRAGMA writable_schema = 1")
    data = bytearray(database_of(second).read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    database_of(second).write_bytes(data)
    for jobs in (1, 3):
        report = ingest([first, second, third], tmp_path / f"{jobs}.db", memory_bytes=ENOUGH, jobs=jobs)
        assert len(report.added) == 2
        assert "cannot be read" in report.failed[0][1]
    assert content(tmp_path / "1.db") == content(tmp_path / "3.db")


FAULT = """
import warehouse.ingest.rank_writer as module, warehouse.ingest.worker as worker
load = module.RankWriter.load
def broken(self, candidate, run_id):
    load(self, candidate, run_id)
    if "_2_" in candidate.input.path.name:
        {fault}
module.RankWriter.load = worker.RankWriter.load = broken
"""
OURS = "; this is a fault of npuwh, please report it"
FAULTS = {
    "[][0]": "npuwh failed on it: IndexError: list index out of range (PLACE)" + OURS,
    "raise KeyError": "npuwh failed on it: KeyError (PLACE)" + OURS,
    "raise MemoryError": "memory ran out while it was read; ingest it alone, with fewer --jobs or less --memory",
}


@pytest.fixture
def second_fails(write, tmp_path, monkeypatch):
    """A function: makes the second of three ranks, whatever reads it, end with a statement; gives their folder."""
    runs = write(ranks=3)
    (tmp_path / "job" / "x_2_y").mkdir()
    runs[1].rename(tmp_path / "job" / "x_2_y" / runs[1].name.replace("_", "_2_", 1))

    def call(statement):
        script = FAULT.format(fault=statement)
        start = workers._START.replace("from warehouse", f"exec({script!r}, {{}}); from warehouse", 1)
        monkeypatch.setattr(workers, "_START", start)
        monkeypatch.setattr(RankWriter, "load", RankWriter.load)  # put back after the test
        exec(script, {})
        return tmp_path / "job"

    return call


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("jobs", [1, 3])
def test_an_error_that_nobody_foresaw_costs_one_input(second_fails, ask, capsys, tmp_path, fault, jobs):
    folder, path = second_fails(fault), tmp_path / "W.db"
    assert main(["ingest", str(folder), "-o", str(path), "--jobs", str(jobs), "--memory", "1GB"]) == 1
    (told,) = (re.sub(r"\(\S+:\d+\)", "(PLACE)", line) for line in capsys.readouterr().err.splitlines())
    assert told.startswith("npuwh: failed: ")
    assert told.endswith(FAULTS[fault])
    assert ask(path, "SELECT count(*) FROM rank") == [(2,)]
    assert len(ask(path, "SELECT DISTINCT rank_id FROM device_task")) == 2
    ((note,),) = ask(path, "SELECT DISTINCT note FROM source WHERE state = 'failed'")
    assert note in told or "(PLACE)" in told
    assert ask(path, "PRAGMA integrity_check") == [("ok",)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_a_full_disk_ends_all(second_fails, tmp_path, jobs):
    folder = second_fails("raise OSError(28, 'No space left on device')")
    with pytest.raises(WriteError, match="no room for temporary files"):
        ingest([folder], tmp_path / "W.db", memory_bytes=ENOUGH, jobs=jobs)
    assert not list(tmp_path.glob("W.db*"))


def test_an_error_in_the_only_input(second_fails, tmp_path):
    (folder,) = second_fails("[][0]").glob("x_2_y")
    with pytest.raises(InputError, match="npuwh failed on it: IndexError"):
        ingest([folder], tmp_path / "W.db")
    assert not list(tmp_path.glob("W.db*"))


def _note(told, *what):
    told.append(what)


def test_progress_is_in_bytes_of_the_input(write, tmp_path):
    write(ranks=3)
    for jobs in (1, 2):
        told = []
        ingest([tmp_path / "job"], tmp_path / f"{jobs}.db", False, partial(_note, told), None, ENOUGH, jobs)
        assert {total for _, _, total in told} == {told[0][2]}
        assert [done for _, done, _ in told] == sorted(done for _, done, _ in told)
        assert told[-1][1] <= told[0][2]
        assert len({name for name, _, _ in told}) == 3
    assert told[0][2] > 100_000


SOME_PROCESS = """
import os, sys
from pathlib import Path
from warehouse.errors import NpuwhError
from warehouse.ingest import ingest
def meddle(what, done, total):
    if meddled or (not done and sys.argv[3] != "worker"):
        return
    pids = children(os.getpid())
    meddled.append(print(*pids, flush=True))
    if sys.argv[3] == "worker":
        os.kill(pids[0], 9)
    else:
        os.kill(os.getpid(), int(sys.argv[3]))
meddled = []
try:
    report = ingest([sys.argv[1]], sys.argv[2], progress=meddle, memory_bytes=1 << 30, jobs=2)
    print(len(report.added), report.exit_code, *report.failed)
except NpuwhError as error:
    print(type(error).__name__, error)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    """Profiles of two ranks that take a while."""
    folder = tmp_path_factory.mktemp("large")
    inflate(folder / "job", 120_000)
    return folder / "job"


@pytest.mark.parametrize(
    ("what", "said", "code"),
    [
        ("worker", "1 1 ", 0),
        (str(int(signal.SIGINT)), "interrupted", 0),
        (str(int(signal.SIGKILL)), "", -9),
    ],
)
def test_nobody_is_left_behind(large, tmp_path, what, said, code):
    script = inspect.getsource(children) + SOME_PROCESS
    command = [sys.executable, "-c", script, large, tmp_path / "W.db", what]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    pids, *lines = done.stdout.splitlines()
    assert done.returncode == code, done.stderr
    assert len(pids.split()) == 2
    assert gone(map(int, pids.split()))
    assert "\n".join(lines).startswith(said)
    if what == "worker":
        assert "was killed (SIGKILL)" in lines[0]
    assert done.stderr == ""
    left = [path.name for path in tmp_path.iterdir()]
    assert left == (["W.db"] if what == "worker" else ["W.db.tmp"] if code else [])
    ingest([large], tmp_path / "W.db", jobs=2)
    assert [path.name for path in tmp_path.iterdir()] == ["W.db"]


def test_ctrl_c_on_the_command(large, tmp_path):
    command = [sys.executable, "-m", "warehouse.cli", "ingest", large, "-o", tmp_path / "W.db", "--jobs", "2"]
    command += ["--memory", "1GB"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    while len(pids := children(process.pid)) < 2 and process.poll() is None:
        time.sleep(0.01)
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[1] == "npuwh: interrupted\n"
    assert process.returncode == 130
    assert gone(pids)
    assert list(tmp_path.iterdir()) == []


def test_a_module_of_the_working_directory_is_not_taken(write, tmp_path, monkeypatch):
    write(ranks=2)
    (tmp_path / "warehouse.py").write_text("raise SystemExit('taken from the working directory')")
    (tmp_path / "numpy.py").write_text("raise SystemExit('taken from the working directory')")
    monkeypatch.chdir(tmp_path)
    assert len(ingest([tmp_path / "job"], tmp_path / "W.db", memory_bytes=ENOUGH, jobs=2).added) == 2


@pytest.mark.parametrize("total", [128 << 20, 200 << 20, 256 << 20, 500 << 20, 4 << 30])
@pytest.mark.parametrize("jobs", [1, 2, 16])
def test_the_budget_is_what_was_given(total, jobs):
    memory = budget(total, jobs)
    assert memory.workers in (0, *range(2, jobs + 1))
    links = 8 * memory.rank.table_bytes
    rows = memory.keys_bytes + memory.ahead_bytes + max(1, memory.workers) * (memory.rank.reader_bytes + links)
    assert total // 8 - (30 << 20) < rows < total // 2


def test_too_little_of_anything():
    with pytest.raises(UsageError, match="--memory: 100 MB is too little"):
        budget(100 << 20, 1)
    with pytest.raises(UsageError, match="--jobs: 0 is too few"):
        budget(1 << 30, 0)
    assert os.cpu_count()
