"""Files appear all together or not at all, never over what is not ours, never in an input."""

import json
import os
import resource
import signal
import subprocess
import sys
import textwrap
from contextlib import suppress

import pytest

from warehouse.errors import UsageError, WriteError
from warehouse.export import export
from warehouse.export.placing import LIST_NAME, Placing
from warehouse.ingest import ingest
from warehouse.sample import write_profile

RANK = "sim_41000_20251009085320000_ascend_pt"


def names(folder):
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def test_files_appear_at_the_end(tmp_path):
    with Placing(tmp_path / "out", []) as placing:
        placing.growing("a/one.csv").write_text("1")
        placing.growing("a/none.csv").write_text("")
        placing.drop("a/none.csv")
        assert not (tmp_path / "out" / "a" / "one.csv").exists()
    assert names(tmp_path / "out") == [LIST_NAME, "a/one.csv"]


def test_an_error_leaves_what_was_there(tmp_path):
    with Placing(tmp_path, []) as placing:
        placing.growing("one.csv").write_text("old")
    with suppress(ZeroDivisionError), Placing(tmp_path, []) as placing:
        placing.growing("one.csv").write_text("new")
        placing.growing("deep/er/two.csv").write_text("new")
        raise ZeroDivisionError
    assert names(tmp_path) == [LIST_NAME, "one.csv"]
    assert (tmp_path / "one.csv").read_text() == "old"
    assert not (tmp_path / "deep").exists()


def test_a_directory_takes_one_export_at_a_time(tmp_path):
    with Placing(tmp_path, []) as first:
        first.growing("one.csv").write_text("first")
        with pytest.raises(WriteError, match="another export is writing there"), Placing(tmp_path, []) as other:
            other.growing("one.csv")
    with Placing(tmp_path, []) as other:
        other.growing("one.csv").write_text("other")
    assert names(tmp_path) == [LIST_NAME, "one.csv"]
    assert (tmp_path / "one.csv").read_text() == "other"


def test_a_file_without_rows_any_more_goes(tmp_path):
    for rows in (True, False):
        with Placing(tmp_path, []) as placing:
            placing.growing("one.csv").write_text("1")
            placing.growing("two.csv").write_text("2")
            if not rows:
                placing.drop("two.csv")
    assert names(tmp_path) == [LIST_NAME, "one.csv"]
    facts = (tmp_path / "one.csv").stat()
    told = {"one.csv": {"size": facts.st_size, "modified_ns": facts.st_mtime_ns}}
    assert json.loads((tmp_path / LIST_NAME).read_text()) == {"files": told}


def test_a_changed_file_without_rows_any_more_stays(tmp_path):
    with Placing(tmp_path, []) as placing:
        placing.growing("one.csv").write_text("1")
        placing.growing("two.csv").write_text("2")
    (tmp_path / "two.csv").write_text("2 and notes")
    with Placing(tmp_path, []) as placing, pytest.raises(UsageError, match="was changed since"):
        placing.drop("two.csv")
    assert (tmp_path / "two.csv").read_text() == "2 and notes"


def test_a_list_of_names_alone_as_it_was_before(tmp_path):
    (tmp_path / LIST_NAME).write_text('{"files": ["one.csv"]}')
    (tmp_path / "one.csv").write_text("old")
    with Placing(tmp_path, []) as placing:
        placing.growing("one.csv").write_text("new")
    assert (tmp_path / "one.csv").read_text() == "new"


def test_killed_while_files_are_replaced(tmp_path, monkeypatch):
    """The next export takes them for ours, whichever of them is new."""
    for text in ("old", "new"):
        with suppress(KeyboardInterrupt), Placing(tmp_path, []) as placing:
            placing.growing("one.csv").write_text(text)
            placing.growing("two.csv").write_text(text)
            if text == "new":
                monkeypatch.setattr(Placing, "_abandon", lambda _: None)
                monkeypatch.setattr("warehouse.export.placing._sign", interrupt)
    monkeypatch.undo()
    assert [(tmp_path / name).read_text() for name in ("one.csv", "two.csv")] == ["new", "old"]
    with Placing(tmp_path, []) as placing:
        placing.growing("one.csv").write_text("newest")
        placing.growing("two.csv").write_text("newest")
    assert [(tmp_path / name).read_text() for name in ("one.csv", "two.csv")] == ["newest"] * 2


def interrupt(_):
    raise KeyboardInterrupt


def test_nothing_to_write_makes_no_directory(tmp_path):
    with Placing(tmp_path / "out", []) as placing:
        placing.growing("a/one.csv")
        placing.drop("a/one.csv")
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_others_is_not_replaced(sample, tmp_path):
    place = tmp_path / RANK / "ASCEND_PROFILER_OUTPUT"
    place.mkdir(parents=True)
    (place / "task_time.csv").write_text("theirs")
    with pytest.raises(UsageError, match="was not made by npuwh export"):
        export(sample, tmp_path, ["text"])
    assert names(tmp_path) == [f"{RANK}/ASCEND_PROFILER_OUTPUT/task_time.csv"]
    assert (place / "task_time.csv").read_text() == "theirs"


def test_the_same_export_again_replaces_its_files(sample, tmp_path):
    for _ in range(2):
        export(sample, tmp_path, ["task_time", "op_statistic"], rank=0)
    assert len(names(tmp_path)) == 3


