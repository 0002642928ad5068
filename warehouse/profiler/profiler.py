"""Where torch_npu keeps `analyse`: `from torch_npu.profiler.profiler import analyse` needs only its import changed."""

from warehouse.profiler.handler import analyse, tensorboard_trace_handler
from warehouse.profiler.profile import _KinetoProfile, profile

__all__ = ["_KinetoProfile", "analyse", "profile", "tensorboard_trace_handler"]
