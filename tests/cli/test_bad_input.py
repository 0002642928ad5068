"""Inputs that cannot be read, end to end: one clear line, exit code 2, nothing left behind."""

import os
import resource
import shutil
import signal
import sqlite3
import tempfile
import time
from contextlib import closing
from pathlib import Path

import pytest
from nobody import as_nobody

from warehouse.sample import write_profile
from warehouse.sample.inflate import inflate

DATABASE = "run_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db"


@pytest.fixture
def place(tmp_path):
    """Where the database of one run goes: input/run_ascend_pt/..."""
    path = tmp_path / "input" / DATABASE
    path.parent.mkdir(parents=True)
    return path


@pytest.fixture
def refused(run, tmp_path, left_over):
    """The input is refused with one line that names it, and nothing is made."""

    def call(*words):
        before = left_over(tmp_path)
        found = run("ingest", "input", "-o", "W.db")
        assert found.code == 2, found
        assert found.out == ""
        assert len(found.error_lines) == 1, found.err
        assert "input" in found.err
        for word in words:
            assert word in found.err
        assert left_over(tmp_path) == before
        return found

    return call


def small(directory, **settings):
    (made,) = write_profile(directory, ranks=1, steps=1, ops_per_step=10, **settings)
    return made / "ASCEND_PROFILER_OUTPUT" / "ascend_pytorch_profiler_0.db"


def change(path, *statements):
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_nothing_that_is_a_profile(refused, tmp_path):
    (tmp_path / "input").mkdir()
    (tmp_path / "input" / "notes.txt").write_text("nothing")
    refused("holds no profile")


def test_a_path_that_is_not_there(refused):
    refused("no such file")


def test_an_empty_file(refused, place):
    place.write_bytes(b"")
    refused("empty")


def test_a_truncated_database(refused, place, tmp_path):
    whole = small(tmp_path / "whole").read_bytes()
    place.write_bytes(whole[: len(whole) // 2])
    refused()


def test_a_header_and_nothing_else(refused, place):
    place.write_bytes(b"SQLite format 3\0")
    refused()


def test_something_else_under_that_name(refused, place):
    place.write_bytes(b"\x7fELF" + bytes(4096))
    refused()


def test_a_foreign_database(refused, place):
    change(place, "CREATE TABLE person (name TEXT)", "INSERT INTO person VALUES ('x')")
    refused()


def test_neither_task_nor_pytorch_api(refused, place, tmp_path):
    shutil.copyfile(small(tmp_path / "whole"), place)
    change(place, "DROP TABLE TASK", "DROP TABLE PYTORCH_API")
    refused("TASK", "PYTORCH_API")


def test_a_missing_column(refused, place, tmp_path):
    shutil.copyfile(small(tmp_path / "whole"), place)
    change(place, "ALTER TABLE TASK RENAME COLUMN taskType TO somethingElse")
    refused("TASK", "taskType")


def test_a_directory_under_that_name(refused, place):
    place.mkdir()
    (place / "x").write_text("x")
    refused()


def test_a_pipe_under_that_name(refused, place):
    os.mkfifo(place)
    refused()


def test_a_link_that_leads_nowhere(refused, place):
    place.symlink_to("gone.db")
    refused()


def test_a_loop_of_links(refused, tmp_path):
    (tmp_path / "input" / "a").mkdir(parents=True)
    (tmp_path / "input" / "a" / "up").symlink_to(tmp_path / "input")
    (tmp_path / "input" / "self").symlink_to("self")
    refused("holds no profile")


def test_a_loop_of_links_beside_a_profile(run, profile, tmp_path):
    shutil.copytree(profile, tmp_path / "input")
    (tmp_path / "input" / "up").symlink_to(tmp_path)
    (tmp_path / "input" / "again").symlink_to(tmp_path / "input")
    assert run("ingest", "input", "-o", "W.db").code == 0
    with closing(sqlite3.connect("W.db")) as connection:
        assert connection.execute("SELECT count(*) FROM rank").fetchall() == [(2,)]


@pytest.fixture
def nobody():
    """Root may read everything: be somebody else for a while."""
    with as_nobody():
        yield


@pytest.fixture
def open_folder():
    """A folder that everybody may use."""
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch).chmod(0o777)
        yield Path(scratch)


def test_an_unreadable_file(run, open_folder, monkeypatch, request):
    path = small(open_folder / "input")
    monkeypatch.chdir(open_folder)
    # as ourselves first: nobody may not be able to read the modules that are imported on the way
    assert run("ingest", open_folder / "input", "-o", open_folder / "W.db").code == 0
    (open_folder / "W.db").unlink()
    path.chmod(0)
    request.getfixturevalue("nobody")
    found = run("ingest", open_folder / "input", "-o", open_folder / "W.db")
    assert found.code == 2
    assert len(found.error_lines) == 1, found.err
    assert "input" in found.err
    assert [path.name for path in open_folder.iterdir()] == ["input"]


@pytest.mark.parametrize("kind", ["text", "sqlite", "directory"])
def test_an_output_that_is_not_ours(run, profile, tmp_path, kind):
    target = tmp_path / "W.db"
    if kind == "text":
        target.write_text("mine")
    elif kind == "sqlite":
        change(target, "CREATE TABLE mine (a)")
    else:
        target.mkdir()
    before = target.read_bytes() if target.is_file() else None
    found = run("ingest", profile, "-o", "W.db")
    assert found.code == 2
    assert len(found.error_lines) == 1
    assert "W.db" in found.err
    assert [path.name for path in tmp_path.iterdir()] == ["W.db"]
    assert before is None or target.read_bytes() == before


def limited(bytes_):
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (bytes_, bytes_))


