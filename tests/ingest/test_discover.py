"""Which files belong to which rank, however users nest them."""

import os
import shutil

import pytest

from warehouse.errors import InputError
from warehouse.ingest.discover import discover

DATABASE = "ascend_pytorch_profiler_{}.db"


@pytest.fixture
def place(tmp_path):
    """Make an empty file below the folder."""

    def call(*names):
        for name in names:
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.touch()
        return tmp_path

    return call


def told(found):
    return [
        (each.path.name, each.directory, each.folder.name, [path.name for path, _ in each.files()])
        for each in found.inputs
    ]


def test_run_directories_with_all_their_files(place):
    root = place(
        "job/a_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db",
        "job/a_ascend_pt/ASCEND_PROFILER_OUTPUT/analysis.db",
        "job/a_ascend_pt/ASCEND_PROFILER_OUTPUT/kernel_details.csv",
        "job/a_ascend_pt/profiler_info_0.json",
        "job/a_ascend_pt/profiler_metadata.json",
        "job/a_ascend_pt/PROF_000001_2025_X/msprof_20250101000000.db",
        "job/deep/er/b_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler.db",
    )
    found = discover([root / "job"])
    names = ["ascend_pytorch_profiler_0.db", "analysis.db", "profiler_info_0.json", "profiler_metadata.json"]
    assert told(found) == [
        ("a_ascend_pt", "a_ascend_pt", "job", names),
        ("b_ascend_pt", "b_ascend_pt", "er", ["ascend_pytorch_profiler.db"]),
    ]
    assert [(path.name, kind) for path, kind in found.inputs[0].left] == [
        ("msprof_20250101000000.db", "msprof database"),
        ("kernel_details.csv", "text file"),
    ]
    assert found.failures == []


def test_an_output_folder_given_by_itself(place):
    root = place("job/a_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db")
    (each,) = discover([root / "job/a_ascend_pt/ASCEND_PROFILER_OUTPUT"]).inputs
    assert (each.path.name, each.folder.name) == ("a_ascend_pt", "job")


def test_directories_that_were_copied_flat(place):
    root = place(
        "job/rank0/ascend_pytorch_profiler_0.db", "job/rank1/ascend_pytorch_profiler_1.db", "job/rank1/analysis.db"
    )
    assert told(discover([root / "job"])) == [
        ("rank0", "rank0_ascend_pt", "job", ["ascend_pytorch_profiler_0.db"]),
        ("rank1", "rank1_ascend_pt", "job", ["ascend_pytorch_profiler_1.db", "analysis.db"]),
    ]


def test_one_folder_with_the_databases_of_all_ranks(place):
    root = place(*(f"all/{DATABASE.format(rank)}" for rank in range(3)), "all/profiler_info_1.json", "all/analysis.db")
    found = discover([root / "all"])
    assert told(found) == [
        (DATABASE.format(0), "ascend_pytorch_profiler_0_ascend_pt", "all", [DATABASE.format(0)]),
        (
            DATABASE.format(1),
            "ascend_pytorch_profiler_1_ascend_pt",
            "all",
            [DATABASE.format(1), "profiler_info_1.json"],
        ),
        (DATABASE.format(2), "ascend_pytorch_profiler_2_ascend_pt", "all", [DATABASE.format(2)]),
    ]


def test_msprof_databases(place):
    root = place("out/PROF_000001_A/msprof_20250101000000.db", "x_ascend_pt/PROF_000002_B/msprof_20250102000000.db")
    assert told(discover([root])) == [
        ("msprof_20250101000000.db", "msprof_20250101000000_ascend_pt", "PROF_000001_A", ["msprof_20250101000000.db"]),
        ("x_ascend_pt", "x_ascend_pt", root.name, ["msprof_20250102000000.db"]),
    ]


def test_an_analysis_alone(place):
    root = place("job/a_ascend_pt/ASCEND_PROFILER_OUTPUT/analysis.db", "job/a_ascend_pt/profiler_info_3.json")
    (each,) = discover([root]).inputs
    assert each.database is None
    assert [path.name for path, _ in each.files()] == ["analysis.db", "profiler_info_3.json"]


def test_single_files(place):
    root = place(
        "job/a_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db",
        "job/a_ascend_pt/ASCEND_PROFILER_OUTPUT/analysis.db",
        "job/a_ascend_pt/profiler_info_0.json",
        "renamed.db",
    )
    output = root / "job/a_ascend_pt/ASCEND_PROFILER_OUTPUT"
    by_file, by_directory = discover([output / DATABASE.format(0)]).inputs[0], discover([root / "job"]).inputs[0]
    assert by_file.path == by_directory.path
    assert {path.resolve() for path, _ in by_file.files()} == {path.resolve() for path, _ in by_directory.files()}
    (each,) = discover([output / "analysis.db"]).inputs
    assert each.database is None
    (each,) = discover([root / "renamed.db"]).inputs
    assert (each.path.name, each.directory) == ("renamed.db", "renamed_ascend_pt")


@pytest.mark.parametrize("name", ["profiler_info_0.json", "notes.txt"])
def test_single_files_that_are_no_profile(place, name):
    with pytest.raises(InputError, match=name):
        discover([place(name) / name])


def test_symbolic_links_to_run_directories(place, tmp_path):
    place("data/a_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db")
    place("data/b_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_1.db")
    (tmp_path / "job").mkdir()
    (tmp_path / "job" / "rank0").symlink_to(tmp_path / "data" / "a_ascend_pt")
    (tmp_path / "job" / "rank1_ascend_pt").symlink_to(tmp_path / "data" / "b_ascend_pt")
    found = discover([tmp_path / "job"])
    assert [(each.path.parent.name, each.folder.name, each.directory) for each in found.inputs] == [
        ("data", "job", "a_ascend_pt"),
        ("data", "job", "rank1_ascend_pt"),
    ]


def test_loops_end_and_nothing_comes_twice(place, tmp_path):
    place("job/a_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db")
    (tmp_path / "job" / "a_ascend_pt" / "up").symlink_to(tmp_path / "job")
    (tmp_path / "job" / "again").symlink_to(tmp_path / "job" / "a_ascend_pt")
    (tmp_path / "job" / "self").symlink_to(tmp_path / "job" / "self")
    found = discover([tmp_path / "job", tmp_path / "job" / "a_ascend_pt", tmp_path])
    assert [each.directory for each in found.inputs] == ["a_ascend_pt"]


def test_paths_that_lead_nowhere(tmp_path):
    with pytest.raises(InputError, match="no such file"):
        discover([tmp_path / "missing"])
    (tmp_path / "dangling").symlink_to(tmp_path / "missing")
    with pytest.raises(InputError, match="leads nowhere"):
        discover([tmp_path / "dangling"])


def test_a_very_deep_directory_is_told(tmp_path):
    deep = tmp_path.joinpath(*["d"] * 45)
    deep.mkdir(parents=True)
    (deep / "analysis.db").touch()
    found = discover([tmp_path])
    assert found.inputs == []
    assert "deep" in found.failures[0][1]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_directory_that_cannot_be_read(place, tmp_path):
    place("job/a_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db", "job/closed/analysis.db")
    (tmp_path / "job" / "closed").chmod(0)
    found = discover([tmp_path / "job"])
    (tmp_path / "job" / "closed").chmod(0o700)
    assert len(found.inputs) == 1
    assert "cannot be read" in found.failures[0][1]
    shutil.rmtree(tmp_path / "job")
