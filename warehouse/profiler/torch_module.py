"""The observer of torch's operators: a module of its own, built against the torch that is installed, on first use."""

from __future__ import annotations

import ctypes
import fcntl
import hashlib
import os
import re
import shutil
import sys
import sysconfig
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import resources
from pathlib import Path
from typing import Any, TextIO

from warehouse import _recorder
from warehouse.profiler.torch_build import FLAGS, MOST_SECONDS, TorchModuleError, compile_observer, sum_of

_BUILT = re.compile(r"observer-([0-9a-f]{64})\.so")


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
    """The observer for this torch, built if it is not whole in the cache; ranks that ask at once wait for the one that
    does.

    TorchModuleError if there is no compiler, it fails, or there is no room for what it makes.
    """
    try:
        return _built(torch)
    except (OSError, ValueError, RuntimeError) as error:  # ValueError, RuntimeError: of paths, and where no home is
        raise TorchModuleError(
            f"operators of torch are not recorded: the observer cannot be built: {error}; "
            "see that $NPUWH_CACHE can be written and $CXX is a compiler, then run `npuwh build-torch`"
        ) from error


def _built(torch: Any) -> Path:
    folder = source_folder()
    kept = cache_folder() / f"torch-{_key(torch, folder)}"
    found = _whole_observer(kept)
    if found is not None:
        return found
    kept.mkdir(mode=0o750, parents=True, exist_ok=True)
    with _building(kept):
        found = _whole_observer(kept)  # by the process that was waited for
        if found is None:
            _remove_damaged(kept)
            found = compile_observer(torch, folder, kept)
        return found


def load(torch: Any) -> ctypes.CDLL:
    """The built observer, connected to this process's recorder.

    TorchModuleError if it cannot be built or does not fit.
    """
    path = build(torch)
    try:
        module = ctypes.CDLL(os.fspath(path))
        module.npuwh_observer_connect.argtypes = [ctypes.c_void_p]
        module.npuwh_observer_add.argtypes = [ctypes.c_int, ctypes.c_int64, ctypes.c_int]
        module.npuwh_observer_add.restype = ctypes.c_uint64
        module.npuwh_watch_threads.restype = ctypes.c_uint64
        module.npuwh_unobserved_threads.argtypes = [ctypes.POINTER(ctypes.c_int64), ctypes.c_int64]
        module.npuwh_unobserved_threads.restype = ctypes.c_int64
        module.npuwh_observer_remove.argtypes = [ctypes.c_uint64]
        module.npuwh_memory_push.argtypes = [ctypes.c_int]
        module.npuwh_filter_modules.argtypes = [ctypes.c_int]
    except (OSError, AttributeError) as error:
        raise TorchModuleError(f"{path}: cannot be loaded: {error}; remove it and try again") from error
    if module.npuwh_observer_connect(_recorder.producer_abi()) != 0:
        raise TorchModuleError(f"{path}: was built for another version of npuwh; remove it and try again")
    return module


def _whole_observer(kept: Path) -> Path | None:
    """The observer in this folder whose bytes are those that were built: of a damaged one, loading it would end the
    process."""
    for path in sorted(kept.glob("observer-*.so")):
        named = _BUILT.fullmatch(path.name)
        try:
            if named is not None and path.is_file() and sum_of(path) == named[1]:
                return path
        except OSError:
            continue
    return None


def _remove_damaged(kept: Path) -> None:
    for path in kept.glob("observer*.so"):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with suppress(OSError):
                path.unlink()


@contextmanager
def _building(kept: Path) -> Iterator[None]:
    """One process at a time builds; those that waited while it failed fail as it did."""
    with (kept / "lock").open("a+", encoding="utf-8", errors="replace") as lock:
        if _lock(lock):
            lock.seek(0)
            if failure := lock.read():
                raise TorchModuleError(failure)
        lock.truncate(0)
        try:
            yield
        except TorchModuleError as error:
            lock.write(str(error))
            raise


def _lock(lock: TextIO) -> bool:
    """Take the lock; whether another process held it meanwhile."""
    deadline = time.monotonic() + MOST_SECONDS + 30  # the other process builds for no longer
    has_waited = False
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return has_waited
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise TorchModuleError(
                    f"operators of torch are not recorded: another process holds {lock.name} and does not end"
                ) from None
            has_waited = True
            time.sleep(0.05)


def _key(torch: Any, folder: Path) -> str:
    """Names one build: torch, its ABI, and our sources."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            digest.update(path.read_bytes())
    digest.update(" ".join(FLAGS).encode())
    abi = int(torch._C._GLIBCXX_USE_CXX11_ABI)
    return f"{torch.__version__}-abi{abi}-{sysconfig.get_platform()}-{digest.hexdigest()[:16]}"
