"""`npuwh export`: the verb; what it writes is tested in tests/export."""

import gzip
import json
import os
import re
import shutil

import pytest

from warehouse.sample import write_profile


def test_text_and_trace_by_default(run, made, tmp_path, left_over):
    found = run("export", made, "--to", "out")
    assert found.code == 0
    names = left_over(tmp_path / "out")
    assert "trace.json" in names
    for pid in (41000, 41011):
        assert f"sim_{pid}_20251009085320000_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv" in names
    json.loads((tmp_path / "out" / "trace.json").read_text())


def test_one_kind_of_one_rank(run, made, tmp_path, left_over):
    assert run("export", made, "--to", "out", "--rank", "1", "op_statistic").code == 0
    files = [name for name in left_over(tmp_path / "out") if not name.startswith(".")]
    assert files == ["sim_41011_20251009085320000_ascend_pt/ASCEND_PROFILER_OUTPUT/op_statistic.csv"]


def test_a_packed_trace(run, made, tmp_path):
    assert run("export", made, "--to", "out", "--gzip", "trace").code == 0
    with gzip.open(tmp_path / "out" / "trace.json.gz", "rt") as file:
        json.load(file)


def test_a_window_is_smaller(run, made, tmp_path):
    for name, window in (("all", []), ("part", ["--from-ns", 1760000000005400000, "--to-ns", 1760000000005500000])):
        assert run("export", made, "--to", name, "--rank", 0, *window, "kernel_details").code == 0
    folder = "sim_41000_20251009085320000_ascend_pt/ASCEND_PROFILER_OUTPUT"
    everything, part = ((tmp_path / name / folder / "kernel_details.csv").stat().st_size for name in ("all", "part"))
    assert everything > part > 0


def test_unknown_words(run, made, tmp_path, left_over):
    for arguments in (["everything"], ["--rank", 77], ["--run", 77], ["--step", 77]):
        found = run("export", made, "--to", "out", *arguments)
        assert found.code == 2, arguments
        assert len(found.error_lines) == 1
    assert left_over(tmp_path) == []


def test_not_into_an_input(run, made, profile, left_over):
    before = left_over(profile)
    found = run("export", made, "--to", profile, "text")
    assert found.code == 2
    assert left_over(profile) == before


def test_a_file_of_somebody_else_is_not_overwritten(run, made, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "trace.json").write_text("mine")
    assert run("export", made, "--to", "out", "trace").code == 2
    assert (tmp_path / "out" / "trace.json").read_text() == "mine"


def test_a_file_that_was_changed_since_is_replaced_with_force_only(run, made, tmp_path):
    assert run("export", made, "--to", "out", "--rank", 0, "op_statistic", "task_time").code == 0
    (changed,) = (tmp_path / "out").rglob("op_statistic.csv")
    (kept,) = (tmp_path / "out").rglob("task_time.csv")
    whole, before = changed.read_text(), kept.stat().st_ino
    changed.write_text(f"{whole}my notes\n")
    found = run("export", made, "--to", "out", "--rank", 0, "task_time", "op_statistic")
    assert found.code == 2
    assert "op_statistic.csv was changed since npuwh exported it: " in found.err
    assert len(found.error_lines) == 1
    assert changed.read_text() == f"{whole}my notes\n"
    assert kept.stat().st_ino == before, "all are replaced or none"
    assert run("export", made, "--to", "out", "--rank", 0, "task_time", "op_statistic", "--force").code == 0
    assert changed.read_text() == whole
    assert run("export", made, "--to", "out", "--rank", 0, "task_time", "op_statistic").code == 0


def test_force_is_for_our_own_files_only(run, made, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "trace.json").write_text("mine")
    assert run("export", made, "--to", "out", "--force", "trace").code == 2
    assert (tmp_path / "out" / "trace.json").read_text() == "mine"


@pytest.mark.parametrize("kind", ["text", "trace", "op_statistic"])
@pytest.mark.parametrize("place", ["", "RUN", "RUN/ASCEND_PROFILER_OUTPUT", "RUN/new", "RUN/ASCEND_PROFILER_OUTPUT/a"])
def test_not_into_a_profile_that_the_warehouse_does_not_know(run, made, profile, tmp_path, left_over, place, kind):
    shutil.copytree(profile, tmp_path / "other")
    run_directory = next((tmp_path / "other").iterdir()).name
    before = left_over(tmp_path / "other")
    found = run("export", made, "--to", tmp_path / "other" / place.replace("RUN", run_directory), kind)
    assert found.code == 2
    assert "inputs are not written to, choose another --to" in found.err
    assert left_over(tmp_path / "other") == before


