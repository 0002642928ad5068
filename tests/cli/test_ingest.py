"""`npuwh ingest`: where the warehouse goes, what happens to one that is there, and that no input is written to."""

import hashlib
import shutil
import sqlite3
from contextlib import closing

import pytest

from warehouse.sample import write_profile


def ask(path, statement):
    with closing(sqlite3.connect(path)) as connection:
        return connection.execute(statement).fetchall()


@pytest.fixture
def digests():
    """What is in a directory: name and content of every file."""

    def call(directory):
        return {
            path.relative_to(directory): hashlib.sha256(path.read_bytes()).hexdigest()
            for path in directory.rglob("*")
            if path.is_file()
        }

    return call


def test_the_default_is_beside_and_named_after_the_input(run, profile, tmp_path, left_over):
    found = run("ingest", profile)
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith("made job.db: 2 ranks added")
    assert left_over(tmp_path) == ["job.db"]


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("ascend_pytorch_profiler_1.db", "ascend_pytorch_profiler_1_npuwh.db"),
        ("mine.db", "mine_npuwh.db"),
        ("msprof_20240102", "msprof_20240102_npuwh.db"),
    ],
)
def test_the_default_never_looks_like_a_profile(run, profile, tmp_path, left_over, name, made):
    (path,) = profile.rglob("ascend_pytorch_profiler_1.db")
    where = tmp_path / "in"
    where.mkdir()
    (shutil.copyfile if name.endswith(".db") else copy_run)(path, where / name)
    found = run("ingest", where / name)
    assert (found.code, found.err) == (0, "")
    assert found.out.startswith(f"made {made}: 1 rank added")
    assert [file for file in left_over(tmp_path) if not file.startswith("in/")] == [made]


def copy_run(path, target):
    shutil.copytree(path.parent.parent, target)


def test_it_is_told_whether_a_file_was_made_or_added_to(run, profile, tmp_path):
    one, other = sorted(profile.iterdir())
    assert run("ingest", one, "-o", "W.db").out.startswith("made W.db: 1 rank added; ")
    assert run("ingest", other, "-o", "W.db").out.startswith("added to W.db: 1 rank added; ")
    assert run("ingest", other, "-o", "W.db").out == "W.db: 1 rank unchanged\n"


def test_the_input_is_not_changed(run, profile, digests):
    before = digests(profile)
    assert run("ingest", profile).code == 0
    assert digests(profile) == before


@pytest.mark.parametrize("given", ["1000000000000000000000GB", "9" * 400, "9000000TB"])
def test_any_large_memory_is_enough(run, profile, given):
    assert run("ingest", profile, "-o", "W.db", "--memory", given).code == 0


@pytest.mark.parametrize(("given", "told"), [("1", "1 byte is too little"), ("64MB", "64 MB is too little")])
def test_too_little_memory(run, profile, given, told):
    found = run("ingest", profile, "-o", "W.db", "--memory", given)
    assert found.code == 2
    assert told in found.err


def test_several_inputs_need_a_name(run, profile, tmp_path, left_over):
    found = run("ingest", *profile.iterdir())
    assert found.code == 2
    assert len(found.error_lines) == 1
    assert "-o" in found.err
    assert left_over(tmp_path) == []
    assert run("ingest", *profile.iterdir(), "-o", "W.db").code == 0
    assert ask(tmp_path / "W.db", "SELECT count(*) FROM rank") == [(2,)]


@pytest.mark.parametrize("output", [None, "W.db", "sim_41000_20251009085320000_ascend_pt/W.db"])
def test_never_inside_an_input(run, profile, monkeypatch, digests, output):
    before = digests(profile)
    monkeypatch.chdir(profile)
    found = run("ingest", ".", *(["-o", output] if output else []))
    assert found.code == 2
    assert "-o" in found.err
    assert digests(profile) == before


def test_the_same_again_changes_nothing(run, profile, tmp_path):
    assert run("ingest", profile, "-o", "W.db").code == 0
    before = (tmp_path / "W.db").read_bytes()
    found = run("ingest", profile, "-o", "W.db")
    assert (found.code, found.err) == (0, "")
    assert "2 ranks unchanged" in found.out
    assert (tmp_path / "W.db").read_bytes() == before


