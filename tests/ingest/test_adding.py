"""More profiles into a warehouse that is there: in one transaction or by making the file anew, with the same result."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from contextlib import closing

import pytest
from synth import parse_options, simulate

from warehouse import store
from warehouse.errors import InputError
from warehouse.ingest import ingest
from warehouse.store import adding, copying

WAYS = {"anew": True, "merged": False}


@pytest.fixture(params=WAYS)
def way(request, monkeypatch):
    """Each way in turn, whatever outweighs what."""
    if not WAYS[request.param]:
        monkeypatch.setattr(adding, "_may_be_made_anew", lambda *_: False)
    else:
        decide = adding._may_be_made_anew
        monkeypatch.setattr(adding, "_may_be_made_anew", lambda old, removed, _: decide(old, removed, 1 << 40))
    return request.param


def _add(folder, way, *inputs):
    """Ingest one after the other; gives the warehouse, after checking that the last came the way it should."""
    path = folder / "added.db"
    for each in inputs:
        before = path.stat().st_ino if path.exists() else None
        ingest([each], path)
    assert (path.stat().st_ino != before) == (way == "anew")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert [each.name for each in folder.glob("added.db*")] == ["added.db"]
    return path


def _same(content, one, other):
    rows, others = content(one), content(other)
    assert {name: (rows[name], others[name]) for name in rows if rows[name] != others[name]} == {}


def test_databases_one_after_the_other(write, content, tmp_path, way):
    runs = write(ranks=3, steps=2, ops_per_step=30, level="Level2", replays=2)
    ingest(runs, tmp_path / "once.db")
    _same(content, _add(tmp_path, way, *runs), tmp_path / "once.db")


def test_raw_data_one_after_the_other(content, tmp_path, way):
    options = ["--ranks", "2", "--ops-per-step", "300", "--with-stack", "--gc", "--graph-mode", "capture"]
    runs = [rank.directory for rank in simulate(parse_options([str(tmp_path / "raw"), *options]))]
    ingest(runs, tmp_path / "once.db")
    _same(content, _add(tmp_path, way, *runs), tmp_path / "once.db")


def test_other_strings_and_kernels(write, content, tmp_path, way):
    first = write("a", steps=2, ops_per_step=40)
    write("b", ranks=2, steps=3, ops_per_step=70, level="Level2", replays=1)
    ingest([tmp_path / "a", tmp_path / "b"], tmp_path / "once.db")
    _same(content, _add(tmp_path, way, *first, tmp_path / "b"), tmp_path / "once.db")


def test_without_native_reading(write, content, tmp_path, monkeypatch):
    monkeypatch.setattr(copying, "python_sqlite", lambda: None)
    runs = write(ranks=2, ops_per_step=30, level="Level2")
    ingest(runs, tmp_path / "once.db")
    ingest(runs[:1], tmp_path / "W.db")
    with adding.more_rows(tmp_path / "W.db", added_bytes=1 << 40):
        pass
    with closing(sqlite3.connect(tmp_path / "once.db")) as once, closing(sqlite3.connect(tmp_path / "W.db")) as copied:
        for query in ("SELECT * FROM op WHERE rank_id = 1", "SELECT * FROM kernel_metric WHERE rank_id = 1"):
            assert once.execute(query).fetchall() == copied.execute(query).fetchall()


def test_a_failure_is_forgotten_when_it_loads(write, database_of, ask, tmp_path, way):
    first, second = write(ranks=2)
    data = database_of(second).read_bytes()
    database_of(second).write_bytes(b"SQLite format 3\0" + bytes(5000))
    assert ingest([first, second], tmp_path / "added.db").exit_code == 1
    assert ask(tmp_path / "added.db", "SELECT count(*) > 0 FROM source WHERE state = 'failed'") == [(1,)]
    database_of(second).write_bytes(data)
    path = _add(tmp_path, way, second)
    assert ask(path, "SELECT count(*) FROM source WHERE state = 'failed'") == [(0,)]
    assert ask(path, "SELECT count(*) FROM issue WHERE code = 'bad-input'") == [(0,)]
    assert ask(path, "SELECT count(*) FROM rank") == [(2,)]


def test_an_input_that_fails_changes_nothing(write, database_of, tmp_path, way):
    first, second = write(ranks=2)
    ingest([first], tmp_path / "W.db")
    before = (tmp_path / "W.db").read_bytes()
    data = bytearray(database_of(second).read_bytes())
    data[len(data) // 2 :] = bytes(len(data) - len(data) // 2)
    database_of(second).write_bytes(data)
    with pytest.raises(InputError):
        ingest([second], tmp_path / "W.db")
    assert (tmp_path / "W.db").read_bytes() == before
    assert [each.name for each in tmp_path.glob("W.db*")] == ["W.db"]


def test_replacing_the_only_rank_makes_the_file_anew(write, database_of, change, content, tmp_path):
    (run,) = write(steps=2, ops_per_step=50)
    ingest([run], tmp_path / "W.db")
    before = (tmp_path / "W.db").stat().st_ino
    change(database_of(run), "DELETE FROM TASK WHERE startNs > (SELECT avg(startNs) FROM TASK)")
    assert ingest([run], tmp_path / "W.db", force=True).replaced == [run.resolve()]
    assert (tmp_path / "W.db").stat().st_ino != before
    ingest([run], tmp_path / "once.db")
    _same(content, tmp_path / "W.db", tmp_path / "once.db")


@pytest.mark.parametrize(
    "keep",
    [
        lambda path: os.link(path, path.with_name("other.db")),
        lambda path: sqlite3.connect(path).execute("PRAGMA journal_mode = WAL").fetchone(),
        lambda path: sqlite3.connect(path).execute("CREATE TABLE mine (a)").fetchone(),
        lambda path: sqlite3.connect(path).execute("CREATE INDEX mine ON op (end_ns)").fetchone(),
        lambda path: sqlite3.connect(path).execute("CREATE VIEW mine AS SELECT 1").fetchone(),
    ],
    ids=["link", "wal", "table", "index", "view"],
)
def test_what_others_did_to_the_file_is_kept(write, tmp_path, keep):
    runs = write(ranks=2)
    path = tmp_path / "W.db"
    ingest(runs[:1], path)
    keep(path)
    before = path.stat().st_ino
    with adding.more_rows(path, added_bytes=1 << 40):
        pass
    assert path.stat().st_ino == before
    assert len(ingest(runs[1:], path).added) == 1


def test_a_name_that_leads_there_stays_and_so_does_the_mode(write, tmp_path):
    first, second = write(ranks=2)
    (tmp_path / "deep").mkdir()
    path = tmp_path / "deep" / "W.db"
    ingest([first], path)
    path.chmod(0o600)
    (tmp_path / "link.db").symlink_to(path)
    before = path.stat().st_ino
    with adding.more_rows(tmp_path / "link.db", added_bytes=1 << 40):
        pass
    ingest([second], tmp_path / "link.db")
    assert (tmp_path / "link.db").is_symlink()
    assert path.stat().st_ino != before
    assert path.stat().st_mode & 0o777 == 0o600
    assert [each.name for each in path.parent.iterdir()] == ["W.db"]


SCRIPT = """
import os, signal, sys
from warehouse.store import adding
with adding.more_rows(sys.argv[1], added_bytes=int(sys.argv[2])) as loader:
    loader.write("run", {"name": sys.argv[3], "path": sys.argv[3]})
    loader.write("thread", {"id": [loader.reserve("thread", 1)], "rank_id": 1, "pid": 7, "tid": 7, "is_dequeue": 0})