def test_a_list_of_files_that_leads_elsewhere_is_not_believed(run, made, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "trace.json").write_text("mine")
    (tmp_path / "out" / ".npuwh-export.json").write_text(json.dumps({"files": ["../trace.json", "/trace.json", 7]}))
    assert run("export", made, "--to", "out", "trace").code == 0
    assert (tmp_path / "trace.json").read_text() == "mine"
    (tmp_path / "out" / ".npuwh-export.json").unlink()
    os.mkfifo(tmp_path / "out" / ".npuwh-export.json")
    assert run("export", made, "--to", "out", "trace").code == 2, "what is there is nobody's then"


def test_nothing_at_all_is_an_error(run, made, tmp_path, left_over):
    found = run("export", made, "--to", "out", "--from-ns", 1, "--to-ns", 2)
    assert found.code == 2
    assert found.out == ""
    assert len(found.error_lines) == 1
    assert "nothing was written: none of the 39 files asked for would have rows in the window from 1 to 2;" in found.err
    assert left_over(tmp_path) == []


def test_a_kind_with_a_slip_is_guessed(run, made):
    found = run("export", made, "--to", "out", "kernel_detials")
    assert found.code == 2
    assert "'kernel_detials' cannot be exported; did you mean kernel_details? (kinds are text trace_view " in found.err


def test_parquet_files_are_listed_by_their_names(run, made):
    lines = run("export", made, "--to", "out", "parquet").out.splitlines()[1:]
    names = [line.split()[1] for line in lines]
    assert len(names) > 50
    assert names == sorted(names)


def test_views_that_cannot_be_narrowed_are_told(run, made):
    found = run("export", made, "--to", "out", "--rank", 0, "--step", 4, "parquet")
    assert found.code == 0
    assert len(found.error_lines) == 1
    assert " views cannot be narrowed to what was chosen: not written (no " in found.err
    told = set(re.findall(r"\w+", found.err))
    assert {"kernel_named", "kernel_time"} <= told
    assert "step_kernel_time" not in told
    assert "step_kernel_time.parquet" in found.out


def test_a_kind_without_rows_is_told(run, tmp_path):
    write_profile(tmp_path / "job", ranks=1, steps=1, memory=False)
    assert run("ingest", "job", "-o", "W.db").code == 0
    found = run("export", "W.db", "--to", "out", "operator_memory", "op_statistic")
    assert found.code == 0
    assert len(found.error_lines) == 1
    assert found.err.endswith("operator_memory.csv: has no rows and was not made\n")
    assert "op_statistic.csv" in found.out


def test_several_ranks_and_steps(run, made, tmp_path, left_over):
    for name, chosen in (("comma", ["--rank", "0,1"]), ("twice", ["--rank", 0, "--rank", 1]), ("all", [])):
        assert run("export", made, "--to", name, *chosen, "op_statistic").code == 0
    contents = [
        [(tmp_path / name / file).read_bytes() for file in left_over(tmp_path / name) if file.endswith(".csv")]
        for name in ("comma", "twice", "all")
    ]
    assert contents[0] == contents[1] == contents[2]
    assert len(contents[0]) == 2
    rows = {}
    for steps in ("3", "4", "3,4"):
        assert run("export", made, "--to", steps, "--rank", 0, "--step", steps, "kernel_details").code == 0
        (path,) = (tmp_path / steps).rglob("kernel_details.csv")
        rows[steps] = path.read_text().splitlines()[1:]
    assert rows["3,4"] == rows["3"] + rows["4"]


def test_numbers_that_are_none_or_not_there(run, made, tmp_path, left_over):
    for arguments, told in (
        (["--rank", "0,x"], "'x' is no number; give one (--rank 0), several (--rank 0,1)"),
        (["--rank", ""], "'' is no number"),
        (["--rank", "0,7"], "no rank 7;"),
        (["--step", "3,9"], "no chosen rank has a step 9;"),
        (["--step", "3,5"], "step 4 lies between the chosen ones"),
    ):
        found = run("export", made, "--to", "out", *arguments, "op_statistic")
        assert found.code == 2, arguments
        assert len(found.error_lines) == 1
        assert told in found.err
    assert left_over(tmp_path) == []


@pytest.mark.parametrize("option", ["--run", "--rank", "--step", "--from-ns", "--to-ns"])
def test_a_number_of_more_than_64_bits(run, made, left_over, tmp_path, option):
    found = run("export", made, "--to", "out", option, "99999999999999999999")
    assert found.code == 2
    assert len(found.error_lines) == 1
    assert "99999999999999999999" in found.err
    assert left_over(tmp_path) == []
