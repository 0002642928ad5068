"""The whole way in: outputs, adding, changes, failures."""

import os
import shutil
import subprocess
import sys

import pytest

from warehouse.errors import InputError, UsageError, WarehouseFileError, WriteError
from warehouse.ingest import ingest


def test_both_ranks_and_their_sources(made, ask, profile):
    ranks = ask(made, "SELECT rank_no, rank_origin, directory, level, is_simulated, path FROM rank ORDER BY rank_no")
    assert [row[:2] for row in ranks] == [(0, "RANK_DEVICE_MAP"), (1, "RANK_DEVICE_MAP")]
    assert all(row[2].endswith("_ascend_pt") and row[3:5] == ("Level2", 1) for row in ranks)
    assert {row[5] for row in ranks} == {str(path.resolve()) for path in profile.iterdir()}
    assert ask(made, "SELECT name, path FROM run") == [("job", str(profile.resolve()))]
    kinds = ask(made, "SELECT kind, state, count(*) FROM source GROUP BY 1, 2 ORDER BY 1")
    assert kinds == [
        ("analysis database", "used", 2),
        ("profiler database", "used", 2),
        ("profiler_info", "used", 2),
        ("profiler_metadata", "used", 2),
    ]


def test_the_ledger_balances(made, ask):
    assert ask(made, "SELECT name FROM source_table WHERE record_count <> loaded_count + rejected_count") == []
    for source, *counts in ask(made, "SELECT id, record_count, loaded_count, rejected_count FROM source"):
        sums = "SELECT sum(record_count), sum(loaded_count), sum(rejected_count) FROM source_table WHERE source_id = ?"
        assert ask(made, sums, source) == [tuple(counts)]
    rejected = "SELECT (SELECT sum(rejected_count) FROM source), (SELECT coalesce(sum(rejected_count), 0) FROM issue)"
    ((of_sources, of_issues),) = ask(made, rejected)
    assert of_sources == of_issues


def test_the_same_again_changes_nothing(write, tmp_path):
    write(ranks=2)
    path = tmp_path / "W.db"
    ingest([tmp_path / "job"], path)
    before = path.read_bytes()
    report = ingest([tmp_path / "job"], path)
    assert (report.exit_code, len(report.unchanged), report.added) == (0, 2, [])
    assert path.read_bytes() == before
    for database in (tmp_path / "job").rglob("*.db"):  # a new time alone is no change
        os.utime(database, ns=(7, 7))
    assert len(ingest([tmp_path / "job"], path).unchanged) == 2
    assert path.read_bytes() == before


def test_two_loads_give_the_same(made, profile, content, tmp_path):
    ingest([profile], tmp_path / "other.db")
    assert content(tmp_path / "other.db") == content(made)


def test_ranks_one_after_the_other_equal_all_at_once(made, profile, ask, tmp_path):
    path = tmp_path / "W.db"
    for run in sorted(profile.iterdir()):
        assert ingest([run], path).exit_code == 0
    counts = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'"
    for (table,) in ask(made, counts):
        assert ask(path, f"SELECT count(*) FROM {table}") == ask(made, f"SELECT count(*) FROM {table}"), table
    for table, column, target in (
        ("op", "parent_id", "op"),
        ("device_task", "op_id", "op"),
        ("comm_task", "device_task_id", "device_task"),
    ):
        joined = f"SELECT count(*) FROM {table} a JOIN {target} b ON b.id = a.{column} AND b.rank_id = a.rank_id"
        assert ask(path, joined) == ask(made, joined)
    assert ask(path, "PRAGMA integrity_check") == [("ok",)]


def test_changed_inputs(write, database_of, change, ask, tmp_path):
    first, second = write(ranks=2)
    path = tmp_path / "W.db"
    ingest([tmp_path / "job"], path)
    change(database_of(first), "UPDATE STEP_TIME SET id = 77")
    report = ingest([tmp_path / "job"], path)
    assert report.exit_code == 1
    assert [each for each, _ in report.refused] == [first.resolve()]
    assert report.unchanged == [second.resolve()]
    with pytest.raises(InputError, match="--force"):
        ingest([first], path)
    assert ask(path, "SELECT count(*) FROM step WHERE step_no = 77") == [(0,)]
    report = ingest([tmp_path / "job"], path, force=True)
    assert (report.exit_code, report.replaced) == (0, [first.resolve()])
    assert ask(path, "SELECT count(*) FROM step WHERE step_no = 77") == [(1,)]
    assert ask(path, "SELECT count(*), count(DISTINCT run_id) FROM rank") == [(2, 1)]