"""


def _other(path, added_bytes, name, then=""):
    script = SCRIPT + textwrap.indent(then, "    ")
    return subprocess.Popen([sys.executable, "-c", script, path, str(added_bytes), name])


@pytest.mark.parametrize("added_bytes", [0, 1 << 40])
def test_killed_half_way(write, tmp_path, ask, added_bytes):
    path = tmp_path / "W.db"
    ingest(write(), path)
    before = path.read_bytes()
    killed = _other(path, added_bytes, "b", "os.kill(os.getpid(), signal.SIGKILL)")
    assert killed.wait(60) == -signal.SIGKILL
    assert path.read_bytes() == before
    assert _other(path, added_bytes, "b").wait(60) == 0
    assert ask(path, "SELECT count(*) FROM run") == [(2,)]
    assert [each.name for each in tmp_path.glob("W.db*")] == ["W.db"]


@pytest.mark.parametrize("added_bytes", [0, 1 << 40])
def test_two_at_the_same_time(write, tmp_path, ask, added_bytes):
    path = tmp_path / "W.db"
    ingest(write(), path)
    reader = store.open_read(path)
    with adding.more_rows(path, added_bytes=added_bytes) as loader:
        other = _other(path, added_bytes, "other")
        time.sleep(2)  # it waits for its turn, with the file open
        loader.write("run", {"name": "ours", "path": "ours"})
        assert reader.execute("SELECT count(*) FROM run").fetchone() == (1,)
    assert other.wait(60) == 0
    assert [name for (name,) in ask(path, "SELECT name FROM run ORDER BY id")][1:] == ["ours", "other"]
    assert ask(path, "PRAGMA integrity_check") == [("ok",)]
    reader.close()
