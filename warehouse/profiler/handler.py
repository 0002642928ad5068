"""`tensorboard_trace_handler` and `analyse`: from a recording to what the user asked for, never in the training
process."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

from warehouse.profiler.boundary import contained
from warehouse.profiler.child import start_child, wait_for
from warehouse.profiler.experimental_config import checked_export_type
from warehouse.profiler.run_directory import RunPlace, checked_folder, checked_worker, set_latest_place
from warehouse.profiler.settings import checked_flag, logger, report


def tensorboard_trace_handler(
    dir_name: str | None = None,
    worker_name: str | None = None,
    analyse_flag: bool = True,
    async_mode: bool = False,
) -> Callable[[Any], None]:
    """What `on_trace_ready` takes: recordings go to `dir_name`, and each is analysed in a process of its own; with
    `async_mode` the training does not wait for it.

    >>> tensorboard_trace_handler("result", "node0").place.folder
    'result'
    """
    analyse_flag = checked_flag("analyse_flag", analyse_flag, default=True)
    async_mode = checked_flag("async_mode", async_mode)
    folder = checked_folder("dir_name", dir_name)

    @contained(None)
    def handle(profiler: Any) -> None:
        path = profiler.path
        if path is None or not analyse_flag:
            return
        process = _start_analysis([path], profiler.experimental_config.export_type, 1)
        if process is not None and not async_mode:
            wait_for(process, _not_analysed([path]))

    place = RunPlace(folder, checked_worker(worker_name))
    handle.place = place  # type: ignore[attr-defined] # read by `profile` before anything is recorded
    set_latest_place(place)
    return handle


@contained(None)
def analyse(
    profiler_path: str, max_process_number: int | None = None, export_type: str | list[str] | None = None
) -> None:
    """Analyse every run directory at or below a path, in `max_process_number` processes (half the cores unless given).

    `export_type` None: each run's own.  Works from daemon processes too.
    """
    cores = os.cpu_count() or 1
    wanted = max_process_number if max_process_number is not None else max(cores // 2, 1)
    if not isinstance(wanted, int) or isinstance(wanted, bool) or wanted <= 0:
        report("max_process_number", max_process_number, "a whole number from 1", max(cores // 2, 1))
        wanted = max(cores // 2, 1)
    if wanted > cores:
        report("max_process_number", max_process_number, f"at most the {cores} cores of this machine", cores)
        wanted = cores
    kinds = None if export_type is None else checked_export_type(export_type)
    try:
        root = Path(os.fsdecode(profiler_path))
        found = root.is_dir()
    except (TypeError, ValueError):
        logger.error("nothing is analysed: profiler_path=%r is no path", profiler_path)
        return
    if not found:
        logger.error("%s: nothing is analysed: there is no such directory", root)
        return
    process = _start_analysis([root], kinds, wanted)
    if process is not None:
        wait_for(process, _not_analysed([root]))


def _start_analysis(paths: list[Path], kinds: list[str] | None, processes: int) -> subprocess.Popen[str] | None:
    arguments = ["warehouse.profiler.analysis", f"--processes={processes}"]
    arguments += [f"--export-type={kind}" for kind in kinds or ()]
    return start_child([*arguments, "--", *map(str, paths)], _not_analysed(paths))


def _not_analysed(paths: list[Path]) -> str:
    return f"{paths[0]} is not analysed (`npuwh ingest` can do it later)"
