"""The command as a whole: version, help, usage errors, broken pipes, interrupts."""

import functools
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from warehouse.cli.command_line import VERBS, name_of
from warehouse.cli.outcome import EXIT_CODES


def test_version(run):
    found = run("--version")
    assert found.code == 0
    assert found.out.startswith("npuwh ")


def test_help_lists_every_verb_and_the_exit_codes(run):
    found = run("--help")
    assert found.code == 0
    for verb in VERBS:
        assert name_of(verb) in found.out
    text = " ".join(found.out.split())
    for code, meaning in EXIT_CODES.items():
        assert f"{code} {meaning}" in text


@pytest.mark.parametrize("verb", [name_of(verb) for verb in VERBS])
def test_every_verb_has_an_example(run, verb):
    found = run(verb, "--help")
    assert found.code == 0
    assert f"Example: npuwh {verb}" in found.out


@pytest.mark.parametrize(
    ("arguments", "unused"),
    [
        (["--version"], {"sqlalchemy", "alembic", "polars", "pyarrow", "numpy"}),
        (["--help"], {"sqlalchemy", "alembic", "polars", "pyarrow", "numpy"}),
        (["info"], {"sqlalchemy", "alembic", "polars", "pyarrow", "numpy"}),
        (["sql", "SELECT 1"], {"sqlalchemy", "alembic", "polars", "pyarrow", "numpy"}),
        (["views"], {"sqlalchemy", "alembic", "polars", "pyarrow", "numpy"}),
        (["check"], {"sqlalchemy", "alembic", "polars", "pyarrow", "numpy"}),
    ],
)
def test_nothing_is_imported_that_is_not_used(made, arguments, unused):
    verb, *rest = arguments
    given = [verb] if verb.startswith("-") else [verb, str(made), *rest]
    code = f"import sys; from warehouse.cli import main; main({given!r}); print(*sys.modules, file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert unused & set(done.stderr.split()) == set()


def test_without_a_verb_it_helps(run):
    found = run()
    assert found.code == 2
    assert "Usage: npuwh" in found.err
    assert found.out == ""


@pytest.mark.parametrize(
    "arguments",
    [
        ["fly"],
        ["ingest"],
        ["ingest", "--speed", "9", "x"],
        ["export", "W.db"],
        ["export", "W.db", "--to", "out", "--rank", "first"],
        ["sql", "W.db"],
    ],
)
def test_wrong_usage_is_one_line_and_code_2(run, tmp_path, arguments):
    found = run(*arguments)
    assert found.code == 2
    assert found.out == ""
    assert len(found.error_lines) == 1
    assert found.err.startswith("npuwh: ")
    assert "--help" in found.err
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", ["info", "views", "check", "upgrade"])
def test_a_warehouse_that_is_not_there(run, verb):
    found = run(verb, "none.db")
    assert found.code == 2
    assert found.error_lines == ["npuwh: none.db: there is no such file"]


@pytest.mark.parametrize("verb", ["info", "views", "check", "upgrade"])
def test_a_file_that_is_no_warehouse(run, tmp_path, verb):
    (tmp_path / "notes.db").write_text("not a database\n" * 100)
    found = run(verb, "notes.db")
    assert found.code == 2
    assert len(found.error_lines) == 1
    assert "notes.db" in found.err


def test_control_characters_in_names_stay_on_one_line(run, tmp_path):
    found = run("info", "a\n\x1b[31mred.db")
    assert found.code == 2
    assert len(found.error_lines) == 1
    assert "\x1b" not in found.err


def test_a_reader_that_has_seen_enough_is_no_error(made, tmp_path):
    statement = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200000) SELECT i FROM n"
    for form in ("table", "csv", "json"):
        command = [sys.executable, "-m", "warehouse.cli", "sql", str(made), statement, "--format", form]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=tmp_path) as process:
            process.stdout.readline()
            process.stdout.close()
            assert process.stderr.read() == b""
            assert process.wait(60) == 0


