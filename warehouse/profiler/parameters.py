"""Parameters of modules and what optimizers keep for them: which storages they are, for the memory timeline.

Taken when a recording ends, from the objects that are alive then, so that nothing of it happens in the training loop.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Iterator
from typing import Any

from warehouse import _recorder
from warehouse.profiler.boundary import let_signals_through
from warehouse.profiler.settings import logger

_LONGEST = 4096  # parameters in one record


def record_parameters() -> None:
    """Record them.  Trouble is logged, never raised."""
    torch = sys.modules.get("torch")
    if torch is None:
        return
    try:
        alive = gc.get_objects()
        for each in _recorder.instances_of(alive, torch.nn.Module):
            _record(id(each), list(_of_module(each)), is_optimizer=False)
        for each in _recorder.instances_of(alive, torch.optim.Optimizer):
            _record(id(each), list(_of_optimizer(each, torch)), is_optimizer=True)
    except Exception as error:
        let_signals_through(error)
        logger.warning("parameters are not recorded, so that the memory timeline has to guess them: %s", error)


def _of_module(module: Any) -> Iterator[dict[str, Any]]:
    for name, tensor in module._parameters.items():
        if tensor is not None:
            yield {"name": name, "tensor": _place(tensor), "grad": _place(tensor.grad)}


def _of_optimizer(optimizer: Any, torch: Any) -> Iterator[dict[str, Any]]:
    for group in optimizer.param_groups:
        for tensor in group.get("params", ()):
            state = optimizer.state.get(tensor) or {}
            kept = [_place(value) for value in state.values() if isinstance(value, torch.Tensor)]
            yield {"tensor": _place(tensor), "grad": _place(tensor.grad), "state": kept}


def _place(tensor: Any) -> list[Any] | None:
    """[storage, bytes of an element, type and index of the device, sizes]; None for what has no storage."""
    if tensor is None or tensor.layout != sys.modules["torch"].strided:
        return None
    size = tensor.element_size()
    try:
        storage = tensor.data_ptr()  # less work than to ask for the storage, of which this is a part
        storage -= size * tensor.storage_offset() if storage else 0
    except (RuntimeError, NotImplementedError):  # of a subclass that only stands for others
        return None
    device = tensor.device
    index = device.index
    return [storage, size, 0 if device.type == "cpu" else 20, -1 if index is None else index, list(tensor.shape)]


def _record(key: int, found: list[dict[str, Any]], is_optimizer: bool) -> None:
    for first in range(0, len(found), _LONGEST):
        _recorder.parameter(key, json.dumps(found[first : first + _LONGEST]), is_optimizer)
