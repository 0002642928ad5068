"""The file that dynamic_profile watches: what may stand in it, and what becomes of what may not (framework-files.md
6.6)."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any, TypeVar

from warehouse.profiler.experimental_config import _ExperimentalConfig
from warehouse.profiler.handler import tensorboard_trace_handler
from warehouse.profiler.profile import profile
from warehouse.profiler.recording_options import DiskLimits, Selection
from warehouse.profiler.schedule import Schedule
from warehouse.profiler.settings import AiCMetrics, ProfilerActivity, checked_count, checked_flag, logger, report

CONFIG_FILE = "profiler_config.json"
_LARGEST_CONFIG = 1 << 20
AT_ONCE = -1

_FLAGS = ("record_shapes", "profile_memory", "with_stack", "with_flops", "with_modules")


def _fields(options: DiskLimits | Selection) -> dict[str, Any]:
    found = dataclasses.asdict(options)
    return {name: list(value) if isinstance(value, tuple) else value for name, value in found.items()}


# selection and disk_limits are ours, the others torch_npu's
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
    "selection": _fields(Selection()),
    "disk_limits": _fields(DiskLimits()),
}


def read_config(path: Path) -> dict[str, Any] | None:
    """The file over its defaults: names and types of everything outside of the objects are right.  None (logged) if it
    cannot be read; a line for each key that is none, and each value that is not allowed."""
    try:
        if path.stat().st_size > _LARGEST_CONFIG:
            raise ValueError("it is larger than 1 MiB")
        given = json.loads(path.read_text(encoding="utf-8"))
        if not isinstance(given, dict):
            raise ValueError("it is no JSON object")
    except (OSError, ValueError, RecursionError) as error:
        logger.error("%s: no window is planned: %s", path, error)
        return None
    metadata = given.pop("metadata", {})
    if not isinstance(metadata, dict):
        report("metadata", metadata, "an object", {})
        metadata = {}
    config = _known("", given, DEFAULTS)
    for name in (*_FLAGS, "analyse", "async_mode", "is_rank"):
        config[name] = checked_flag(name, config[name])
    config["active"] = checked_count("active", config["active"], least=1)
    config["warmup"] = checked_count("warmup", config["warmup"])
    if not _is_number(config["start_step"]) or config["start_step"] < AT_ONCE:
        report("start_step", config["start_step"], "a whole number, or -1 for at once", 0)
        config["start_step"] = 0
    ranks = config["rank_list"]
    if not (isinstance(ranks, list) and all(_is_number(rank) for rank in ranks)):
        report("rank_list", ranks, "a list of ranks", [])
        config["rank_list"] = []
    return {**config, "metadata": metadata}


def profiler_of(config: dict[str, Any]) -> profile:
    """The profiler of one window, of what `read_config` gave."""
    handler = tensorboard_trace_handler(
        config["prof_dir"], analyse_flag=config["analyse"], async_mode=config["async_mode"]
    )
    profiler = profile(
        activities=_activities(config["activities"]),
        schedule=Schedule(wait=0, warmup=config["warmup"], active=config["active"], repeat=1),
        on_trace_ready=handler,
        experimental_config=_experimental(config["experimental_config"]),
        selection=_options("selection", config["selection"], Selection),
        disk_limits=_options("disk_limits", config["disk_limits"], DiskLimits),
        **{name: config[name] for name in _FLAGS},
    )
    for name, value in config["metadata"].items():
        profiler.add_metadata_json(name, json.dumps(value))
    return profiler


def _known(place: str, given: dict[str, Any], known: dict[str, Any]) -> dict[str, Any]:
    """What is given over what is known; a line for each key that is not."""
    for name in sorted(set(given) - set(known)):
        logger.warning("%s%s is no setting and is left out; there are: %s", place, name, ", ".join(known))
    return {name: given.get(name, value) for name, value in known.items()}


def _object(name: str, given: object) -> dict[str, Any]:
    if not isinstance(given, dict):
        report(name, given, "an object", "its defaults")
        given = {}
    return _known(f"{name}.", given, DEFAULTS[name])


_Options = TypeVar("_Options", DiskLimits, Selection)


def _options(name: str, given: object, kind: type[_Options]) -> _Options:
    return kind(**_object(name, given))


def _experimental(given: object) -> _ExperimentalConfig:
    settings = _object("experimental_config", given)
    metrics = settings["aic_metrics"]
    if isinstance(metrics, str) and not metrics.startswith(("ACL_", "_")) and hasattr(AiCMetrics, metrics):
        settings["aic_metrics"] = getattr(AiCMetrics, metrics)
    return _ExperimentalConfig(**settings)


def _activities(given: object) -> list[ProfilerActivity] | None:
    if not isinstance(given, list):
        report("activities", given, 'a list of "CPU" and "NPU"', ["CPU", "NPU"])
        return None
    found = [activity for activity in ProfilerActivity if activity.name in given]
    if not all(isinstance(each, str) and each in ProfilerActivity.__members__ for each in given):
        report("activities", given, 'a list of "CPU" and "NPU"', [each.name for each in found] or ["CPU", "NPU"])
    return found or None


def _is_number(given: object) -> bool:
    return isinstance(given, int) and not isinstance(given, bool)
