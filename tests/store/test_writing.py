"""A result is whole or not there: exceptions, kills, full disks, other writers."""

from __future__ import annotations

import os
import signal
import sqlite3
import stat
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from warehouse import store
from warehouse.errors import WarehouseFileError, WriteError
from warehouse.store.loader import writing_to
from warehouse.store.tables import metadata

LOAD = """
import os, resource, signal, sys
from warehouse import store
from warehouse.errors import WriteError

def load(loader, batches, rank_id=1):
    for batch in range(batches):
        ids = loader.intern([f"name {rank_id} {batch} {n}" for n in range(20_000)])
        loader.write("op", {"rank_id": rank_id, "start_ns": list(range(20_000)), "end_ns": 1, "thread_id": 1,
                            "name_id": ids, "depth": 0, "lane": 0})
"""


def _run(code: str, path: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", LOAD + textwrap.dedent(code), str(path)], check=False, capture_output=True, text=True
    )


def _count(path: Path) -> int:
    connection = store.open_read(path)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert store.stale_views(connection) == []
        return connection.execute("SELECT count(*) FROM op_named WHERE name IS NOT NULL").fetchone()[0]
    finally:
        connection.close()


NEW = """
with store.new_warehouse(sys.argv[1]) as loader:
    load(loader, 2)
"""
ADD = """
with store.add_to(sys.argv[1]) as loader:
    load(loader, 3, rank_id=2)
"""
KILL = "    os.kill(os.getpid(), signal.SIGKILL)\n"


def test_a_new_file_appears_whole(tmp_path):
    path = tmp_path / "w.db"
    with store.new_warehouse(path) as loader:
        loader.write("run", {"name": "a", "path": "a"})
        assert not path.exists()
    assert [entry.name for entry in tmp_path.iterdir()] == ["w.db"]
    assert stat.S_IMODE(path.stat().st_mode) & ~0o640 == 0
    with sqlite3.connect(path) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
        query = "SELECT count(*) FROM sqlite_master WHERE type = 'index' AND name NOT LIKE 'sqlite_%'"
        indexes = connection.execute(query).fetchone()[0]
    connection.close()
    assert indexes == sum(len(table.indexes) for table in metadata.tables.values())


def test_nothing_is_left_after_an_exception(tmp_path):
    with pytest.raises(KeyboardInterrupt), store.new_warehouse(tmp_path / "w.db"):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


def test_adding_is_taken_back_after_an_exception(tmp_path):
    path = tmp_path / "w.db"
    store.create(path)
    before = path.read_bytes()

    def add_and_fail():
        with store.add_to(path) as loader:
            loader.write("run", {"name": "a", "path": "a"})
            raise KeyError("a")

    with pytest.raises(KeyError):
        add_and_fail()
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["w.db"]


def test_a_killed_first_run_does_not_stop_the_second(tmp_path):
    path = tmp_path / "w.db"
    assert _run(NEW + KILL, path).returncode == -signal.SIGKILL
    assert not path.exists()
    assert _run(NEW, path).returncode == 0
    assert _count(path) == 40_000
    assert [entry.name for entry in tmp_path.iterdir()] == ["w.db"]


def test_a_killed_addition_leaves_the_old_result(tmp_path):
    path = tmp_path / "w.db"
    assert _run(NEW, path).returncode == 0
    assert _run(ADD + KILL, path).returncode == -signal.SIGKILL
    assert Path(f"{path}-journal").exists()
    assert _count(path) == 40_000
    assert _run(ADD + KILL, path).returncode == -signal.SIGKILL
    assert _run(ADD, path).returncode == 0  # straight after the kill, no reader in between
    assert _count(path) == 100_000
    assert [entry.name for entry in tmp_path.iterdir()] == ["w.db"]


@pytest.mark.parametrize("limit", [1_000_000, 4_000_000])
def test_a_full_disk_while_a_file_is_made(tmp_path, limit):
    guard = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))\ntry:\n"
    end = "except WriteError as error:\n    print(error)\n    sys.exit(7)\n"
    done = _run(guard + textwrap.indent(NEW, "    ") + end, tmp_path / "w.db")
    assert (done.returncode, done.stderr) == (7, "")
    assert "w.db: cannot be written" in done.stdout
    assert list(tmp_path.iterdir()) == []


