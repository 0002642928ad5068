"""What lies where a file of a profile should: pipes, directories, links that lead to themselves, names without form."""

import os
import shutil
import sys

import pytest

from warehouse.errors import InputError
from warehouse.ingest import ingest

_ISSUES = "SELECT code, text FROM issue WHERE severity <> 'info'"
_DESCRIPTIONS = ("analysis.db", "profiler_info_0.json", "profiler_metadata.json")


def _pipe(path):
    os.mkfifo(path)


def _directory(path):
    path.mkdir()


def _loop(path):
    path.symlink_to(path.name)


@pytest.mark.parametrize("make", [_pipe, _directory, _loop])
@pytest.mark.parametrize("name", _DESCRIPTIONS)
def test_a_description_that_is_no_file_is_noted(write, ask, tmp_path, make, name):
    write()
    found = next((tmp_path / "job").rglob(name))
    found.unlink()
    make(found)
    path = tmp_path / "W.db"
    assert ingest([tmp_path / "job"], path).exit_code == 0
    notes = ask(path, _ISSUES)
    assert len(notes) == 1
    assert name in notes[0][1]
    assert ask(path, "SELECT count(*) FROM source WHERE state = 'failed'") == [(1,)]
    assert len(ingest([tmp_path / "job"], path).unchanged) == 1


@pytest.mark.parametrize("make", [_pipe, _directory, _loop])
def test_a_second_description_that_is_no_file_is_noted(write, ask, tmp_path, make):
    write()
    make(next((tmp_path / "job").rglob("profiler_info_0.json")).with_name("profiler_info_9.json"))
    path = tmp_path / "W.db"
    assert ingest([tmp_path / "job"], path).exit_code == 0
    assert [code for code, _ in ask(path, _ISSUES)] == ["bad-description"]
    assert len(ingest([tmp_path / "job"], path).unchanged) == 1


@pytest.mark.parametrize("make", [_pipe, _loop])
def test_a_database_that_is_no_file_fails_alone(write, tmp_path, make, database_of):
    (run,) = write()
    make(database_of(run).with_name("ascend_pytorch_profiler_9.db"))
    report = ingest([tmp_path / "job"], tmp_path / "W.db")
    assert (report.exit_code, len(report.added), len(report.failed)) == (1, 1, 1)
    assert "ascend_pytorch_profiler_9.db" in report.failed[0][1]


@pytest.mark.skipif(sys.platform != "linux", reason="names are bytes on Linux alone")
def test_names_that_are_not_utf8(write, ask, tmp_path):
    first, second = write(ranks=2)
    first.rename(first.parent / os.fsdecode(b"r\xff_ascend_pt"))
    second.rename(first.parent / os.fsdecode(b"r\xfe_ascend_pt"))
    path = tmp_path / "W.db"
    report = ingest([tmp_path / "job"], path)
    assert (report.exit_code, len(report.added)) == (0, 2)
    assert {name for (name,) in ask(path, "SELECT directory FROM rank")} == {r"r\xff_ascend_pt", r"r\xfe_ascend_pt"}
    assert "\n".join(report.lines()).encode()
    assert len(ingest([tmp_path / "job"], path).unchanged) == 2
    job = (tmp_path / "job").rename(tmp_path / os.fsdecode(b"j\xff"))
    assert len(ingest([job], tmp_path / "other.db").added) == 2
    for run in list(job.iterdir()):
        shutil.rmtree(run)
    with pytest.raises(InputError) as error:
        ingest([job], tmp_path / "none.db")
    assert str(error.value).encode()
