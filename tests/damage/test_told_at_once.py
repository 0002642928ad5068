"""What an ingest says at its end, and `npuwh info` after it: the worst is named, whatever was read without a fault."""

import json
import os
import shutil
import socket
import sqlite3
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from nobody import as_nobody

from warehouse.ingest import ingest

PROF = "PROF_000001_20231125090304041_AAAAAAAA"
RUN = "node0_41000_20231125090304041_ascend_pt"


@pytest.fixture
def npuwh(tmp_path):
    """A function: run the command in an empty folder."""

    def call(*arguments):
        command = [sys.executable, "-m", "warehouse.cli", *map(str, arguments)]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=False)

    return call


@pytest.fixture
def told(npuwh):
    """A function: what was copied is ingested; gives the summary, the lines on stderr, and info's last line."""

    def call():
        done = npuwh("ingest", "in", "-o", "W.db")
        assert done.returncode == 0, done.stderr
        return done.stdout, done.stderr.splitlines(), npuwh("info", "W.db").stdout.splitlines()[-1]

    return call


def remove(root, pattern):
    found = list(root.rglob(pattern))
    assert found
    for path in found:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def move_clock(root, ticks):
    """The device's counter at the beginning was so much higher: what it did was so much earlier."""
    for path in root.rglob("dev_start.log*"):
        head, _, tick = path.read_text().rpartition("cntvct:")
        path.write_text(f"{head}cntvct:{int(tick) + ticks}")


def test_a_sound_run_is_complete(whole, copied, told):
    copied(whole[0])
    summary, lines, info = told()
    assert summary.endswith(" records read, 0 lost\n")
    assert lines == []
    assert info.startswith("complete: 0 errors, 0 warnings; ")


def test_a_prof_directory_without_a_clock(whole, copied, told):
    root = copied(whole[0])
    remove(root, "start_info*")
    left = [path for path in root.glob(f"{PROF}/*/data/*.slice_*") if path.suffix != ".done"]
    left = [path for path in left if "_dic." not in path.name]  # dictionaries have no times
    size = sum(path.stat().st_size for path in left)
    summary, lines, info = told()
    unread = f"{len(left)} files of {size:,} bytes left unread"
    assert summary.endswith(f" 0 lost; {unread}\n")
    assert lines[0] == (
        f"npuwh: warning: {root}: nothing of the PROF directory is read: no times: start_info is missing or damaged; "
        f"{unread}"
    )
    assert not [line for line in lines if ".slice_" in line], "one fault is told once"
    assert lines[-1].endswith(" warnings, the worst of them above; see `npuwh check W.db`")
    assert info.startswith("not complete: 0 errors, ")


def test_a_device_without_a_clock(whole, copied, told):
    remove(copied(whole[0]), "dev_start.log.0")
    summary, lines, _ = told()
    assert " left unread\n" in summary
    assert "no tasks of device 0 are read: no times: dev_start.log.0 is missing or damaged; " in lines[0]


def test_another_prof_directory(whole, copied, told, npuwh):
    root = copied(whole[0])
    other = root / "PROF_000009_20231125090304041_ZZZZZZZZ"
    shutil.copytree(root / PROF, other)
    files = [path for path in other.rglob("*") if path.is_file()]
    unread = f"{len(files)} files of {sum(path.stat().st_size for path in files):,} bytes left unread"
    summary, lines, info = told()
    assert summary.endswith(f" 0 lost; {unread}\n")
    assert f"{other.name} is left out: another PROF directory of the run is read; {unread}" in lines[0]
    assert info.startswith("not complete: 0 errors, 1 warning; ")
    left = [each for each in json.loads(npuwh("info", "W.db", "--json").stdout)["sources"] if each["state"] == "left"]
    assert len(left) == len(files)


def test_one_warning_is_no_plural(whole, copied, told):
    remove(copied(whole[0]), PROF)
    _, lines, info = told()
    assert lines[-1] == "npuwh: 0 errors, 1 warning; see `npuwh check W.db`"
    assert info.startswith("not complete: 0 errors, 1 warning; ")


@pytest.mark.parametrize(
    ("ticks", "said"),
    [
        (-2 * 10**11, " after the end of the recording, of "),  # late by 2000 s at 100 MHz
        (-10**6, "the last record of the host: its clock is late"),  # by 10 ms: within the recording
        (10**5, "launches began on the device before the call that launched them, by up to "),  # early by 1 ms
        (2 * 10**11, "as these are all, the clocks of the configuration seem to be wrong"),
    ],
)
def test_a_clock_of_the_device_that_is_wrong(whole, copied, told, ticks, said):
    move_clock(copied(whole[0]), ticks)
    _, lines, info = told()
    assert [line for line in lines if said in line], lines
    assert info.startswith("not complete: 0 errors, ")


@pytest.mark.parametrize(
    ("part", "said"),
    [
        ("FRAMEWORK", "there are no FRAMEWORK data, which the profiler's settings ask for (activity CPU)"),
        (PROF, "there is no PROF directory, which the profiler's settings ask for (activity NPU)"),
    ],
)
def test_a_part_that_was_recorded_is_missing(whole, copied, told, part, said):
    remove(copied(whole[0]), part)
    _, lines, info = told()
    assert [line for line in lines if said in line], lines
    assert info.startswith("not complete: 0 errors, 1 warning")


@pytest.mark.parametrize(("part", "activity"), [("FRAMEWORK", "CPU"), (PROF, "NPU")])
def test_a_part_that_was_not_recorded_is_not_missed(whole, copied, told, part, activity):
    root = copied(whole[0])
    remove(root, part)
    for path in root.glob("profiler_info*"):
        found = json.loads(path.read_text())
        found["config"]["common_config"]["activities"].remove(f"ProfilerActivity.{activity}")
        path.write_text(json.dumps(found))
    _, lines, info = told()
    assert lines == []
    assert "0 errors, 0 warnings" in info


