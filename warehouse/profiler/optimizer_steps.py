"""Steps of a program that does not tell them: one ends with each step of an optimizer of torch (framework-files.md
6.6).

Of several optimizers the one that was made last counts, so that a job with two of them, as adversarial networks have,
has one step a round.
"""

from __future__ import annotations

import functools
import gc
import importlib
import sys
import threading
import weakref
from collections.abc import Callable
from typing import Any

from warehouse import _recorder
from warehouse.profiler.own_frames import calls_program
from warehouse.profiler.settings import logger
from warehouse.profiler.torch_arrival import TorchArrival


class OptimizerSteps:
    """Calls `on_step` behind each step of the optimizer that was made last, also if torch is imported later.

    What `on_step` raises is logged: the training goes on.

    >>> steps = OptimizerSteps(lambda: None)
    >>> steps.begin(); steps.end()
    """

    def __init__(self, on_step: Callable[[], None]) -> None:
        self._on_step = on_step
        self._arrival = TorchArrival(_watch_optimizers)

    def begin(self) -> None:
        """Watch from now on."""
        _listeners.append(self)
        if "torch" in sys.modules:
            _watch_optimizers()
        else:
            self._arrival.begin()

    def end(self) -> None:
        """Watch no more."""
        self._arrival.end()
        if self in _listeners:
            _listeners.remove(self)

    def tell(self) -> None:
        """A step is over."""
        try:
            self._on_step()
        except Exception as error:
            logger.error("a step of the optimizer is not counted: %s", error)


_listeners: list[OptimizerSteps] = []
_latest: weakref.ref[Any] | None = None
_local = threading.local()
_MARK = "_npuwh_counts_steps"


def _watch_optimizers() -> None:
    """Optimizers made from now on are seen when they are made, those that are there already are looked up once."""
    try:
        Optimizer: Any = importlib.import_module("torch.optim").Optimizer  # noqa: N806 a class
    except (ImportError, AttributeError) as error:  # torch is half imported: somebody imports us from inside of it
        logger.warning("steps are not counted: torch.optim cannot be had: %s", error)
        return
    if hasattr(Optimizer, _MARK):
        return
    setattr(Optimizer, _MARK, True)
    make = Optimizer.__init__

    @functools.wraps(make)
    @calls_program
    def made(optimizer: Any, *args: Any, **kwargs: Any) -> None:
        make(optimizer, *args, **kwargs)
        _counted(optimizer)

    Optimizer.__init__ = made
    for each in _recorder.instances_of(gc.get_objects(), Optimizer):
        _counted(each)


def _counted(optimizer: Any) -> None:
    """From now on its steps are seen, and it is the one that was made last."""
    global _latest  # noqa: PLW0603 one training a process
    _latest = weakref.ref(optimizer)
    # torch's range around a step is inside: the step of the job ends behind it.  Schedulers of learning rates put a
    # function of their own into the object, and call the class's as it was then.
    owner = optimizer if "step" in vars(optimizer) else type(optimizer)
    step = owner.step
    if hasattr(step, _MARK):
        return
    counted = _telling(step) if owner is not optimizer else _telling_of(optimizer, step)
    setattr(counted, _MARK, True)
    owner.step = counted


def _telling(step: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(step)
    @calls_program
    def counted(optimizer: Any, *args: Any, **kwargs: Any) -> Any:
        return _call(optimizer, lambda: step(optimizer, *args, **kwargs))

    return counted


def _telling_of(optimizer: Any, step: Callable[..., Any]) -> Callable[..., Any]:
    known = weakref.ref(optimizer)

    @functools.wraps(step)
    @calls_program
    def counted(*args: Any, **kwargs: Any) -> Any:
        return _call(known(), lambda: step(*args, **kwargs))

    return counted


@calls_program
def _call(optimizer: Any, step: Callable[[], Any]) -> Any:
    global _latest  # noqa: PLW0603
    if getattr(_local, "is_inside", False):  # a step that calls that of its base class is one step
        return step()
    _local.is_inside = True
    try:
        result = step()
    finally:
        _local.is_inside = False
    if _latest is None or _latest() is None:  # the one that was made last is gone
        _latest = weakref.ref(optimizer)
    if _latest() is optimizer:
        for each in _listeners.copy():
            each.tell()
    return result