@pytest.mark.parametrize("bytes_", [100_000, 1_000_000])
def test_a_full_disk(start, profile, tmp_path, left_over, bytes_):
    process = start("ingest", profile, "-o", "W.db", preexec_fn=limited(bytes_))
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2, err
    assert out == ""
    assert len(err.splitlines()) == 1, err
    assert "W.db" in err
    assert err.endswith(f"no file may have more than {bytes_:,} bytes here: raise that limit (ulimit -f)\n")
    assert left_over(tmp_path) == []


def test_a_folder_that_may_not_be_written_to(run, made, profile, tmp_path, open_folder, monkeypatch, request):
    """What to do is said, and it is not to free space."""
    for name in ("in", "closed"):
        (open_folder / name).mkdir()
    shutil.copytree(profile, open_folder / "in" / "job")
    shutil.copyfile(made, open_folder / "closed" / "W.db")
    (open_folder / "closed").chmod(0o555)
    (open_folder / "closed" / "W.db").chmod(0o444)
    monkeypatch.chdir(open_folder)
    commands = (
        ("-o", "ingest", "in", "-o", "closed/new.db"),
        ("-o", "ingest", "in", "-o", "closed/W.db"),
        ("--to", "export", "closed/W.db", "--to", "closed/out", "op_statistic"),
        ("-o", "sql", "closed/W.db", "SELECT 1", "-o", "closed/x.csv"),
        ("--to", "demo", "--to", "closed/demo"),
    )
    # as ourselves first: nobody may not be able to read the modules that are imported on the way
    for _, verb, *arguments in commands:
        assert run(verb, *(each.replace("closed", str(tmp_path)) for each in arguments)).code in (0, 2)
    request.getfixturevalue("nobody")
    for option, *command in commands:
        found = run(*command)
        assert found.code == 2, command
        assert len(found.error_lines) == 1, found.err
        assert f"you may not write there: give another place with {option}, or have the permission changed" in found.err
        assert "space" not in found.err


def test_a_full_disk_while_adding_keeps_what_was_there(start, run, profile, tmp_path, left_over):
    write_profile(tmp_path / "other", steps=6, seed=9)
    assert run("ingest", profile, "-o", "W.db").code == 0
    before = dump("W.db")
    size = (tmp_path / "W.db").stat().st_size
    process = start("ingest", "other", "-o", "W.db", preexec_fn=limited(size + 50_000))
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2, err
    assert len(err.splitlines()) == 1, err
    assert dump("W.db") == before
    assert [name for name in left_over(tmp_path) if not name.startswith("other/")] == ["W.db"]
    assert run("ingest", "other", "-o", "W.db").code == 0