def test_other_inputs_are_added_and_do_not_collide(run, profile, tmp_path):
    write_profile(tmp_path / "monday" / "job", steps=1, seed=3)
    write_profile(tmp_path / "tuesday" / "job", steps=1, seed=4)
    assert run("ingest", profile, "-o", "W.db").code == 0
    assert run("ingest", "monday", "tuesday", "-o", "W.db").code == 0
    assert ask("W.db", "SELECT count(*), count(DISTINCT run_id) FROM rank") == [(6, 3)]
    assert ask("W.db", "SELECT run_id, rank_no FROM rank GROUP BY 1, 2 HAVING count(*) > 1") == []
    assert run("check", "W.db").code == 0
    assert run("export", "W.db", "--to", "out", "op_statistic").code == 0
    files = list((tmp_path / "out").rglob("op_statistic.csv"))
    assert len(files) == 6
    assert all(path.parent.parent.name.endswith("_ascend_pt") for path in files)


def test_a_changed_input_is_refused_and_replaced_by_force(run, tmp_path):
    write_profile(tmp_path / "job", steps=1, seed=3)
    assert run("ingest", "job", "-o", "W.db").code == 0
    before = ask("W.db", "SELECT sum(end_ns - start_ns) FROM device_task")
    shutil.rmtree(tmp_path / "job")
    write_profile(tmp_path / "job", steps=1, seed=4)
    found = run("ingest", "job", "-o", "W.db")
    assert found.code == 2
    assert "--force" in found.err
    assert ask("W.db", "SELECT sum(end_ns - start_ns) FROM device_task") == before
    assert run("ingest", "job", "-o", "W.db", "--force").code == 0
    assert ask("W.db", "SELECT count(*) FROM rank") == [(2,)]
    assert ask("W.db", "SELECT sum(end_ns - start_ns) FROM device_task") != before
    assert run("check", "W.db").code == 0


def test_a_single_database(run, profile, tmp_path):
    (path,) = profile.glob("*41011*/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db")
    assert run("ingest", path, "-o", "W.db").code == 0
    assert ask("W.db", "SELECT rank_no, directory FROM rank") == [(1, "sim_41011_20251009085320000_ascend_pt")]


def test_nested_and_linked_run_directories(run, profile, tmp_path):
    deep = tmp_path / "a" / "b" / "c"
    deep.mkdir(parents=True)
    for path in profile.iterdir():
        (deep / path.name).symlink_to(path)
    assert run("ingest", "a", "-o", "W.db").code == 0
    assert ask("W.db", "SELECT rank_no FROM rank ORDER BY 1") == [(0,), (1,)]


@pytest.mark.parametrize("generation", ["1.2.0", "1.0.0"])
@pytest.mark.parametrize("level", ["Level0", "Level1", "Level2"])
def test_every_level_and_generation_is_whole(run, tmp_path, level, generation):
    write_profile(tmp_path / "job", steps=2, level=level, generation=generation)
    assert run("ingest", "job", "-o", "W.db").code == 0
    found = run("check", "W.db")
    assert (found.code, found.out) == (0, "W.db: no findings\n")


def test_a_part_that_failed_is_told_and_the_rest_loads(run, profile, tmp_path):
    shutil.copytree(profile, tmp_path / "job")
    bad = tmp_path / "job" / "bad_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    bad.mkdir(parents=True)
    (bad / "ascend_pytorch_profiler_2.db").write_bytes(b"not a database at all\n" * 50)
    found = run("ingest", "job", "-o", "W.db")
    assert found.code == 1
    assert "bad_ascend_pt" in found.err
    assert ask("W.db", "SELECT rank_no FROM rank ORDER BY 1")[:2] == [(0,), (1,)]
    assert run("check", "W.db").code == 1


def test_a_warehouse_does_not_go_into_another_profile(run, profile, tmp_path, left_over):
    shutil.copytree(profile, tmp_path / "other")
    before = left_over(tmp_path / "other")
    folder = next((tmp_path / "other").iterdir())
    for place in (folder, folder / "ASCEND_PROFILER_OUTPUT"):
        found = run("ingest", profile, "-o", place / "W.db")
        assert found.code == 2
        assert "profiles are never written to; choose with -o" in found.err
    assert left_over(tmp_path / "other") == before
