"""The observer of torch's operators: a module of its own, built against the torch that is installed, on first use."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from importlib import resources
from pathlib import Path
from typing import Any

from warehouse import _recorder
from warehouse.errors import NpuwhError

_SOURCES = ("observer.cpp", "memory_state.cpp", "module_filter.cpp")
# NDEBUG as in torch itself: RecordFunction has one more field without it
_FLAGS = ("-std=c++17", "-O2", "-DNDEBUG", "-fPIC", "-fvisibility=hidden")


class TorchModuleError(NpuwhError):
    """The observer cannot be built or loaded; the message says what to do."""


def source_folder() -> Path:
    """The observer's sources: in the package, or beside it in a checkout."""
    installed = Path(str(resources.files("warehouse") / "torch_source"))
    if installed.is_dir():
        return installed
    for entry in sys.path:
        candidate = Path(entry) / "warehouse" / "torch_source"
        if candidate.is_dir():
            return candidate
    raise TorchModuleError("the sources of the torch observer are not in this installation; install npuwh again")


def cache_folder() -> Path:
    """Where built observers are kept: $NPUWH_CACHE, else the user's cache folder."""
    given = os.environ.get("NPUWH_CACHE")
    if given:
        return Path(given)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "npuwh"


def build(torch: Any) -> Path:
    """The observer for this torch, built if it is not in the cache; ranks that ask at once wait for the one that does.

    TorchModuleError if there is no compiler, or it fails.
    """
    folder = source_folder()
    target = cache_folder() / f"torch-{_key(torch, folder)}" / "observer.so"
    if target.exists():
        return target
    target.parent.mkdir(mode=0o750, parents=True, exist_ok=True)
    with (target.parent / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not target.exists():
            _compile(torch, folder, target)
    return target


def load(torch: Any) -> ctypes.CDLL:
    """The built observer, connected to this process's recorder.

    TorchModuleError if it cannot be built or does not fit.
    """
    try:
        path = build(torch)
    except OSError as error:
        raise TorchModuleError(
            f"operators of torch are not recorded: the observer cannot be built: {error}; "
            "see that $NPUWH_CACHE can be written and $CXX is a compiler, then run `npuwh build-torch`"
        ) from error
    try:
        module = ctypes.CDLL(str(path))
    except OSError as error:
        raise TorchModuleError(f"{path}: cannot be loaded: {error}; remove it and try again") from error
    module.npuwh_observer_connect.argtypes = [ctypes.c_void_p]
    module.npuwh_observer_add.argtypes = [ctypes.c_int, ctypes.c_int64]
    module.npuwh_observer_add.restype = ctypes.c_uint64
    module.npuwh_watch_threads.restype = ctypes.c_uint64
    module.npuwh_unobserved_threads.argtypes = [ctypes.POINTER(ctypes.c_int64), ctypes.c_int64]
    module.npuwh_unobserved_threads.restype = ctypes.c_int64
    module.npuwh_observer_remove.argtypes = [ctypes.c_uint64]
    module.npuwh_filter_modules.argtypes = [ctypes.c_int]
    if module.npuwh_observer_connect(_recorder.producer_abi()) != 0:
        raise TorchModuleError(f"{path}: was built for another version of npuwh; remove it and try again")
    return module


def _key(torch: Any, folder: Path) -> str:
    """Names one build: torch, its ABI, and our sources."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    digest.update(" ".join(_FLAGS).encode())
    abi = int(torch._C._GLIBCXX_USE_CXX11_ABI)
    return f"{torch.__version__}-abi{abi}-{sysconfig.get_platform()}-{digest.hexdigest()[:16]}"


def _compile(torch: Any, folder: Path, target: Path) -> None:
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++") or shutil.which("clang++")
    if compiler is None:
        raise TorchModuleError(
            "operators of torch are not recorded: there is no C++ compiler to build the observer with; "
            "install g++ (or set CXX) and run `npuwh build-torch`"
        )
    root = Path(torch.__file__).parent
    includes = [f"-I{folder}", f"-isystem{root / 'include'}", f"-isystem{root / 'include/torch/csrc/api/include'}"]
    abi = f"-D_GLIBCXX_USE_CXX11_ABI={int(torch._C._GLIBCXX_USE_CXX11_ABI)}"
    with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
        running = []
        objects = []
        for name in _SOURCES:
            objects.append(Path(scratch) / f"{name}.o")
            command = [compiler, *_FLAGS, abi, *includes, "-c", str(folder / "torch" / name), "-o", str(objects[-1])]
            running.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True))
        for process in running:
            output = process.communicate()[0]
            if process.returncode != 0:
                raise TorchModuleError(f"the torch observer does not compile with {compiler}: {_last_line(output)}")
        made = Path(scratch) / "observer.so"
        link = [compiler, "-shared", "-o", str(made), *map(str, objects), f"-L{root / 'lib'}", "-ltorch_cpu", "-lc10"]
        linked = subprocess.run(link, capture_output=True, text=True, check=False)
        if linked.returncode != 0:
            raise TorchModuleError(f"the torch observer does not link: {_last_line(linked.stderr)}")
        made.replace(target)


def _last_line(output: str) -> str:
    errors = [line for line in output.splitlines() if "error" in line]
    return (errors or output.splitlines() or ["no output"])[0][:300]
