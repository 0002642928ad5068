"""What `npuwh record` was told, as one JSON text between its two processes, and the profiler that it describes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from warehouse.profiler.child_processes import ChildProcesses
from warehouse.profiler.experimental_config import _ExperimentalConfig
from warehouse.profiler.handler import tensorboard_trace_handler
from warehouse.profiler.optimizer_steps import OptimizerSteps
from warehouse.profiler.profile import profile
from warehouse.profiler.recording_options import DiskLimits, Selection
from warehouse.profiler.run_directory import RunPlace
from warehouse.profiler.schedule import Schedule
from warehouse.profiler.settings import ProfilerActivity, WrongSettingError, refusing
from warehouse.profiler.time_window import TimeWindow

# settings of which the option has another name
_OPTIONS = {"modules": "only-modules", "gc_detect_threshold": "gc", "worker_name": "worker", "dir_name": "output"}


@dataclass(frozen=True)
class ScriptRecording:
    """How a script is recorded."""

    profiler: profile
    window: TimeWindow
    has_steps: bool  # those of the script's optimizer
    steps: OptimizerSteps
    children: ChildProcesses


def recording_of(settings: dict[str, Any]) -> ScriptRecording:
    """The recording that settings describe; a wrong one is a WrongSettingError that names its option.

    `settings`: {output, worker_name, is_left_raw, profile: {…}, experimental_config: {…}, selection: {…},
    disk_limits: {…}, schedule: {…}, window: {…}, has_steps, metadata: {name: text}}, the objects with the names of the
    arguments that `profile`, `Selection`, … take; whatever is absent has its default.

    >>> recording_of({"selection": {"every_step": 10}}).has_steps
    True
    """
    try:
        with refusing():
            return _recording(settings)
    except WrongSettingError as error:
        option = _OPTIONS.get(error.name, error.name.replace("_", "-"))
        raise WrongSettingError(f"--{option}", error.given, error.allowed) from None


def _recording(settings: dict[str, Any]) -> ScriptRecording:
    beyond_ranges = {"mstx": True, "export_type": ["db"], **settings.get("experimental_config", {})}
    selection = Selection(**settings.get("selection", {}))
    schedule = settings.get("schedule")
    output = settings.get("output", "npuwh-recordings")
    handler = tensorboard_trace_handler(
        output,
        settings.get("worker_name"),
        analyse_flag=not settings.get("is_left_raw", False),
    )
    profiler = profile(
        activities=[ProfilerActivity.CPU],
        schedule=None if schedule is None else Schedule(**{"wait": 0, "active": 1, **schedule}),
        on_trace_ready=handler,
        experimental_config=_ExperimentalConfig(**beyond_ranges),
        selection=selection,
        disk_limits=DiskLimits(**settings.get("disk_limits", {})),
        **settings.get("profile", {}),
    )
    for name, text in settings.get("metadata", {}).items():
        profiler.add_metadata(name, text)
    has_steps = bool(settings.get("has_steps")) or schedule is not None or selection.every_step > 1
    if has_steps:
        profiler.mark_steps()
    profiler.record_all_threads()
    window = TimeWindow(**settings.get("window", {}))
    _check_place(output, handler.place)  # type: ignore[attr-defined] # last: it makes the folder
    return ScriptRecording(profiler, window, has_steps, OptimizerSteps(profiler.step), ChildProcesses())


def _check_place(output: str, place: RunPlace) -> None:
    """The folder is there, or can be made, before anything runs."""
    try:
        place.base().mkdir(mode=0o750, parents=True, exist_ok=True)
    except OSError as error:
        raise WrongSettingError("dir_name", output, f"a folder that can be written: {error.strerror}") from None
