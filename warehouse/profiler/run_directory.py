"""Where a recording goes: `<base>/<worker>_<pid>_<time>_ascend_pt` (framework-files.md 1.1)."""

from __future__ import annotations

import os
import shutil
import socket
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from warehouse.profiler.boundary import let_signals_through
from warehouse.profiler.settings import logger, report

CHUNK_FOLDER = "NPUWH_RECORDING"  # in the run directory: chunks and their manifest (readers/raw_files.py)
OUTPUT_FOLDER = "ASCEND_PROFILER_OUTPUT"
EXPORT_ONLY = "export_only_prof_dir"
_LONGEST_WORKER = 225


@dataclass(frozen=True)
class RunPlace:
    """Base folder and worker name that a handler asks for; None: the defaults."""

    folder: str | None = None
    worker: str | None = None
    is_export_only: bool = False

    def base(self) -> Path:
        """The folder that run directories are made in."""
        if self.folder:
            return Path(os.path.realpath(Path(self.folder).expanduser()))
        work_path = os.environ.get("ASCEND_WORK_PATH")
        if work_path:
            return Path(work_path).absolute() / "profiling_data"
        if self.is_export_only:
            return Path.cwd() / EXPORT_ONLY
        return Path.cwd()


_latest = RunPlace()


def set_latest_place(place: RunPlace) -> None:
    """Remember where the handler that was made last puts recordings."""
    global _latest  # noqa: PLW0603 one folder a process, as torch_npu has it
    _latest = place


def latest_place() -> RunPlace:
    """Where recordings go whose `on_trace_ready` is the user's own: to the folder of the handler that was made last,
    which it probably calls, as torch_npu has it; without one, to the current folder."""
    return _latest


def checked_worker(worker: object) -> str | None:
    """A worker name, or None for the host's; wrong ones are reported.

    >>> checked_worker("node0")
    'node0'
    """
    if worker is None:
        return None
    if isinstance(worker, str) and "/" not in worker and "\0" not in worker and 0 < _size(worker) <= _LONGEST_WORKER:
        return worker
    report("worker_name", worker, f"a name of 1 to {_LONGEST_WORKER} bytes without /", socket.gethostname())
    return None


def checked_folder(name: str, folder: object, used: str = "the default folder") -> str | None:
    """A folder that can be named to the system, or None for the default; what cannot is reported with what is `used`.

    >>> checked_folder("dir_name", "result")
    'result'
    """
    if folder is None:
        return None
    try:
        given = folder if isinstance(folder, str) else os.fsdecode(_named(folder))
        if given and "\0" not in given and _size(given) > 0:
            Path(given).expanduser()
            return given
    except (TypeError, ValueError, RuntimeError):
        pass  # RuntimeError: of ~somebody who is not there
    report(name, folder, "a path", used)
    return None


def _named(folder: object) -> str | bytes:
    if not isinstance(folder, os.PathLike):
        raise TypeError(folder)
    found: str | bytes = os.fspath(folder)
    return found


def _size(name: str) -> int:
    """Bytes of a name in a file system; 0 if it cannot be one."""
    try:
        return len(os.fsencode(name))
    except UnicodeEncodeError:
        return 0


def new_run_directory(place: RunPlace) -> Path:
    """Make the directory of the next recording (mode 0750).  OSError if that cannot be done."""
    base = place.base()
    base.mkdir(mode=0o750, parents=True, exist_ok=True)
    worker = place.worker or socket.gethostname()
    while True:
        now_ms = time.time_ns() // 1_000_000
        stamp = time.strftime("%Y%m%d%H%M%S", time.localtime(now_ms // 1000)) + f"{now_ms % 1000:03d}"
        path = base / f"{worker}_{os.getpid()}_{stamp}_ascend_pt"
        try:
            path.mkdir(mode=0o750)
            (path / CHUNK_FOLDER).mkdir(mode=0o750)
            return path
        except FileExistsError:
            time.sleep(0.001)  # another cycle began in this ms
        except BaseException:  # a full disk, a signal
            for each in (path / CHUNK_FOLDER, path):
                with suppress(OSError):  # not made yet
                    each.rmdir()
            raise


def remove_run_directory(path: Path) -> None:
    """Remove a run directory that this process made."""
    try:
        shutil.rmtree(path)
    except OSError as error:
        let_signals_through(error)
        logger.warning("%s: cannot be removed: %s", path, error)
