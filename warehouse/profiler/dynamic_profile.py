"""Windows of recording in a running job: a watched file says when (framework-files.md 6.6).

`init(folder)` once, `step()` every step.  `folder/profiler_config.json` is made with its defaults if it is not there;
when somebody changes it, the next window is planned by it: `start_step` -1 begins at once, a later number when the
counter reaches it.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from warehouse.profiler.experimental_config import _ExperimentalConfig
from warehouse.profiler.handler import tensorboard_trace_handler
from warehouse.profiler.metadata import rank_number
from warehouse.profiler.profile import profile
from warehouse.profiler.schedule import Schedule
from warehouse.profiler.settings import AiCMetrics, ProfilerActivity, logger, report

CONFIG_FILE = "profiler_config.json"
_LARGEST_CONFIG = 1 << 20
AT_ONCE = -1

DEFAULTS: dict[str, Any] = {
    "activities": ["CPU", "NPU"],
    "prof_dir": "./",
    "analyse": False,
    "async_mode": False,
    "record_shapes": False,
    "profile_memory": False,
    "with_stack": False,
    "with_flops": False,
    "with_modules": False,
    "active": 1,
    "warmup": 0,
    "start_step": 0,
    "is_rank": False,
    "rank_list": [],
    "experimental_config": {
        "profiler_level": "Level0",
        "aic_metrics": "AiCoreNone",
        "l2_cache": False,
        "op_attr": False,
        "gc_detect_threshold": None,
        "data_simplification": True,
        "record_op_args": False,
        "export_type": ["text"],
        "msprof_tx": False,
        "mstx": False,
        "host_sys": [],
        "mstx_domain_include": [],
        "mstx_domain_exclude": [],
        "sys_io": False,
        "sys_interconnection": False,
    },
}
_FLAGS = ("record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules")


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
                self._profiler.stop()
                self._profiler = None
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
        config = _read(path or self._path)
        if config is not None and self._profiler is None:
            self._begin(config)

    def _look(self) -> None:
        stamp = self._stamp()
        if stamp is None or stamp == self._seen:
            return
        self._seen = stamp
        config = _read(self._path)
        if config is None:
            return
        if config["is_rank"] and rank_number() not in config["rank_list"]:
            return
        self._planned = config

    def _begin(self, config: dict[str, Any]) -> None:
        self._planned = None
        active, warmup = _count(config, "active", 1, 1), _count(config, "warmup", 0, 0)
        handler = tensorboard_trace_handler(
            config["prof_dir"], analyse_flag=bool(config["analyse"]), async_mode=bool(config["async_mode"])
        )
        self._profiler = profile(
            activities=_activities(config["activities"]),
            schedule=Schedule(wait=0, warmup=warmup, active=active, repeat=1),
            on_trace_ready=handler,
            experimental_config=_experimental(config["experimental_config"]),
            **{name: config[name] for name in _FLAGS},
        )
        metadata = config.get("metadata")
        if isinstance(metadata, dict):
            for key, value in metadata.items():
                self._profiler.add_metadata_json(str(key), json.dumps(value))
        self._profiler.start_at(self.current_step)
        self._left = active + warmup

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


def init(path: str) -> None:
    """Watch `path`/profiler_config.json."""
    global _profiler  # noqa: PLW0603 one watcher a process
    if _profiler is not None:
        logger.warning("dynamic_profile is watching already; init is left out")
        return
    _profiler = DynamicProfiler(Path(path))


def step() -> None:
    """The next step begins; to be called in the training loop."""
    if _profiler is None:
        logger.warning("dynamic_profile.step does nothing before dynamic_profile.init")
        return
    _profiler.step()


def start(config_path: str | None = None) -> None:
    """Begin a window at once, as the given file, or the watched one, describes it."""
    if _profiler is None:
        logger.warning("dynamic_profile.start does nothing before dynamic_profile.init")
        return
    _profiler.start(None if config_path is None else Path(config_path))


def set_state(state: dict[str, Any]) -> None:
    """Set the step counter: {"cur_step": n}."""
    number = state.get("cur_step") if isinstance(state, dict) else None
    if _profiler is None or not isinstance(number, int) or number < 0:
        report("state", state, '{"cur_step": whole number from 0}, after init', "the counter as it is")
        return
    _profiler.current_step = number


def _read(path: Path) -> dict[str, Any] | None:
    """The file over its defaults, or None (logged)."""
    try:
        if path.stat().st_size > _LARGEST_CONFIG:
            raise ValueError("it is larger than 1 MiB")
        given = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(given, dict):
            raise ValueError("it is no JSON object")
    except (OSError, ValueError, RecursionError) as error:
        logger.error("%s: no window is planned: %s", path, error)
        return None
    unknown = sorted(set(given) - set(DEFAULTS) - {"metadata"})
    if unknown:
        logger.warning("%s: %s are no settings and are left out", path, unknown)
    if not isinstance(given.get("start_step", 0), int):
        report("start_step", given["start_step"], "a whole number, or -1 for at once", 0)
        given["start_step"] = 0
    if not isinstance(given.get("rank_list", []), list):
        report("rank_list", given["rank_list"], "a list of ranks", [])
        given["rank_list"] = []
    return {**DEFAULTS, **given}


def _count(config: dict[str, Any], name: str, least: int, default: int) -> int:
    given = config[name]
    if isinstance(given, int) and not isinstance(given, bool) and given >= least:
        return given
    report(name, given, f"a whole number from {least}", default)
    return default


def _activities(given: object) -> list[ProfilerActivity] | None:
    if not isinstance(given, list):
        report("activities", given, 'a list of "CPU" and "NPU"', ["CPU", "NPU"])
        return None
    found = [ProfilerActivity[each] for each in given if each in ProfilerActivity.__members__]
    if len(found) != len(given):
        report("activities", given, 'a list of "CPU" and "NPU"', [each.name for each in found] or ["CPU", "NPU"])
    return found or None


def _experimental(given: object) -> _ExperimentalConfig:
    if not isinstance(given, dict):
        report("experimental_config", given, "an object", "its defaults")
        return _ExperimentalConfig()
    settings = {name: given[name] for name in DEFAULTS["experimental_config"] if name in given}
    metrics = settings.get("aic_metrics")
    if isinstance(metrics, str) and not metrics.startswith("ACL_") and hasattr(AiCMetrics, metrics):
        settings["aic_metrics"] = getattr(AiCMetrics, metrics)
    return _ExperimentalConfig(**settings)
