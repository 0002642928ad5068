"""Where the results of an analysis lie: ASCEND_PROFILER_OUTPUT of a run, which belongs to the user as well.

`.npuwh-results.json` lists what we made, each file with its size and its time of change (null: it was just being put in
place).  Only such files are replaced, and only while they are as we made them; all others stay.
"""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from warehouse.errors import NpuwhError

LIST_NAME = ".npuwh-results.json"
_Sign = dict[str, int]


class OutputFolder:
    """The folder `path`, made if it is not there.  NpuwhError if it is a link.

    >>> OutputFolder(Path("run_ascend_pt/ASCEND_PROFILER_OUTPUT")).path.name
    'ASCEND_PROFILER_OUTPUT'
    """

    def __init__(self, path: Path) -> None:
        if path.is_symlink():
            raise NpuwhError(f"{path}: is a link; what it points at is not touched")
        self.path = path

    def put(self, made: Mapping[str, Path], is_replaced: Any) -> dict[str, str]:
        """Move the files `made` (name -> where it is, on the same disk) in place; ours of earlier times of which
        `is_replaced(name)` is true go if they are not made again.

        What was kept although it was in the way: name -> why.  OSError if it cannot be done.
        """
        self.path.mkdir(mode=0o750, exist_ok=True)
        with _locked(self.path):
            ours = _read_list(self.path / LIST_NAME)
            kept = {name: why for name in made if (why := self._why_kept(name, ours)) is not None}
            stale = [name for name in ours if name not in made and is_replaced(name)]
            for name in stale:
                if (why := self._why_kept(name, ours)) is not None:
                    kept[name] = why
            placed = [name for name in made if name not in kept]
            self._write_list(ours | dict.fromkeys(placed))  # before the files, so that none of ours is ever unknown
            for name in placed:
                made[name].chmod(0o640)
                made[name].replace(self.path / name)
                ours[name] = _sign(self.path / name)
            for name in stale:
                if name not in kept:
                    (self.path / name).unlink(missing_ok=True)
                    del ours[name]
            self._write_list(ours)
        return kept

    def _why_kept(self, name: str, ours: Mapping[str, _Sign | None]) -> str | None:
        target = self.path / name
        if not os.path.lexists(target):
            return None
        if name not in ours:
            return "not made by npuwh"
        sign = ours[name]
        return None if sign is None or sign == _sign(target) else "changed since npuwh made it"

    def _write_list(self, files: Mapping[str, _Sign | None]) -> None:
        part = self.path / f"{LIST_NAME}.part"
        part.unlink(missing_ok=True)
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o640)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            json.dump({"files": dict(sorted(files.items()))}, file, indent=1)
        part.replace(self.path / LIST_NAME)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One analysis after the other; the lock ends with the process."""
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        with suppress(OSError):  # a file system without locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _sign(path: Path) -> _Sign:
    facts = path.lstat()
    return {"size": facts.st_size, "modified_ns": facts.st_mtime_ns}


def _read_list(path: Path) -> dict[str, _Sign | None]:
    try:
        files = json.loads(path.read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    if not isinstance(files, dict):
        return {}
    known = {name: sign for name, sign in files.items() if Path(name).name == name}
    return {name: sign if isinstance(sign, dict) else None for name, sign in known.items()}