@pytest.mark.parametrize("closed", [[0, 1], [1], [2], [0, 1, 2]])
def test_closed_standard_streams_lead_nowhere(profile, made, tmp_path, closed):
    streams = " ".join(f"{number}>&-" for number in closed)
    for code, verb in (
        (0, ["ingest", str(profile), "-o", "W.db", "--jobs", "2", "--memory", "1GB"]),
        (0, ["info", str(made)]),
        (0, ["check", str(made)]),
        (0, ["sql", str(made), "SELECT * FROM op"]),
        (2, ["ingest", "nothing", "-o", "V.db"]),
    ):
        command = ["sh", "-c", f'exec "$@" {streams}', "sh", sys.executable, "-m", "warehouse.cli", *verb]
        done = subprocess.run(command, check=False, capture_output=True, text=True, cwd=tmp_path)
        assert done.returncode == code, (verb, done)
        assert "Traceback" not in done.stderr
    assert (tmp_path / "W.db").is_file()


def test_what_is_made_but_cannot_be_told_is_code_1(profile, made, tmp_path):
    for code, words, verb in (
        (1, "W.db was written nonetheless", ["ingest", str(profile), "-o", "W.db"]),
        (1, "W.db is as it was nonetheless", ["ingest", str(profile), "-o", "W.db"]),
        (1, "W.db is of this version nonetheless", ["upgrade", "W.db"]),
        (1, "1 file below out is made nonetheless", ["export", "W.db", "--to", "out", "kernel_details", "--rank", "0"]),
        (1, "the demo in demo is made nonetheless", ["demo", "--to", "demo"]),
        (2, "No space left on device", ["info", "W.db"]),
        (2, "No space left on device", ["check", "W.db"]),
        (2, "No space left on device", ["views", "W.db"]),
    ):
        command = [sys.executable, "-m", "warehouse.cli", *verb]
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(command, check=False, stdout=full, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
        assert done.returncode == code, (verb, done)
        assert words in done.stderr
        assert len(done.stderr.splitlines()) == 1, done.stderr


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("columns", ["i", "count(*)"])  # while rows come, and before the first one
def test_interrupted_is_130_and_leaves_nothing(start, made, tmp_path, number, columns):
    endless = f"WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT {columns} FROM n"
    process = start("sql", made, endless, "-o", "out.csv")
    deadline = time.monotonic() + 60
    while not list(tmp_path.iterdir()) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert list(tmp_path.iterdir()) != []
    time.sleep(0.2)
    process.send_signal(number)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert err.splitlines() == ["npuwh: interrupted"]
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def on_a_terminal(tmp_path):
    """Run a verb on a terminal; returns the exit code and all that was shown."""
    return functools.partial(show_on_a_terminal, tmp_path)


def show_on_a_terminal(tmp_path, *arguments, columns=80):
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "warehouse.cli", *map(str, arguments)]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": str(columns)}
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, cwd=tmp_path, env=environment) as process:
        os.close(theirs)
        shown = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # Linux tells the end of a terminal like this
                break
            if not part:
                break
            shown += part
    os.close(ours)
    return process.returncode, shown


def test_progress_is_shown_on_a_terminal(profile, on_a_terminal):
    code, shown = on_a_terminal("ingest", profile, "-o", "W.db")
    assert code == 0
    assert b"ingest sim_41000" in shown
    assert b"made W.db: 2 ranks added" in shown


def test_long_cells_are_cut_on_a_terminal_only(run, made, on_a_terminal):
    statement = f"SELECT '{'long ' * 40}' AS text, 1234567890123456789 AS number"
    code, shown = on_a_terminal("sql", made, statement, columns=60)
    _, row = shown.decode().splitlines()
    assert code == 0
    assert len(row) == 60
    assert row.startswith("long long ")
    assert "…" in row
    assert row.endswith(" 1234567890123456789")
    assert "…" not in run("sql", made, statement).out


def test_a_current_directory_that_is_gone(run, profile, made, tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    for verb in (
        ["ingest", profile, "-o", "W.db"],
        ["sql", made, "SELECT 1", "-o", "rows.csv"],
        ["export", made, "--to", "out", "op_statistic"],
        ["demo"],
    ):
        found = run(*verb)
        assert found.code == 2
        assert found.err == "npuwh: the current directory is not there any more: change to another one\n"
