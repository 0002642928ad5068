"""What an operator of torch costs more while it is observed: by nobody else, by us, by torch.profiler."""

from __future__ import annotations

import argparse
import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.bench.cost import Figure, Observer, costs
from warehouse.profiler import ProfilerActivity, profile

_CALLS = 20_000
_MOST_NS = 150.0
_MODES: dict[str, dict[str, bool]] = {
    "ranges": {},
    "shapes": {"record_shapes": True},
    "stack": {"with_stack": True},
    "memory": {"profile_memory": True},
    "shapes, stack, modules and memory": {
        "record_shapes": True, "with_stack": True, "with_modules": True, "profile_memory": True,
    },
}  # fmt: skip


def figures(options: argparse.Namespace, folder: Path) -> Iterator[Figure]:
    """ns an operator in each mode, and the ratio to torch.profiler's."""
    try:
        import torch
    except ImportError:
        print("ops: left out, there is no torch here", file=sys.stderr)
        return
    os.environ["ASCEND_WORK_PATH"] = str(folder)
    torch.set_num_threads(1)
    value = torch.ones(1)
    negate = value.neg_

    def work() -> None:
        for _ in range(_CALLS):
            negate()  # one operator

    observers: dict[str, Observer] = {"an empty callback": _empty_callback(torch, folder)}
    for mode, arguments in _MODES.items():
        observers[f"npuwh: {mode}"] = _ours(arguments)
        observers[f"torch.profiler: {mode}"] = _theirs(torch, arguments)
    found = costs(work, observers, _CALLS, options.rounds)
    yield Figure("operator: an empty callback", found["an empty callback"], "ns")
    for mode in _MODES:
        own, other = found[f"npuwh: {mode}"], found[f"torch.profiler: {mode}"]
        yield Figure(f"operator, {mode}: npuwh", own, "ns", _MOST_NS if mode == "ranges" else None)
        yield Figure(f"operator, {mode}: torch.profiler", other, "ns")
        yield Figure(f"operator, {mode}: npuwh / torch.profiler", 100 * own / other, "%", 100.0)


def _ours(arguments: dict[str, bool]) -> Observer:
    @contextmanager
    def observe() -> Iterator[None]:
        ours = profile(activities=[ProfilerActivity.CPU], **arguments)  # type: ignore[arg-type]
        ours.start()
        yield
        ours.stop()

    return observe


def _theirs(torch: Any, arguments: dict[str, bool]) -> Observer:
    @contextmanager
    def observe() -> Iterator[None]:
        theirs = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], **arguments)
        theirs.start()
        yield
        theirs.stop()

    return observe


def _empty_callback(torch: Any, folder: Path) -> Observer:
    """Built as the observer is."""
    root, built = Path(torch.__file__).parent, folder / "empty_callback.so"
    command = [os.environ.get("CXX", "c++"), "-std=c++17", "-O2", "-DNDEBUG", "-fPIC", "-shared", "-w"]
    command += [f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}", f"-isystem{root / 'include'}"]
    command += [str(Path(__file__).with_name("empty_callback.cpp")), "-o", str(built)]
    subprocess.run([*command, f"-L{root / 'lib'}", "-ltorch_cpu", "-lc10"], check=True)
    library = ctypes.CDLL(str(built))
    library.add_empty.restype = ctypes.c_uint64
    library.remove_empty.argtypes = [ctypes.c_uint64]
    add: Callable[[], int] = library.add_empty

    @contextmanager
    def observe() -> Iterator[None]:
        handle = add()
        yield
        library.remove_empty(handle)

    return observe
