"""`npuwh build-torch`: build the observer of torch's operators before it is needed."""

from __future__ import annotations

from warehouse.cli.outcome import telling
from warehouse.errors import UsageError


def build_torch() -> None:
    """Build the observer of torch's operators for the torch that is installed, unless it is there already.

    The first recording does it too, and then takes longer by that.  It takes a C++ compiler ($CXX, else g++ or
    clang++) and some ten seconds, once for each version of torch; $NPUWH_CACHE tells where it is kept.

    Example: npuwh build-torch
    """
    import importlib

    from warehouse.profiler.torch_module import build

    try:
        torch = importlib.import_module("torch")
    except ImportError as error:
        raise UsageError(f"torch cannot be imported here: {error}") from error
    path = build(torch)
    with telling(f"{path} is made"):
        print(path)