def test_a_full_disk_while_adding(tmp_path):
    path = tmp_path / "w.db"
    assert _run(NEW, path).returncode == 0
    before = path.read_bytes()
    guard = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({len(before) + 1_000_000},) * 2)\ntry:\n"
    end = "except WriteError as error:\n    print(error)\n    sys.exit(7)\n"
    done = _run(guard + textwrap.indent(ADD, "    ") + end, path)
    assert (done.returncode, done.stderr) == (7, "")
    assert "cannot be written" in done.stdout
    assert _count(path) == 40_000
    assert [entry.name for entry in tmp_path.iterdir()] == ["w.db"]


def test_what_is_there_is_never_overwritten(tmp_path):
    path = tmp_path / "w.db"
    path.write_text("mine")
    with pytest.raises(WriteError, match="is there already"), store.new_warehouse(path):
        pass
    with pytest.raises(WarehouseFileError), store.add_to(path):
        pass
    dangling = tmp_path / "link.db"
    dangling.symlink_to(tmp_path / "nowhere")
    with pytest.raises(WriteError, match="is there already"), store.new_warehouse(dangling):
        pass
    assert path.read_text() == "mine"
    assert {entry.name for entry in tmp_path.iterdir()} == {"w.db", "link.db"}


def test_what_came_there_meanwhile_is_not_overwritten(tmp_path):
    path = tmp_path / "w.db"
    with pytest.raises(WriteError, match="meanwhile"), store.new_warehouse(path):
        path.write_text("mine")
    assert path.read_text() == "mine"
    assert [entry.name for entry in tmp_path.iterdir()] == ["w.db"]


def test_two_that_make_the_same_file(tmp_path):
    path = tmp_path / "w.db"
    with store.new_warehouse(path):
        done = _run("try:\n    store.create(sys.argv[1])\nexcept WriteError as error:\n    print(error)", path)
        assert "another process" in done.stdout
    assert _count(path) == 0


def test_no_folder_to_write_to(tmp_path):
    with pytest.raises(WriteError, match="No such file"), store.new_warehouse(tmp_path / "no" / "w.db"):
        pass


def test_a_reader_is_not_in_the_way_of_an_addition(tmp_path):
    path = tmp_path / "w.db"
    store.create(path)
    reader = store.open_read(path)
    assert reader.execute("SELECT count(*) FROM run").fetchone() == (0,)
    with store.add_to(path) as loader:
        loader.write("run", {"name": "a", "path": "a"})
        assert reader.execute("SELECT count(*) FROM run").fetchone() == (0,)
    assert reader.execute("SELECT count(*) FROM run").fetchone() == (1,)
    reader.close()


def test_interrupting_a_long_statement(tmp_path):
    code = """
    import threading, time
    store.create(sys.argv[1])
    with store.add_to(sys.argv[1]) as loader:
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        began = time.monotonic()
        try:
            loader.connection.execute(
                "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c").fetchone()
        except store.loader.sqlite3.OperationalError as error:
            print(error, time.monotonic() - began < 5)
    """
    done = _run(textwrap.dedent(code), tmp_path / "w.db")
    assert done.stdout == "interrupted True\n", done.stderr
    assert os.path.lexists(tmp_path / "w.db")


def test_a_file_that_may_only_be_read_is_no_full_disk(tmp_path, monkeypatch):
    path = tmp_path / "W.db"
    store.create(path)
    for forbidden, told in ((path, "that file is read-only"), (tmp_path, "the directory of that file is read-only")):
        monkeypatch.setattr(os, "access", lambda place, mode, forbidden=forbidden: Path(place) != forbidden)
        with pytest.raises(WriteError, match=told) as found, writing_to(path):
            raise sqlite3.OperationalError("disk I/O error")
        assert "free space" not in str(found.value)