def test_a_replacement_that_fails_keeps_what_was_there(write, database_of, change, ask, content, tmp_path):
    first, second = write(ranks=2)
    path = tmp_path / "W.db"
    ingest([tmp_path / "job"], path)
    ops = ask(path, "SELECT count(*) FROM op")
    change(database_of(first), "UPDATE STEP_TIME SET id = 77")
    damaged = database_of(second).read_bytes()
    database_of(second).write_bytes(damaged[: len(damaged) // 2] + b"\xff" * (len(damaged) // 2))
    report = ingest([tmp_path / "job"], path, force=True)
    assert (report.exit_code, report.replaced) == (1, [first.resolve()])
    assert [each for each, _ in report.failed] == [second.resolve()]
    assert ask(path, "SELECT count(*) FROM rank") == [(2,)]
    assert ask(path, "SELECT count(*) FROM op") == ops
    assert ask(path, "SELECT count(*) FROM issue WHERE severity = 'error'") == [(1,)]


def test_a_bad_input_among_good_ones(write, database_of, ask, tmp_path):
    first, second = write(ranks=2)
    good = database_of(second).read_bytes()
    path = tmp_path / "W.db"
    for bad in (b"", good[:3000], good[: len(good) // 2] + bytes(len(good) // 2), b"no database at all"):
        path.unlink(missing_ok=True)
        database_of(second).write_bytes(bad)
        report = ingest([tmp_path / "job"], path)
        assert (report.exit_code, report.added) == (1, [first.resolve()])
        assert any(line.startswith("failed: ") for line in report.lines())
        assert ask(path, "SELECT severity, code FROM issue WHERE severity = 'error'") == [("error", "bad-input")]
        assert ("failed",) in ask(path, "SELECT state FROM source WHERE rank_id IS NULL")
        orphans = "SELECT count(*) FROM op WHERE rank_id NOT IN (SELECT id FROM rank)"
        assert ask(path, orphans) == [(0,)]
        assert ask(path, "SELECT count(*) FROM thread WHERE rank_id NOT IN (SELECT id FROM rank)") == [(0,)]
    assert len(ingest([tmp_path / "job"], path).failed) == 1  # again: still told, and booked once
    assert ask(path, "SELECT count(*) FROM issue WHERE severity = 'error'") == [(1,)]
    database_of(second).write_bytes(good)  # mended
    assert ingest([tmp_path / "job"], path).exit_code == 0
    assert ask(path, "SELECT count(*) FROM issue WHERE severity = 'error'") == [(0,)]
    assert ask(path, "SELECT count(*) FROM source WHERE state = 'failed'") == [(0,)]


def test_only_bad_inputs(write, database_of, tmp_path):
    (run,) = write()
    database_of(run).write_bytes(b"x")
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(InputError, match=database_of(run).name):
        ingest([run], tmp_path / "W.db")
    assert sorted(tmp_path.rglob("*")) == before


def test_a_bad_analysis_beside_a_good_profile(write, ask, tmp_path):
    (run,) = write()
    (run / "ASCEND_PROFILER_OUTPUT" / "analysis.db").write_bytes(b"x")
    report = ingest([run], tmp_path / "W.db")
    assert report.added == [run.resolve()]
    assert ask(tmp_path / "W.db", "SELECT kind FROM source WHERE state = 'failed'") == [("analysis database",)]
    assert ask(tmp_path / "W.db", "SELECT count(*) FROM issue WHERE severity = 'error'") == [(1,)]
    assert len(ingest([run], tmp_path / "W.db").unchanged) == 1


def test_an_analysis_alone_is_reference(write, database_of, ask, tmp_path):
    (run,) = write()
    database_of(run).unlink()
    ingest([run], tmp_path / "W.db")
    assert ask(tmp_path / "W.db", "SELECT rank_no, rank_origin, input_kind FROM rank") == [
        (0, "profiler_info", "analysis database")
    ]
    assert ask(tmp_path / "W.db", "SELECT count(*) > 0 FROM reference_step") == [(1,)]
    assert ask(tmp_path / "W.db", "SELECT count(*) FROM op") == [(0,)]


def test_a_file_that_changes_while_it_is_read(write, database_of, change, ask, tmp_path):
    first, second = write(ranks=2)

    def meddle(_what, done, _total):
        if done and not meddled:
            meddled.append(change(database_of(first), "INSERT INTO STEP_TIME VALUES (99, 1, 2)"))

    meddled = []
    report = ingest([tmp_path / "job"], tmp_path / "W.db", progress=meddle)
    assert report.added == [second.resolve()]
    assert "changed while it was read" in report.failed[0][1]
    assert ask(tmp_path / "W.db", "SELECT count(*) FROM rank") == [(1,)]


def test_contradicting_rank_numbers(write, database_of, ask, tmp_path):
    (run,) = write()
    database_of(run).rename(run / "ASCEND_PROFILER_OUTPUT" / "ascend_pytorch_profiler_5.db")
    report = ingest([run], tmp_path / "W.db")
    assert report.warnings == 1
    ((text,),) = ask(tmp_path / "W.db", "SELECT text FROM issue WHERE code = 'rank-number'")
    assert "file name says 5" in text
    assert ask(tmp_path / "W.db", "SELECT rank_no, rank_origin FROM rank") == [(0, "RANK_DEVICE_MAP")]


def test_two_profiles_of_one_rank_are_two_runs(write, ask, tmp_path):
    (later,) = write("one", steps=2)
    (earlier,) = write("two")
    job = tmp_path / "job"
    job.mkdir()
    shutil.move(later, job / "b_ascend_pt")
    shutil.move(earlier, job / "a_ascend_pt")
    ingest([job], tmp_path / "W.db")
    runs = ask(tmp_path / "W.db", "SELECT r.path, k.directory FROM run r JOIN rank k ON k.run_id = r.id ORDER BY r.id")
    assert runs == [(str(job), "a_ascend_pt"), (f"{job} (2)", "b_ascend_pt")]


def test_equal_names_in_different_runs_do_not_collide(write, ask, tmp_path):
    write("x/first")
    write("x/second")
    ingest([tmp_path / "x"], tmp_path / "W.db")
    counts = "SELECT count(*), count(DISTINCT run_id), count(DISTINCT directory) FROM rank"
    assert ask(tmp_path / "W.db", counts) == [(2, 2, 1)]


def test_where_the_output_goes(write, profile, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert ingest([profile]).output.resolve() == tmp_path / "job.db"
    with pytest.raises(UsageError, match="-o"):
        ingest([profile, profile])
    (run,) = write("inner")
    monkeypatch.chdir(run)
    for output in (None, "W.db"):
        with pytest.raises(UsageError, match="in the input"):
            ingest([run], output)
    with pytest.raises(UsageError, match="does not exist"):
        ingest([run], tmp_path / "missing" / "W.db")
    with pytest.raises(UsageError, match="is a directory"):
        ingest([run], tmp_path)


def test_a_file_that_is_not_ours(profile, database_of, tmp_path):
    for foreign in (b"precious", database_of(next(profile.iterdir())).read_bytes()):
        path = tmp_path / "W.db"
        path.write_bytes(foreign)
        with pytest.raises(WarehouseFileError):
            ingest([profile], path)
        assert path.read_bytes() == foreign
        assert sorted(tmp_path.iterdir()) == [path]


def test_the_input_is_never_written_to(write, database_of, change, tmp_path):
    (run,) = write()
    before = {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in run.rglob("*") if path.is_file()}
    ingest([run], tmp_path / "W.db")
    assert {path: (path.stat().st_mtime_ns, path.read_bytes()) for path in run.rglob("*") if path.is_file()} == before


KILLED = """
import os, signal, sys
from warehouse.ingest import ingest
def stop(what, done, total):
    if done >= float(sys.argv[3]) * total:
        os.kill(os.getpid(), signal.SIGKILL)
ingest([sys.argv[1]], sys.argv[2], progress=stop)
"""
FULL = """
import resource, sys
from warehouse.ingest import ingest
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[3]), int(sys.argv[3])))
try:
    ingest([sys.argv[1]], sys.argv[2])
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize("share", ["0", "0.3", "0.9"])
def test_killed_half_way(write, content, ask, tmp_path, share):
    write()
    write("other", ranks=2)
    path = tmp_path / "W.db"
    command = [sys.executable, "-c", KILLED]
    assert subprocess.run([*command, tmp_path / "job", path, share], check=False).returncode == -9
    assert not path.exists()
    ingest([tmp_path / "job"], path)
    before = content(path)
    subprocess.run([*command, tmp_path / "other", path, share], check=False)
    assert ingest([tmp_path / "job"], path).exit_code == 0  # recovers
    assert content(path) == before
    assert len(ingest([tmp_path / "other"], path).added) == 2
    assert sorted(each.name for each in tmp_path.iterdir()) == ["W.db", "job", "other"]


@pytest.mark.parametrize("size", [20_000, 600_000])
def test_a_full_disk(profile, write, content, tmp_path, size):
    path = tmp_path / "W.db"
    command = [sys.executable, "-c", FULL]
    made = subprocess.run([*command, profile, path, str(size)], capture_output=True, text=True, check=True)
    assert made.stdout.startswith(WriteError.__name__), made
    assert list(tmp_path.iterdir()) == []
    write()
    ingest([tmp_path / "job"], path)
    before = content(path)
    added = subprocess.run(
        [*command, profile, path, str(path.stat().st_size + 4096)], capture_output=True, text=True, check=True
    )
    assert added.stdout.startswith(WriteError.__name__), added
    assert content(path) == before