def test_a_full_disk_while_exporting(start, made, tmp_path, left_over):
    process = start("export", made, "--to", "out", preexec_fn=limited(50_000))
    _, err = process.communicate(timeout=60)
    assert process.returncode == 2, err
    assert len(err.splitlines()) == 1, err
    assert left_over(tmp_path) == []


def dump(path):
    with closing(sqlite3.connect(path)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY 1").fetchall()
        return {name: connection.execute(f"SELECT * FROM {name}").fetchall() for (name,) in tables}


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    directory = tmp_path_factory.mktemp("large") / "job"
    inflate(directory, 200_000)
    return directory


def kill_when(process, growing, size, number=signal.SIGKILL):
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        if growing.exists() and growing.stat().st_size > size:
            process.send_signal(number)
            process.wait()
            return
        time.sleep(0.01)
    pytest.fail(f"ended before {growing.name} had grown: {process.communicate()}")


def test_killed_half_way_a_second_run_succeeds(start, run, large, tmp_path, left_over):
    process = start("ingest", large, "-o", "W.db")
    kill_when(process, tmp_path / "W.db.tmp", 4_000_000)
    assert not (tmp_path / "W.db").exists()
    found = run("info", "W.db")
    assert found.code == 2
    assert found.err.endswith("(W.db.tmp beside it: left by an ingest that was killed; ingest again, or delete it)\n")
    assert run("ingest", large, "-o", "W.db").code == 0
    assert run("check", "W.db").code == 0
    assert left_over(tmp_path) == ["W.db"]


def test_what_grows_and_what_was_left_are_told_apart(start, run, made, large, tmp_path):
    process = start("ingest", large, "-o", "W.db")
    deadline = time.monotonic() + 60
    while not (tmp_path / "W.db.tmp").exists() and time.monotonic() < deadline:
        time.sleep(0.01)
    assert "(W.db.tmp beside it is locked: an ingest is making it right now)" in run("info", "W.db").err
    found = run("ingest", large, "-o", "W.db")
    assert found.code == 2
    assert "W.db: is being made by another process (W.db.tmp is locked); wait until it is done" in found.err
    process.kill()
    process.wait()
    shutil.copyfile(made, tmp_path / "W.db")
    assert " beside it: left by an ingest that was killed; delete it\n" in run("info", "W.db").out


@pytest.mark.parametrize("kind", ["text", "sqlite", "pipe", "directory", "link"])
def test_what_somebody_else_has_under_the_growing_name_stays(run, profile, tmp_path, kind):
    path = tmp_path / "W.db.tmp"
    if kind == "text":
        path.write_text("mine")
    elif kind == "sqlite":
        change(path, "CREATE TABLE mine (a)")
    elif kind == "pipe":
        os.mkfifo(path)
    elif kind == "directory":
        path.mkdir()
    else:
        path.symlink_to("nowhere")
    before = path.read_bytes() if path.is_file() else None
    found = run("ingest", profile, "-o", "W.db")
    assert found.code == 2
    assert len(found.error_lines) == 1
    assert "W.db.tmp" in found.err
    assert [each.name for each in tmp_path.iterdir()] == ["W.db.tmp"]
    assert before is None or path.read_bytes() == before


def test_killed_while_adding_the_old_result_is_intact(start, run, profile, large, tmp_path, left_over):
    assert run("ingest", profile, "-o", "W.db").code == 0
    before = dump("W.db")
    process = start("ingest", large, "-o", "W.db")
    kill_when(process, tmp_path / "W.db.tmp", 2_000_000)
    assert run("info", "W.db").code == 0
    assert dump("W.db") == before
    assert run("ingest", large, "-o", "W.db").code == 0
    assert run("check", "W.db").code == 0
    assert left_over(tmp_path) == ["W.db"]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_interrupted_leaves_nothing(start, large, tmp_path, left_over, number):
    process = start("ingest", large, "-o", "W.db")
    kill_when(process, tmp_path / "W.db.tmp", 4_000_000, number)
    assert process.returncode == 130
    assert process.stderr.read().splitlines() == ["npuwh: interrupted"]
    assert left_over(tmp_path) == []
