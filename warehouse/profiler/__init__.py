"""A recorder of training and inference on Ascend NPUs with the interface of torch_npu's profiler: change the import,
keep the script.

>>> from warehouse.profiler import ProfilerActivity, profile, schedule
"""

import os

from warehouse.profiler import dynamic_profile, mstx
from warehouse.profiler.experimental_config import (
    _ExperimentalConfig,
    supported_ai_core_metrics,
    supported_export_type,
    supported_profiler_level,
)
from warehouse.profiler.handler import analyse, tensorboard_trace_handler
from warehouse.profiler.profile import _KinetoProfile, profile
from warehouse.profiler.recording_options import DiskLimits, Selection
from warehouse.profiler.schedule import ProfilerAction
from warehouse.profiler.schedule import Schedule as schedule  # noqa: N813 the name that scripts use
from warehouse.profiler.settings import (
    AiCMetrics,
    ExportType,
    HostSystem,
    ProfilerActivity,
    ProfilerLevel,
    supported_activities,
)

__all__ = [
    "AiCMetrics",
    "DiskLimits",
    "ExportType",
    "HostSystem",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerLevel",
    "Selection",
    "_ExperimentalConfig",
    "_KinetoProfile",
    "analyse",
    "dynamic_profile",
    "mstx",
    "profile",
    "schedule",
    "supported_activities",
    "supported_ai_core_metrics",
    "supported_export_type",
    "supported_profiler_level",
    "tensorboard_trace_handler",
]

if _watched := os.environ.get("PROF_CONFIG_PATH"):
    dynamic_profile.watch(_watched)
