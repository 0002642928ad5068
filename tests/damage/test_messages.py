"""`npuwh info` says why something is missing, in plain words."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from warehouse.errors import InputError, NpuwhError
from warehouse.ingest.faults import of_one_input
from warehouse.readers.raw_framework import FrameworkPart


def remove(root, *patterns):
    found = [path for pattern in patterns for path in root.rglob(pattern)]
    assert found
    for path in found:
        shutil.rmtree(path) if path.is_dir() else path.unlink()


def empty(root, pattern):
    for path in root.rglob(pattern):
        path.write_bytes(b"")


def cut(root, pattern, count):
    (path,) = root.rglob(pattern)
    os.truncate(path, path.stat().st_size - count)


def replace(root, pattern, old, new):
    for path in root.rglob(pattern):
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new), encoding="utf-8")


def again(root, pattern, name="", number=2):
    """A slice once more, the last or one whose name ends so, under another number."""
    path = [path for path in sorted(root.rglob(pattern)) if path.name.endswith(name)][-1]
    return Path(shutil.copy(path, f"{str(path).rpartition('_')[0]}_{number}"))


def frequency(root, mhz):
    for path in root.rglob("info.json*"):
        path.write_text(re.sub(r'"Frequency": *"[^"]*"', f'"Frequency": "{mhz}"', path.read_text()))


def pipe(root, pattern):
    (path,) = root.rglob(pattern)
    path.unlink()
    os.mkfifo(path)


def second(root):
    (prof,) = root.glob("PROF_*")
    shutil.copytree(prof, root / "PROF_000009_20231125090304041_ZZZZZZZZ")


def stray(root):
    (folder,) = root.glob("PROF_*/host/data")
    (folder / "notes").write_text("x", encoding="utf-8")


# what was done, and what is said of it
CASES = {
    "no log": (lambda root: remove(root, "stars_soc*"), "no kernels: PROF has no stars_soc data"),
    "empty log": (lambda root: empty(root, "stars_soc*.slice_*"), "no kernels: PROF has no stars_soc data"),
    "cut log": (
        lambda root: cut(root, "stars_soc*.slice_1", 12),
        "slice 1: the last record is cut off; 52 bytes rejected",
    ),
    "no device": (lambda root: remove(root, "device_0"), "no kernels: PROF has no data of a device"),
    "no PROF": (lambda root: remove(root, "PROF_*"), "no CANN calls and no kernels: there is no PROF directory"),
    "no FRAMEWORK": (lambda root: remove(root, "FRAMEWORK"), "no operators: there are no FRAMEWORK data"),
    "no operators": (lambda root: remove(root, "torch.op_range"), "no operators: FRAMEWORK has no op_range data"),
    "no queue": (
        lambda root: remove(root, "torch.op_mark"),
        "no task queue, so that calls are linked to the operators around them on their thread: "
        "FRAMEWORK has no op_mark data",
    ),
    "no memory": (lambda root: remove(root, "torch.memory*"), "no allocations: FRAMEWORK has no memory_usage data"),
    "no frames": (
        lambda root: remove(root, "torch.python_tracer_func"),
        "no Python frames: FRAMEWORK has no python_tracer_func data",
    ),
    "no calls": (lambda root: remove(root, "*api_event*"), "no CANN calls: PROF has no api_event data"),
    "no tasks": (
        lambda root: remove(root, "*task_track*"),
        "device tasks are linked to no call and no operator: PROF has no task_track data",
    ),
    "no names": (
        lambda root: remove(root, "*hash_dic*"),
        "kernels, operators and groups have no names: PROF has no hash_dic data",
    ),
    "no types": (
        lambda root: remove(root, "*type_info_dic*"),
        "calls and kinds of tasks have no names: PROF has no type_info_dic data",
    ),
    "no descriptions": (
        lambda root: remove(root, "*node_basic_info*"),
        "kernels have no types, cores and blocks: PROF has no node_basic_info data",
    ),
    "no tensors": (
        lambda root: remove(root, "*tensor_info*"),
        "kernels have no shapes, types and formats of tensors: PROF has no tensor_info data",
    ),
    "no PMU": (
        lambda root: remove(root, "ffts_profile*"),
        "no PMU counters of device_0: PROF has no ffts_profile data",
    ),
    "no settings": (
        lambda root: remove(root, "profiler_info*"),
        "no settings of the profiler and no number of the rank: profiler_info is missing or damaged",
    ),
    "no first slice": (
        lambda root: remove(root, "*api_event*.slice_0*"),
        "slice 0 is missing: what it held is lost",
    ),
    "no info": (
        lambda root: remove(root, "info.json*"),
        "nothing of the PROF directory is read: no times: info.json, which tells what a tick is, is missing or damaged",
    ),
    "no info of the host": (
        lambda root: remove(root, "host/info.json"),
        "what info.json should tell of the host is taken from device_0",
    ),
    "no start": (
        lambda root: remove(root, "start_info*"),
        "nothing of the PROF directory is read: no times: start_info is missing or damaged",
    ),
    "another chip": (
        lambda root: replace(root, "info.json*", '"platform_version": "5"', '"platform_version": "99"'),
        "slice 0: this stream's records are not specified for this chip; 4,864 bytes rejected; "
        "platform_version is '99'",
    ),
    "clock of the device": (
        lambda root: replace(root, "dev_start*", "cntvct:", "cntvct:9"),
        "device tasks that ended before the recording began, or before they started; they were left out; "
        "as these are all, the clocks of the configuration seem to be wrong",
    ),
    "clock of the host": (
        lambda root: replace(root, "host/host_start*", "cntvct:8", "cntvct:98"),
        "host_start.log of host and device_0 contradict each other by 90000.000 s",
    ),
    "no rate": (
        lambda root: frequency(root, "0"),
        "info.json gives the host's counter '0' MHz, which is none",
    ),
    "negative rate": (
        lambda root: frequency(root, "-5"),
        "info.json gives the host's counter '-5' MHz, which is none",
    ),
    "absurd rate": (
        lambda root: frequency(root, "1e-9"),
        "info.json gives the host's counter '1e-9' MHz, which is none",
    ),
    "empty queue": (
        lambda root: empty(root, "torch.op_mark"),
        "torch.op_mark is empty: what was to be in it is lost",
    ),
    "empty calls": (
        lambda root: empty(root, "*api_event*.slice_0"),
        "aging.api_event.data.slice_0 is empty: what was to be in it is lost",
    ),
    "repeated slice": (
        lambda root: again(root, "stars_soc*.slice_*[0-9]"),
        "stars_soc.data.0.slice_2 repeats stars_soc.data.0.slice_1 to the byte: it is not read, "
        "as what it holds would count twice",
    ),
    "damaged": (lambda root: cut(root, "host/sample.json", 20), "sample.json is not readable"),
    "pipe": (
        lambda root: pipe(root, "*task_track*.slice_0"),
        "aging.compact.task_track.slice_0 is not read: it is not a regular file",
    ),
    "second": (
        second,
        "PROF_000009_20231125090304041_ZZZZZZZZ is left out: another PROF directory of the run is read",
    ),
    "stray": (stray, "notes is not read: it is no stream of the format"),
}


@pytest.mark.parametrize("name", CASES)
def test_why_something_is_missing_is_said(whole, copied, loaded, name):
    damage, expected = CASES[name]
    damage(copied(whole[0]))
    texts = [text for (text,) in loaded()("SELECT text FROM issue")]
    assert any(text.startswith(expected) for text in texts), texts


def test_of_a_sound_run_is_told_what_was_captured_before(whole, copied, loaded):
    copied(whole[1])
    text = "captured before recording started: tasks of graphs whose calls and operators are not known"
    assert loaded()("SELECT severity, text, count FROM issue") == [("info", text, 6)]


def test_a_clock_that_runs_late_is_found(whole, copied, loaded):
    replace(copied(whole[1]), "dev_start*", "cntvct:4", "cntvct:3")
    found = {table: times for table, *times in loaded()("SELECT table_name, early_ns, late_ns FROM check_session_time")}
    assert found.keys() & {"op", "api_call", "device_task"} == {"device_task"}
    early, late = found["device_task"]
    assert early == 0
    assert late > 10**12


@pytest.mark.parametrize(
    ("name", "value", "lacks"),
    [("ai_core_num", each, "number") for each in ("x", 0, -1, 1e308)]
    + [("aic_frequency", each, "clock") for each in ("nan", "0", -5, "1e-300", 1e308)],
)
def test_what_a_device_cannot_have_makes_no_times(whole, copied, loaded, name, value, lacks):
    root = copied(whole[0])
    (path,) = root.rglob("device_0/info.json.0")
    found = json.loads(path.read_text())
    found["DeviceInfo"][0][name] = value
    path.write_text(json.dumps(found))
    ask = loaded()
    worked = "FROM kernel_metric WHERE aic_total_cycles_count > 0"
    assert ask(f"SELECT count(*) > 0, count(aic_total_time_ns), count(aic_mac_time_ns) {worked}") == [(1, 0, 0)]
    text = f"info.json.0 tells no {lacks} of aic cores that can be: metrics that need it are left out"
    assert ask("SELECT count(*) FROM issue WHERE severity = 'warning' AND text = ?", text) == [(1,)]


def test_no_host_data_are_told(whole, copied, loaded):
    root = copied(whole[0])
    shutil.rmtree(next(root.glob("PROF*/host/data")))
    texts = loaded()("SELECT text FROM issue WHERE severity = 'warning'")
    assert ("no host data: kernels have no names, no calls and no operators",) in texts


REPEATED = ("*task_track*", "*task_memory_info*", "ffts_profile*", "npu_mem.*", "npu_module_mem*", "stars_soc*")


def test_a_slice_that_stands_again_anywhere_counts_once(whole, copied, loaded, tmp_path):
    sums = (
        "SELECT (SELECT total(aiv_total_cycles_count) FROM kernel_metric), (SELECT count(*) FROM device_memory),"
        " (SELECT count(*) FROM module_memory), (SELECT sum(size_bytes) FROM allocation),"
        " (SELECT count(*) FROM device_task)"
    )
    root = copied(whole[2])
    before = loaded()(sums)
    (tmp_path / "W.db").unlink()
    copies = [again(root, f"{pattern}.slice_*[0-9]", "slice_0", 7) for pattern in REPEATED]
    ask = loaded()
    assert ask(sums) == before
    said = [f"{path.name} repeats {path.name.replace('_7', '_0')} to the byte: " for path in copies]
    texts = [text for (text,) in ask("SELECT text FROM issue WHERE code = 'repeated-slice'")]
    assert sorted(text[: text.index("it is not")] for text in texts) == sorted(said)
    assert ask("SELECT * FROM check_ledger") == []


def test_a_slice_that_goes_while_it_is_read_is_named(whole, copied, loaded, monkeypatch):
    root = copied(whole[2])
    (gone,) = root.rglob("stars_soc.data.0.slice_1")
    load = FrameworkPart.load

    def removing(part):
        load(part)
        gone.unlink()

    monkeypatch.setattr(FrameworkPart, "load", removing)
    with pytest.raises(NpuwhError, match=r"slice_1: cannot be read \(No such file or directory\)$"):
        loaded()


def test_a_file_that_is_closed_to_us_meanwhile_is_no_fault_of_ours(tmp_path):
    with pytest.raises(InputError, match=r"/gone: cannot be read \(No such file or directory\)$"), of_one_input():
        (tmp_path / "gone").stat()


def test_info_prints_it(whole, copied, loaded, tmp_path):
    cut(copied(whole[0]), "stars_soc*.slice_1", 12)
    loaded()
    command = [sys.executable, "-m", "warehouse.cli", "info", str(tmp_path / "W.db")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    (line,) = (line for line in done.stdout.splitlines() if "52 bytes rejected" in line)
    assert "warning" in line
    assert "slice 1: the last record is cut off" in line
    assert "not complete" in done.stdout
