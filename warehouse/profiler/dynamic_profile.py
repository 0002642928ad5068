"""Windows of recording in a running job: a watched file says when (framework-files.md 6.6).

`init(folder)` once, `step()` every step.  `folder/profiler_config.json` is made with its defaults if it is not there;
when somebody changes it, the next window is planned by it: `start_step` -1 begins at once, a later number when the
counter reaches it.

Or nothing of this in the script: where $PROF_CONFIG_PATH names the folder when `warehouse.profiler` is imported, and
under `npuwh record --watch`, the steps are those of the script's optimizer.
"""

from __future__ import annotations

import atexit
import json
import os
from pathlib import Path
from typing import Any

from warehouse.profiler.boundary import contained
from warehouse.profiler.dynamic_config import AT_ONCE, CONFIG_FILE, DEFAULTS, profiler_of, read_config
from warehouse.profiler.metadata import rank_number
from warehouse.profiler.optimizer_steps import OptimizerSteps
from warehouse.profiler.profile import profile
from warehouse.profiler.run_directory import checked_folder
from warehouse.profiler.settings import logger, report


class DynamicProfiler:
    """One job's watcher: what the file last said, the window that is planned, the one that runs."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / CONFIG_FILE
        self._seen = self._stamp() if self._path.exists() else self._make()
        self._planned: dict[str, Any] | None = None
        self._profiler: profile | None = None
        self._left = 0
        self.current_step = 0

    @property
    def is_recording(self) -> bool:
        """Whether a window is open."""
        return self._profiler is not None

    def step(self) -> None:
        """The next step begins."""
        self.current_step += 1
        self._look()
        if self._profiler is not None:
            self._profiler.step()
            self._left -= 1
            if self._left == 0:
                self.end()
            return
        if self._planned is None:
            return
        begin = self._planned["start_step"]
        if begin in (AT_ONCE, self.current_step):
            self._begin(self._planned)
        elif begin < self.current_step:
            logger.warning("start_step %s is over (this is step %s); nothing is recorded", begin, self.current_step)
            self._planned = None

    def start(self, path: Path | None = None) -> None:
        """Begin a window at once, as the given or the watched file describes it."""
        config = read_config(path or self._path)
        if config is not None and self._profiler is None:
            self._begin(config)

    def end(self) -> None:
        """An open window ends, as it does with the job."""
        if self._profiler is not None:
            atexit.unregister(self.end)
            self._profiler.stop()
            self._profiler = None

    def _look(self) -> None:
        stamp = self._stamp()
        if stamp is None or stamp == self._seen:
            return
        self._seen = stamp
        config = read_config(self._path)
        if config is None:
            return
        if config["is_rank"]:
            if rank_number() not in config["rank_list"]:
                return
            config["async_mode"] = True  # the other ranks do not analyse and must not wait for those that do
        self._planned = config

    def _begin(self, config: dict[str, Any]) -> None:
        self._planned = None
        self._profiler = profiler_of(config)
        self._profiler.start_at(self.current_step)
        atexit.register(self.end)  # here: it has to come before what the window's recording does at the end
        self._left = config["active"] + config["warmup"]

    def _stamp(self) -> tuple[int, int] | None:
        try:
            status = self._path.stat()
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size

    def _make(self) -> tuple[int, int] | None:
        """The file with its defaults; ranks that make it at once end with one."""
        try:
            self._path.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
            descriptor = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640)
            with os.fdopen(descriptor, "w", encoding="utf-8") as file:
                json.dump(DEFAULTS, file, indent=4)
        except FileExistsError:
            pass
        except OSError as error:
            logger.error("%s: cannot be made, so that no window can be opened: %s", self._path, error)
        return self._stamp()


_profiler: DynamicProfiler | None = None


@contained(None)
def init(path: str) -> None:
    """Watch `path`/profiler_config.json."""
    global _profiler  # noqa: PLW0603 one watcher a process
    if _profiler is not None:
        logger.warning("dynamic_profile is watching already; init is left out")
        return
    folder = checked_folder("path", "" if path is None else path, "no file is watched; nothing")
    if folder is not None:
        _profiler = DynamicProfiler(Path(folder))


@contained(None)
def watch(path: str) -> None:
    """As `init`, in a job that does not call `step`: each step of its optimizer is one."""
    if _profiler is None:
        init(path)
        if _profiler is not None:
            OptimizerSteps(step).begin()


@contained(None)
def step() -> None:
    """The next step begins; to be called in the training loop."""
    if _profiler is None:
        logger.warning("dynamic_profile.step does nothing before dynamic_profile.init")
        return
    _profiler.step()


@contained(None)
def start(config_path: str | None = None) -> None:
    """Begin a window at once, as the given file, or the watched one, describes it."""
    if _profiler is None:
        logger.warning("dynamic_profile.start does nothing before dynamic_profile.init")
        return
    config = None if config_path is None else checked_folder("config_path", config_path, "no window is opened; nothing")
    if config_path is None or config is not None:
        _profiler.start(None if config is None else Path(config))


@contained(None)
def set_state(state: dict[str, Any]) -> None:
    """Set the step counter: {"cur_step": n}."""
    number = state.get("cur_step") if isinstance(state, dict) else None
    if _profiler is None or not isinstance(number, int) or number < 0:
        report("state", state, '{"cur_step": whole number from 0}, after init', "the counter as it is")
        return
    _profiler.current_step = number
