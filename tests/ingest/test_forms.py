"""Which form of a profile is read where a directory holds several, and what of it is written down."""

import shutil
import sqlite3

import pytest
from synth import parse_options, simulate

from warehouse.errors import InputError, UsageError
from warehouse.ingest import ingest
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
    with pytest.raises(InputError, match="changed since it was ingested"):
        read(run, "db")
    ask = read(run, "db", force=True)
    assert ask("SELECT input_kind FROM rank") == [("profiler database",)]
