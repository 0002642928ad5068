"""Which form of a profile is read where a directory holds several, and what of it is written down."""

import shutil
import sqlite3

import pytest
from synth import parse_options, simulate

from warehouse.errors import InputError, UsageError
from warehouse.ingest import ingest
from warehouse.ingest.rank_writer import RankWriter
from warehouse.sample import write_profile


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run directory that holds raw data, a database with its analysis, and text files."""
    folder = tmp_path_factory.mktemp("forms")
    (rank,) = simulate(parse_options([str(folder / "raw"), "--steps", "1", "--ops-per-step", "5"]))
    database, *_ = write_profile(folder / "database", ranks=1, steps=1, ops_per_step=5)
    output = rank.directory / "ASCEND_PROFILER_OUTPUT"
    shutil.copytree(database / "ASCEND_PROFILER_OUTPUT", output)
    for name in ("kernel_details.csv", "trace_view.json"):
        (output / name).write_text("{}", encoding="utf-8")
    return rank.directory


@pytest.fixture
def read(tmp_path):
    """A function: ingests a directory; gives a function that asks the warehouse."""

    def call(path, forms=None, force=False):
        ingest([path], tmp_path / "W.db", forms=forms, force=force)
        connection = sqlite3.connect(tmp_path / "W.db")
        return lambda query: connection.execute(query).fetchall()

    return call


USED = "SELECT DISTINCT kind FROM source WHERE state = 'used' AND kind NOT LIKE 'profiler_%json%' ORDER BY kind"
LEFT = "SELECT DISTINCT kind, note FROM source WHERE state = 'left' ORDER BY kind"


@pytest.mark.parametrize("forms", [None, "raw", "raw,db"])
def test_raw_data_win(read, run, forms):
    ask = read(run, forms)
    kinds = [kind for (kind,) in ask(USED)]
    assert {"framework file", "PROF stream", "PROF configuration"} <= set(kinds)
    assert "profiler database" not in kinds
    assert ask(LEFT) == [
        ("profiler database", "the same profile is read from its raw data"),
        ("text file", "text files are not read"),
    ]
    assert ask("SELECT input_kind FROM rank") == [("raw profile",)]
    assert ask("SELECT count(*) FROM source WHERE kind = 'text file'") == [(2,)]


@pytest.mark.parametrize("forms", ["db", "db,raw", " db , raw "])
def test_databases_where_they_are_wanted(read, run, forms):
    ask = read(run, forms)
    assert ("profiler database",) in ask(USED)
    assert ("framework file",) not in ask(USED)
    assert ask(LEFT) == [
        ("PROF configuration", "the same profile is read from its database"),
        ("PROF stream", "the same profile is read from its database"),
        ("framework file", "the same profile is read from its database"),
        ("text file", "text files are not read"),
    ]
    assert ask("SELECT input_kind FROM rank") == [("profiler database",)]
    assert ask("SELECT * FROM check_ledger") == []


def test_the_second_form_where_there_is_no_first(read, run, tmp_path):
    shutil.copytree(run, tmp_path / "in" / run.name, ignore=shutil.ignore_patterns("*.db"))
    assert read(tmp_path / "in", "db,raw")("SELECT input_kind FROM rank") == [("raw profile",)]


def test_what_is_not_there_is_a_failure(read, run, tmp_path):
    shutil.copytree(run, tmp_path / "in" / run.name, ignore=shutil.ignore_patterns("*.db"))
    with pytest.raises(InputError, match=f"{run.name}: holds raw data, which --from leaves out"):
        read(tmp_path / "in", "db")
    shutil.copytree(run, tmp_path / "other" / run.name, ignore=shutil.ignore_patterns("PROF*", "FRAMEWORK"))
    with pytest.raises(InputError, match="holds a database, which --from leaves out"):
        read(tmp_path / "other", "raw")
    with pytest.raises(InputError, match="is a file, and raw data are directories"):
        read(next(run.rglob("ascend_pytorch*.db")), "raw")


def test_the_others_load(run, tmp_path):
    shutil.copytree(run, tmp_path / "in" / "a_ascend_pt")
    shutil.copytree(run, tmp_path / "in" / "b_ascend_pt", ignore=shutil.ignore_patterns("*.db"))
    report = ingest([tmp_path / "in"], tmp_path / "W.db", forms="db")
    assert [path.name for path in report.added] == ["a_ascend_pt"]
    assert [(path.name, reason) for path, reason in report.failed] == [
        ("b_ascend_pt", "holds raw data, which --from leaves out")
    ]
    assert report.exit_code == 1


@pytest.mark.parametrize(
    ("forms", "reason"),
    [("text", "text files are not read"), ("raw,text", "text files are"), ("csv", "'csv' is no form")],
)
def test_forms_that_are_not_read(read, run, forms, reason):
    with pytest.raises(UsageError, match=reason):
        read(run, forms)


def test_text_alone_is_no_profile(read, tmp_path):
    output = tmp_path / "in" / "a_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    output.mkdir(parents=True)
    (output / "kernel_details.csv").touch()
    with pytest.raises(InputError, match="a_ascend_pt: holds text files, which are not read"):
        read(tmp_path / "in")


def test_another_form_replaces_only_with_force(read, run):
    read(run)
    with pytest.raises(InputError, match=r"was ingested with \d+ files that are not to be read now; give"):
        read(run, "db")
    ask = read(run, "db", force=True)
    assert ask("SELECT input_kind FROM rank") == [("profiler database",)]


def test_parts_that_are_given_together_are_one_profile(run, tmp_path):
    def counts(*paths):
        target = tmp_path / "W.db"
        target.unlink(missing_ok=True)
        assert ingest(paths, target).exit_code == 0
        connection = sqlite3.connect(target)
        return [
            connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            for table in ("rank", "op", "device_task", "issue")
        ]

    whole = counts(run)
    (prof,) = run.glob("PROF_*")
    assert all(whole[:3])
    assert counts(run / "FRAMEWORK", prof) == whole
    assert counts(prof, run / "FRAMEWORK") == whole
    assert counts(run / "FRAMEWORK", prof, run) == whole
    assert counts(*sorted(run.iterdir())) == whole


def test_databases_of_a_run_that_are_given_by_name_are_one_profile(tmp_path):
    database, *_ = write_profile(tmp_path / "in", ranks=1, steps=1, ops_per_step=5)
    output = database / "ASCEND_PROFILER_OUTPUT"
    files = sorted(output.glob("*.db"))
    assert [path.name for path in files] == ["analysis.db", "ascend_pytorch_profiler_0.db"]
    for number, paths in enumerate((files, files[::-1], [output])):
        assert ingest(paths, tmp_path / f"{number}.db").added == [database.resolve()]
        connection = sqlite3.connect(tmp_path / f"{number}.db")
        kinds = "SELECT kind FROM source WHERE state = 'used' AND kind LIKE '%database' ORDER BY kind"
        assert [kind for (kind,) in connection.execute(kinds)] == ["analysis database", "profiler database"]
        assert connection.execute("SELECT count(*) > 0 FROM op").fetchone() == (1,)


def test_a_path_without_a_profile_is_told(run, tmp_path):
    (tmp_path / "empty").mkdir()
    text = tmp_path / "text" / "b_ascend_pt" / "ASCEND_PROFILER_OUTPUT"
    text.mkdir(parents=True)
    (text / "kernel_details.csv").touch()
    report = ingest([run, tmp_path / "empty", tmp_path / "text"], tmp_path / "W.db")
    assert report.exit_code == 1
    assert report.lines()[1:3] == [
        f"failed: {text.parent}: holds text files, which are not read",
        f"failed: {tmp_path / 'empty'}: holds no profile",
    ]


def test_a_part_replaces_the_whole_only_with_force_and_tells_what_goes(run, tmp_path):
    ingest([run], tmp_path / "W.db")
    (prof,) = run.glob("PROF_*")
    with pytest.raises(InputError, match="give its whole directory, or --force"):
        ingest([prof], tmp_path / "W.db")
    report = ingest([prof], tmp_path / "W.db", force=True)
    assert any(line.startswith("replaced: ") and "held is gone" in line for line in report.lines())
    with pytest.raises(InputError, match=r"has \d+ files more than when it was ingested"):
        ingest([run], tmp_path / "W.db")


def test_the_same_profile_under_another_path_is_told(run, tmp_path):
    shutil.copytree(run, tmp_path / "copy" / run.name)
    report = ingest([run], tmp_path / "W.db")
    assert not any("is in the warehouse already" in line for line in report.lines())
    for target in ("W.db", "other.db"):  # added, and in one new file
        report = ingest([run, tmp_path / "copy"], tmp_path / target)
        assert any("the same profile is in the warehouse already, from " in line for line in report.lines())


def test_prof_directories_side_by_side_are_ranks_of_one_run(tmp_path):
    ranks = simulate(parse_options([str(tmp_path / "raw"), "--steps", "1", "--ops-per-step", "5", "--ranks", "2"]))
    (tmp_path / "profs").mkdir()
    for rank in ranks:
        (prof,) = rank.directory.glob("PROF_*")
        shutil.copytree(prof, tmp_path / "profs" / prof.name)
    ingest([tmp_path / "profs"], tmp_path / "W.db")
    connection = sqlite3.connect(tmp_path / "W.db")
    assert connection.execute("SELECT name FROM run").fetchall() == [("profs",)]
    assert connection.execute("SELECT device_id FROM rank ORDER BY device_id").fetchall() == [(0,), (1,)]


def test_a_run_that_is_deleted_while_it_is_read_is_not_taken(run, tmp_path, monkeypatch):
    shutil.copytree(run, tmp_path / "in" / run.name)
    read_raw = RankWriter._read_raw

    def delete_at_the_end(*arguments):
        read_raw(*arguments)
        shutil.rmtree(tmp_path / "in")

    monkeypatch.setattr(RankWriter, "_read_raw", delete_at_the_end)
    with pytest.raises(InputError, match="changed while it was read"):
        ingest([tmp_path / "in"], tmp_path / "W.db")
    assert not (tmp_path / "W.db").exists()
