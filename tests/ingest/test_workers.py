"""Ranks decoded in other processes: the same warehouse, and nobody is left behind whatever happens."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest

from warehouse.errors import UsageError
from warehouse.ingest import ingest
from warehouse.ingest.budget import budget
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
from warehouse.errors import NpuwhError
from warehouse.ingest import ingest
sys.path.insert(0, sys.argv[4])
from tests.ingest.test_workers import children
def meddle(what, done, total):
    if meddled or (not done and sys.argv[3] != "worker"):
        return
    pids = children(os.getpid())
    meddled.append(print(*pids, flush=True))
    if sys.argv[3] == "worker":
        os.kill(pids[-1], 9)
    else:
        os.kill(os.getpid(), int(sys.argv[3]))
meddled = []
try:
    ingest([sys.argv[1]], sys.argv[2], progress=meddle, memory_bytes=1 << 30, jobs=2)
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
        ("worker", "WorkerError ", 0),
        (str(int(signal.SIGINT)), "interrupted", 0),
        (str(int(signal.SIGKILL)), "", -9),
    ],
)
def test_nobody_is_left_behind(large, tmp_path, what, said, code):
    root = Path(__file__).parents[2]
    command = [sys.executable, "-c", SOME_PROCESS, large, tmp_path / "W.db", what, root]
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
    assert left == (["W.db.tmp"] if code else [])
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
    with pytest.raises(UsageError, match="--memory: 100 MB are too few"):
        budget(100 << 20, 1)
    with pytest.raises(UsageError, match="--jobs: 0 is too few"):
        budget(1 << 30, 0)
    assert os.cpu_count()