@pytest.mark.parametrize("to", ["job", f"job/{RANK}", f"job/{RANK}/ASCEND_PROFILER_OUTPUT", f"link/{RANK}/new"])
def test_an_input_is_not_written_to(tmp_path, to):
    write_profile(tmp_path / "job", ranks=1, steps=1, ops_per_step=8)
    ingest([tmp_path / "job"], tmp_path / "W.db")
    (tmp_path / "link").symlink_to(tmp_path / "job")
    before = names(tmp_path / "job")
    with pytest.raises(UsageError, match="inputs are not written to"):
        export(tmp_path / "W.db", tmp_path / to, ["text"])
    assert names(tmp_path / "job") == before


def test_beside_an_input_is_fine(tmp_path):
    write_profile(tmp_path / "job", ranks=1, steps=1, ops_per_step=8)
    ingest([tmp_path / "job"], tmp_path / "W.db")
    assert export(tmp_path / "W.db", tmp_path / "job" / "out", ["task_time"]).files


def test_beside_a_single_file_is_fine(tmp_path):
    write_profile(tmp_path / "job", ranks=1, steps=1, ops_per_step=8)
    (database,) = (tmp_path / "job").rglob("ascend_pytorch_profiler_0.db")
    database.rename(tmp_path / database.name)
    ingest([tmp_path / database.name], tmp_path / "W.db")
    with pytest.raises(UsageError, match="inputs are not written to"):
        export(tmp_path / "W.db", tmp_path, ["task_time"])
    report = export(tmp_path / "W.db", tmp_path / "out", ["task_time"])
    assert [file.path.parent.parent.name for file in report.files] == ["ascend_pytorch_profiler_0_ascend_pt"]


def test_a_full_disk(sample, tmp_path):
    """Stands in for it: a limit on the size of a file."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(WriteError, match=r"no file may have more than 4,096 bytes here: .+; nothing was exported"):
            export(sample, tmp_path / "out", ["text"])
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, handler)
    assert not (tmp_path / "out").exists()


def test_a_directory_that_cannot_be_made(sample, tmp_path):
    (tmp_path / "file").write_text("")
    for place in (tmp_path / "file", tmp_path / "file" / "out"):
        with pytest.raises(UsageError, match="file: is a file, not a directory to export to; choose another --to"):
            export(sample, place, ["text"])


def test_killed_half_way(sample, tmp_path):
    export(sample, tmp_path / "out", ["op_statistic"], rank=0)
    (before,) = (tmp_path / "out").rglob("op_statistic.csv")
    script = textwrap.dedent("""
        import sys, time
        from warehouse.export import export

        def wait_at_the_fifth_file(what, done, total):
            if done == 5:
                print(flush=True)
                time.sleep(60)

        export(sys.argv[1], sys.argv[2], ["text"], progress=wait_at_the_fifth_file)
    """)
    process = subprocess.Popen(
        [sys.executable, "-c", script, sample, tmp_path / "out"], stdout=subprocess.PIPE, text=True
    )
    process.stdout.readline()
    process.kill()
    process.communicate()
    assert names(tmp_path / "out").count(f"{RANK}/ASCEND_PROFILER_OUTPUT/op_statistic.csv") == 1
    content = before.read_bytes()
    export(sample, tmp_path / "out", ["text"])
    assert before.read_bytes() == content
    assert not [name for name in names(tmp_path / "out") if name.endswith("-tmp")]


def test_one_trace_packed_or_not(sample, tmp_path):
    for is_packed in (False, True, False):
        export(sample, tmp_path, ["trace"], gzip=is_packed)
        assert names(tmp_path) == [LIST_NAME, "trace.json.gz" if is_packed else "trace.json"]


def test_a_packed_trace_of_others_stays(sample, tmp_path):
    (tmp_path / "trace.json.gz").write_text("theirs")
    export(sample, tmp_path, ["trace"])
    assert names(tmp_path) == [LIST_NAME, "trace.json", "trace.json.gz"]
    assert (tmp_path / "trace.json.gz").read_text() == "theirs"


def test_progress(sample, tmp_path):
    calls = []
    export(sample, tmp_path / "out", ["op_statistic", "task_time"], progress=lambda *call: calls.append(call))
    assert [call[1:] for call in calls] == [(number, 4) for number in range(5)]
    assert calls[0][0].endswith("op_statistic.csv")


def test_an_interrupt_as_a_file_is_made_leaves_none(tmp_path, monkeypatch):
    def interrupted(*arguments, done=os.open, **options):
        handle = done(*arguments, **options)
        if str(arguments[0]).endswith(".npuwh-tmp"):
            os.close(handle)
            raise KeyboardInterrupt
        return handle

    monkeypatch.setattr(os, "open", interrupted)
    with pytest.raises(KeyboardInterrupt), Placing(tmp_path / "out", []) as placing:
        placing.growing("a.csv")
    assert not (tmp_path / "out").exists()


def test_an_interrupt_as_a_file_is_dropped_leaves_none(tmp_path, monkeypatch):
    def interrupted(*_arguments, **_options):
        monkeypatch.undo()
        raise KeyboardInterrupt

    def export_interrupted():
        with Placing(tmp_path / "out", []) as placing:
            placing.growing("a.csv")
            monkeypatch.setattr(os, "unlink", interrupted)
            placing.drop("a.csv")

    with pytest.raises(KeyboardInterrupt):
        export_interrupted()
    assert not (tmp_path / "out").exists()
