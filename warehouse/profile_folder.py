"""Directories of profiles by the names of what lies in them: nothing is written there (framework-files.md 1,
cann-files.md 1, deliverables.md 0)."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path

FRAMEWORK = "FRAMEWORK"
RECORDING = "NPUWH_RECORDING"  # chunks of our own recorder (batches/chunk_folder.py)
OUTPUT = "ASCEND_PROFILER_OUTPUT"
RUN_SUFFIX = "_ascend_pt"
_PROF = re.compile(r"PROF_\d+_\d+_[0-9a-zA-Z]+")
_OF_PROF = re.compile(r"host|device_\d{1,9}")
_DATABASE = re.compile(r"(ascend_pytorch_profiler(_\d+)?|msprof_\d+|analysis)\.db")


def is_raw_folder(name: str) -> bool:
    """Whether a directory of that name holds raw data.

    >>> is_raw_folder("FRAMEWORK"), is_raw_folder("PROF_000001_20231125090304041_ABCDEFGH"), is_raw_folder("logs")
    (True, True, False)
    """
    return name in (FRAMEWORK, RECORDING) or _PROF.fullmatch(name) is not None


def run_around(place: Path) -> Path | None:
    """The run directory, raw directory or vendor's output directory that `place` is or lies in, whatever part of it
    exists; None if it lies in none.

    Directories that only hold text files, as exports make them, are none.

    >>> run_around(Path("no-such-place"))
    """
    real = Path(os.path.realpath(place))
    return next((folder for folder in (real, *real.parents) if _is_run(folder)), None)


def profile_at(place: Path) -> Path | None:
    """As `run_around`; also `place` itself if databases of a profiler, raw directories or run directories lie directly
    in it.

    >>> profile_at(Path("no-such-place"))
    """
    real = Path(os.path.realpath(place))
    if _holds_databases(real) or _holds_raw(real) or any(_is_run(folder) for folder in _folders(real)):
        return real
    return run_around(real)


def _is_run(folder: Path) -> bool:
    if folder.name == OUTPUT:
        return _holds_databases(folder)
    if _PROF.fullmatch(folder.name):
        return any(_OF_PROF.fullmatch(entry.name) for entry in _folders(folder))
    if folder.name == FRAMEWORK:
        return any(name.startswith("torch.") for name in _names(folder))
    if folder.name == RECORDING:
        return any(".arrows" in name for name in _names(folder))
    if folder.name.endswith(RUN_SUFFIX):
        return _holds_raw(folder) or _holds_databases(folder) or _holds_databases(folder / OUTPUT)
    return _is_run(folder / FRAMEWORK) or _is_run(folder / RECORDING)


def _holds_raw(folder: Path) -> bool:
    return any(is_raw_folder(entry.name) and _is_run(entry) for entry in _folders(folder))


def _holds_databases(folder: Path) -> bool:
    return any(_DATABASE.fullmatch(name) and _is(Path.is_file, folder / name) for name in _names(folder))


def _folders(folder: Path) -> list[Path]:
    known = (RUN_SUFFIX, FRAMEWORK, RECORDING, "host")
    return [
        folder / name
        for name in _names(folder)
        if (name.endswith(known) or name.startswith(("PROF_", "device_"))) and _is(Path.is_dir, folder / name)
    ]


def _is(what: Callable[[Path], bool], path: Path) -> bool:
    try:
        return what(path)
    except OSError:  # nobody knows: it lies where we may not look
        return False


def _names(folder: Path) -> list[str]:
    try:
        return [path.name for path in folder.iterdir()]
    except OSError:
        return []
