"""`npuwh upgrade`: an older file is refused by the others and made current by it."""

import shutil
import sqlite3
from contextlib import closing


def test_views_are_made_again(run, made, tmp_path):
    path = tmp_path / "old.db"
    shutil.copyfile(made, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("DROP VIEW kernel_time")
        connection.execute("CREATE VIEW kernel_time AS SELECT 1 AS one")
    assert run("check", path).code == 1
    found = run("upgrade", path)
    assert (found.code, found.err) == (0, "")
    assert "upgraded" in found.out
    assert run("check", path).code == 0


def test_a_current_file_needs_nothing(run, made):
    before = made.read_bytes()
    found = run("upgrade", made)
    assert found.code == 0
    assert "nothing to do" in found.out
    assert made.read_bytes() == before


def test_a_newer_file_is_left_alone(run, made, tmp_path):
    path = tmp_path / "new.db"
    shutil.copyfile(made, path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 9999")
    before = path.read_bytes()
    for verb in ("upgrade", "info", "check"):
        found = run(verb, path)
        assert found.code == 2
        assert "newer" in found.err
    assert path.read_bytes() == before
