"""Why something is missing: data that a raw profile does not hold, told in plain words (framework-files.md 1,
cann-files.md 1)."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from warehouse.profile_folder import FRAMEWORK, RECORDING, is_raw_folder
from warehouse.readers.input_file import size_of
from warehouse.readers.issues import INFO, WARNING, Ledger
from warehouse.readers.profiler_json import CPU, NPU, recorded_activities
from warehouse.readers.raw_files import StreamFiles, slice_number
from warehouse.readers.raw_run import RawRun

_DESCRIPTIONS = ("compact.node_basic_info", "additional.capture_op_info", "variable.capture_op_info")
# records that make one event: the log of a device holds two a task
_RECORDS_AN_EVENT = {"stars_soc": 2, "api_event": 1}


def note_missing(run: RawRun) -> None:
    """Book in the run's ledger what its files do not hold, and what follows from it.  To be called when everything has
    been read."""
    _note_framework(run)
    if run.files.prof is None:
        _note_part(run, NPU, "no-prof", "no CANN calls and no kernels: there is no PROF directory")
    else:
        _note_host(run)
        _note_devices(run)
    _note_unread(run)
    _note_first_slices(run)
    _note_early(run)


def _note(run: RawRun, severity: str, what: str, where: str, stream: str) -> None:
    run.ledger.note(severity, "no-data", f"{what}: {where} has no {stream} data", table=stream)


def _note_part(run: RawRun, activity: str, code: str, text: str) -> None:
    """A whole part of the run that is not there: a loss if the settings say that it was recorded."""
    is_beside = any(
        is_raw_folder(entry.name) and (entry.name in (FRAMEWORK, RECORDING)) == (activity == CPU)
        for entry in run.root.iterdir()
        if entry not in run.files.irregular
    )
    if is_beside:
        run.ledger.note(INFO, code, f"{text} in what was given (there is one beside it)")
    elif activity in recorded_activities(run.config.profiler):
        run.ledger.note(WARNING, code, f"{text}, which the profiler's settings ask for (activity {activity})")
    else:
        run.ledger.note(INFO, code, text)


def _note_framework(run: RawRun) -> None:
    files = run.files.framework
    if run.recording is not None:
        _note_recording(run)
        return
    if not files:
        _note_part(run, CPU, "no-framework", "no operators: there are no FRAMEWORK data")
        return
    if not run.config.profiler:
        text = "no settings of the profiler and no number of the rank: profiler_info is missing or damaged"
        run.ledger.note(INFO, "no-settings", text)
    if "op_range" not in files:
        _note(run, WARNING, "no operators", "FRAMEWORK", "op_range")
    if "op_mark" not in files:
        what = "no task queue, so that calls are linked to the operators around them on their thread"
        _note(run, INFO, what, "FRAMEWORK", "op_mark")
    asked = _settings(run)
    if asked.get("profile_memory") is True and "memory_usage" not in files:
        _note(run, INFO, "no allocations", "FRAMEWORK", "memory_usage")
    if asked.get("with_stack") is True and "python_tracer_func" not in files:
        _note(run, INFO, "no Python frames", "FRAMEWORK", "python_tracer_func")


def _note_recording(run: RawRun) -> None:
    where = "the recording"
    if not run.has_framework("op_range"):
        run.ledger.note(WARNING, "no-data", f"no operators: {where} has none", table="op")
    asked = _settings(run)
    if asked.get("profile_memory") is True and not run.has_framework("memory_usage"):
        run.ledger.note(INFO, "no-data", f"no allocations: {where} has none", table="memory")
    if asked.get("with_stack") is True and not run.has_framework("python_tracer_func"):
        run.ledger.note(INFO, "no-data", f"no Python frames: {where} has none", table="frame")


def _note_unread(run: RawRun) -> None:
    """FRAMEWORK files that cannot be used by themselves."""
    for kind, path in run.files.framework.items():
        if path not in run.ledgers:
            run.ledgers[path] = Ledger()
            run.ledgers[path].found(kind, 0)
            run.ledgers[path].note(WARNING, "not-read", f"{kind} data are not read: they lack what belongs to them")


def _settings(run: RawRun) -> dict[str, Any]:
    """What the user asked the profiler for."""
    found: Any = run.config.profiler
    for name in ("config", "common_config"):
        found = found.get(name) if isinstance(found, dict) else None
    return found if isinstance(found, dict) else {}


def _note_host(run: RawRun) -> None:
    host = run.files.host
    if not host and any(device.streams for device in run.files.devices):
        run.ledger.note(WARNING, "no-host", "no host data: kernels have no names, no calls and no operators")
    calls, tasks = _has(host, "api_event"), _has(host, "compact.task_track")
    if not calls:
        _note(run, INFO, "no CANN calls", "PROF", "api_event")
    if calls and not tasks:
        _note(run, WARNING, "device tasks are linked to no call and no operator", "PROF", "task_track")
    if calls or tasks:
        if not _has(host, "additional.type_info_dic"):
            _note(run, WARNING, "calls and kinds of tasks have no names", "PROF", "type_info_dic")
        if not _has(host, "additional.hash_dic"):
            _note(run, WARNING, "kernels, operators and groups have no names", "PROF", "hash_dic")
    is_described = any(_has(host, stream) for stream in _DESCRIPTIONS)
    if tasks and run.config.host.level not in ("Level0", None) and not is_described:
        _note(run, INFO, "kernels have no types, cores and blocks", "PROF", "node_basic_info")
    if _has(host, "compact.node_basic_info") and not _has(host, "additional.tensor_info"):
        _note(run, INFO, "kernels have no shapes, types and formats of tensors", "PROF", "tensor_info")


def _note_devices(run: RawRun) -> None:
    launched = _has(run.files.host, "compact.task_track")
    severity = WARNING if launched else INFO
    if not run.files.devices:
        run.ledger.note(severity, "no-device", "no kernels: PROF has no data of a device")
    for device in run.files.devices:
        name = device.path.name
        if not _has(device.streams, "stars_soc"):
            what = "no kernels" if len(run.files.devices) == 1 else f"no kernels of {name}"
            _note(run, severity, what, "PROF", "stars_soc")
            continue
        sample = run.config.devices[device.device_id].sample
        is_counting = "on" in (sample.get("ai_core_profiling"), sample.get("aiv_profiling"))
        if is_counting and not any(_has(device.streams, stream) for stream in ("ffts_profile", "aicore")):
            _note(run, INFO, f"no PMU counters of {name}", "PROF", "ffts_profile")


def _has(streams: dict[str, StreamFiles], stream: str) -> bool:
    return any(size_of(path) for _, paths in streams.get(stream, StreamFiles()).parts() for path in paths)


def _note_first_slices(run: RawRun) -> None:
    """Slices count from 0: where the first are gone, a ring ran over or they were lost."""
    for streams in (run.files.host, *(device.streams for device in run.files.devices)):
        for stream, files in streams.items():
            for _, paths in files.parts():
                _note_first_slice(run.ledgers.setdefault(paths[0], Ledger()), stream, paths[0])


def _note_first_slice(ledger: Ledger, stream: str, first: Path) -> None:
    number = slice_number(first)
    if number:
        missing = "slice 0 is" if number == 1 else f"slices 0 to {number - 1} are"
        text = f"{missing} missing: what {'it' if number == 1 else 'they'} held is lost"
        ledger.note(WARNING, "missing-slice", text, table=stream)


def _note_early(run: RawRun) -> None:
    """What ended before the recording began is left out; if that is all there is, the clocks are to blame."""
    for issue in run.ledger.issues:
        if issue.code == "early" and issue.table in _RECORDS_AN_EVENT:
            loaded = _loaded(run.ledgers.values(), issue.table)
            if issue.count * _RECORDS_AN_EVENT[issue.table] >= loaded > 0:
                issue.severity = WARNING
                counted_of = [path for path, ledger in run.ledgers.items() if issue.table in ledger.tables]
                issue.bytes = sum(size_of(path) or 0 for path in counted_of)
                issue.text += "; as these are all, the clocks of the configuration seem to be wrong"


def _loaded(ledgers: Iterable[Ledger], table: str) -> int:
    return sum(ledger.tables[table].loaded for ledger in ledgers if table in ledger.tables)