@pytest.mark.parametrize("part", ["FRAMEWORK", PROF])
def test_a_part_given_by_itself_misses_nothing(whole, copied, npuwh, part):
    root = copied(whole[0])
    done = npuwh("ingest", root / part, "-o", "W.db")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "(there is one beside it)" in npuwh("info", "W.db").stdout


def test_what_checks_find_is_told_by_info(whole, copied, told):
    """Without FRAMEWORK, and nobody says that there was one."""
    root = copied(whole[0])
    remove(root, "FRAMEWORK")
    remove(root, "profiler_info*")
    _, _, info = told()
    assert info.startswith("nothing is lost, but not all is well: 0 errors, 0 warnings, 1 finding (task_without_op 1)")


def fifo(path):
    os.mkfifo(path)


def folder(path):
    path.mkdir()


def dead_link(path):
    path.symlink_to("nowhere")


def link_to_itself(path):
    path.symlink_to(path.name)


def device(path):
    path.symlink_to("/dev/zero")


def socket_file(path):
    before = Path.cwd()
    os.chdir(path.parent)  # its name may be short only
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    finally:
        os.chdir(before)


ODD = (fifo, folder, dead_link, link_to_itself, device, socket_file)
NAMES = (
    "PROF/device_0/info.json.0", "PROF/device_0/start_info.0", "PROF/device_0/end_info.0",
    "PROF/device_0/host_start.log.0", "PROF/device_0/dev_start.log.0", "PROF/device_0/sample.json",
    "PROF/host/info.json", "PROF/host/start_info", "PROF/host/end_info", "PROF/host/host_start.log",
    "PROF/host/sample.json", "PROF/host/data/aging.api_event.data.slice_0",
    "PROF/device_0/data/stars_soc.data.0.slice_0", "FRAMEWORK/torch.op_range", "FRAMEWORK/torch.op_mark",
    "profiler_info_0.json", "profiler_metadata.json",
)  # fmt: skip
FOLDERS = ("FRAMEWORK", "PROF", "PROF/host", "PROF/device_0", "PROF/host/data", "PROF/device_0/data")


# every name once with each of two things, so that all things come up
@pytest.mark.parametrize(
    ("name", "make"),
    [(name, ODD[(at + shift) % len(ODD)]) for at, name in enumerate(NAMES) for shift in (0, 2)],
    ids=lambda value: getattr(value, "__name__", value),
)
def test_what_only_has_the_name_of_a_file_is_named(whole, copied, loaded, name, make):
    path = copied(whole[0]) / name.replace("PROF", PROF)
    path.unlink()
    make(path)
    check_named(loaded(), path)


@pytest.mark.parametrize("make", [fifo, dead_link, device])
@pytest.mark.parametrize("name", FOLDERS)
def test_what_only_has_the_name_of_a_directory_is_named(whole, copied, loaded, name, make):
    path = copied(whole[0]) / name.replace("PROF", PROF)
    shutil.rmtree(path)
    make(path)
    check_named(loaded(), path)


def check_named(ask, path):
    query = "SELECT i.text, s.state FROM issue i JOIN source s ON s.id = i.source_id WHERE i.severity <> 'info'"
    told = ask(query)
    said = [(text, state) for text, state in told if path.name in text and "missing or damaged" not in text]
    assert {state for _, state in said} == {"failed"}, told
    reasons = (f"{path.name} is not read: it ", f"{path}: is not a regular file", f"{path}: cannot be read (")
    assert [text for text, _ in said if text.startswith(reasons)], told


@pytest.mark.parametrize("name", ["device_99999999999999999999", "device_x", "device_-1"])
def test_a_device_without_a_number_is_named(whole, copied, told, name):
    root = copied(whole[0])
    (root / PROF / "device_0").rename(root / PROF / name)
    _, lines, info = told()
    assert [line for line in lines if f"{name} is not read: it is no stream of the format" in line]
    assert [line for line in lines if "no kernels: PROF has no data of a device" in line]
    assert info.startswith("not complete: ")


@pytest.fixture
def open_folder():
    """A folder that everybody may use."""
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch).chmod(0o777)
        yield Path(scratch)


@pytest.mark.parametrize("name", [*NAMES[:-2], *FOLDERS])
def test_what_may_not_be_read_is_named_and_the_rest_is_read(whole, open_folder, monkeypatch, name):
    root = open_folder / "in" / RUN
    shutil.copytree(whole[0].directory, root)
    for path in (open_folder / "in").rglob("*"):
        path.chmod(0o755)
    monkeypatch.chdir(open_folder)
    # as ourselves first: nobody may not be able to read the modules that are imported on the way
    ingest([open_folder / "in"], open_folder / "all.db")
    path = root / name.replace("PROF", PROF)
    path.chmod(0)
    try:
        with as_nobody():  # root may read everything
            report = ingest([open_folder / "in"], open_folder / "W.db", jobs=1)
    finally:
        path.chmod(0o755)
    assert len(report.added) == 1
    with closing(sqlite3.connect(open_folder / "W.db")) as connection:
        told = connection.execute(
            "SELECT i.text FROM issue i JOIN source s ON s.id = i.source_id WHERE s.state = 'failed' AND s.path = ?",
            [str(path.resolve())],
        ).fetchall()
    assert told == [(f"{path.name} is not read: it cannot be read (Permission denied)",)]
