"""Where exported files go, and how they get there: all at the end, or none.

Files are written beside their place and renamed when every one of them is done, so a full disk or a kill leaves what
was there before.  A list of our files (`.npuwh-export.json`) lies in the output directory: only files on it are
replaced or, where a view has no rows any more, taken away; and they only while they are as they were written, or with
`force`.  Files 0640, directories 0750.  While an export writes, it holds a lock on the output directory, which ends
with the process.

The list is an object whose "files" maps the name of each file, relative to it, to its "size" in bytes and its
"modified_ns"; null stands for a file that was just being replaced.
"""

from __future__ import annotations

import fcntl
import fnmatch
import json
import os
import stat
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path, PurePosixPath
from typing import Any

from warehouse.errors import UsageError, WriteError
from warehouse.profile_folder import profile_at
from warehouse.write_faults import write_fault

LIST_NAME = ".npuwh-export.json"
_GROWING = ".npuwh-tmp"  # end of the name of a file that is not done
_LARGEST_LIST = 64 << 20
_Sign = dict[str, int]


class Placing:
    """The files of one export below the directory `root`; `inputs` are paths that must not be written to.  With `force`
    files of an earlier export are replaced although somebody changed them.

    UsageError: `root` is, holds or lies in a profile.

    >>> with Placing(Path("out"), inputs=[]) as placing:  # doctest: +SKIP
    ...     placing.growing("a_ascend_pt/ASCEND_PROFILER_OUTPUT/task_time.csv").write_bytes(b"...")
    """

    def __init__(self, root: Path, inputs: Iterable[Path], force: bool = False) -> None:
        if (profile := profile_at(root)) is not None:
            raise UsageError(f"{root}: holds or is part of a profile ({profile}): {_ADVICE}")
        self._root = root
        self._force = force
        self._inputs = [Path(os.path.realpath(path)) for path in inputs]
        self._ours = _read_list(root / LIST_NAME)
        self._growing: dict[str, Path] = {}
        self._stale: list[str] = []
        self._made: list[Path] = []
        self._lock: int | None = None

    def __enter__(self) -> Placing:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        try:
            self._finish(kind, error)
        finally:
            if self._lock is not None:
                os.close(self._lock)

    def _finish(self, kind: type[BaseException] | None, error: BaseException | None) -> None:
        if kind is None:
            try:
                self._publish()
            except BaseException as failure:
                self._abandon()
                if isinstance(failure, OSError):
                    raise _write_error(failure, self._root) from failure
                raise
            return
        self._abandon()
        if isinstance(error, OSError) and not isinstance(error, WriteError):
            raise _write_error(error, self._root) from error

    def growing(self, name: str) -> Path:
        """The path to write a file to that will be `name` (relative, with /); its directory is made.

        UsageError: the place lies inside an input, or a file that is not ours is there.  WriteError: another export
        writes to the output directory.
        """
        target = self.check(name)
        if self._lock is None:
            self._claim()
            self.check(name)  # another export may have ended since
        self._make_directory(target.parent)
        path = target.with_name(f".{target.name}{_GROWING}")
        path.unlink(missing_ok=True)
        self._growing[name] = path  # before it is there: an interrupt may come as soon as it is
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o640))
        return path

    def _claim(self) -> None:
        self._make_directory(self._root)
        self._lock = os.open(self._root, os.O_RDONLY | os.O_DIRECTORY)
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            text = f"{self._root}: another export is writing there; wait until it is done, or choose another --to"
            raise WriteError(text) from error
        except OSError:  # a file system without locks
            return
        self._ours = _read_list(self._root / LIST_NAME)

    def ours_like(self, pattern: str | None) -> list[str]:
        """Files of earlier exports whose names match the pattern (fnmatch; None: no file), but those written now."""
        if pattern is None:
            return []
        return [name for name in fnmatch.filter(sorted(self._ours), pattern) if name not in self._growing]

    def drop(self, name: str) -> None:
        """There is nothing to write to `name` after all; an older file of ours of that name will go, too.

        UsageError: somebody changed that file.
        """
        if name in self._ours:
            self._refuse_changed(name)
        if path := self._growing.get(name):
            path.unlink(missing_ok=True)
            del self._growing[name]  # after it is gone: until then an interrupt has to find it
        if name in self._ours:
            self._stale.append(name)

    def check(self, name: str) -> Path:
        """The place of that file; UsageError as `growing`."""
        relative = PurePosixPath(name)
        if relative.is_absolute() or ".." in relative.parts:
            raise UsageError(f"'{name}' is no name below the output directory")
        target = self._root / relative
        real = Path(os.path.realpath(target.parent))
        for path in self._inputs:
            if path == real or path in real.parents:
                raise UsageError(f"{target.parent} is part of an input ({path}): {_ADVICE}")
        if os.path.lexists(target) and name not in self._ours:
            raise UsageError(f"{target} was not made by npuwh export: choose another --to or move it away")
        self._refuse_changed(name)
        return target

    def _refuse_changed(self, name: str) -> None:
        path = self._root / name
        sign = self._ours.get(name)
        if sign and not self._force and os.path.lexists(path) and _sign(path) != sign:
            raise UsageError(
                f"{path} was changed since npuwh exported it: move it away, choose another --to, or give --force"
            )

    def _make_directory(self, directory: Path) -> None:
        missing = []
        while not directory.is_dir():
            if os.path.lexists(directory):
                raise UsageError(f"{directory}: is a file, not a directory to export to; choose another --to")
            missing.append(directory)
            directory = directory.parent
        for each in reversed(missing):
            each.mkdir(mode=0o750)
            self._made.append(each)

    def _publish(self) -> None:
        for path in self._growing.values():
            with path.open("rb+") as file:
                os.fsync(file.fileno())
        if not self._growing and not self._stale:
            self._remove_empty()
            return
        self._make_directory(self._root)
        # before the files, so that none of ours is ever unknown or taken for one that somebody changed
        self._write_list(self._ours | dict.fromkeys(self._growing))
        for name, path in self._growing.items():
            path.replace(self._root / name)
            self._ours[name] = _sign(self._root / name)
        for name in self._stale:
            (self._root / name).unlink(missing_ok=True)
            self._ours.pop(name, None)
        self._write_list(self._ours)
        self._growing.clear()
        self._remove_empty()

    def _write_list(self, files: Mapping[str, _Sign | None]) -> None:
        path = self._root / LIST_NAME
        growing = path.with_name(path.name + _GROWING)
        growing.unlink(missing_ok=True)
        handle = os.open(growing, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o640)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"files": dict(sorted(files.items()))}, file, indent=1)
            file.flush()
            os.fsync(file.fileno())
        growing.replace(path)

    def _abandon(self) -> None:
        for path in self._growing.values():
            with suppress(OSError):
                path.unlink(missing_ok=True)
        with suppress(OSError):
            (self._root / (LIST_NAME + _GROWING)).unlink(missing_ok=True)
        self._remove_empty()

    def _remove_empty(self) -> None:
        for directory in reversed(self._made):
            with suppress(OSError):
                directory.rmdir()


_ADVICE = "inputs are not written to, choose another --to"


def _sign(path: Path) -> _Sign:
    """What tells whether a file is still the one that was written."""
    facts = path.lstat()
    return {"size": facts.st_size, "modified_ns": facts.st_mtime_ns}


def _read_list(path: Path) -> dict[str, _Sign | None]:
    """Names of our files, each as it was when it was written, or None if that is not known (as of older lists)."""
    try:
        facts = path.stat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LARGEST_LIST:
            return {}
        files = json.loads(path.read_text(encoding="utf-8"))["files"]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return {}
    found = files if isinstance(files, dict) else dict.fromkeys(map(str, files)) if isinstance(files, list) else {}
    return {name: _as_sign(told) for name, told in found.items() if _is_below(name)}


def _as_sign(told: Any) -> _Sign | None:
    return told if isinstance(told, dict) and told.keys() == {"size", "modified_ns"} else None


def _is_below(name: str) -> bool:
    return bool(name) and not PurePosixPath(name).is_absolute() and ".." not in PurePosixPath(name).parts


def _write_error(error: OSError, root: Path) -> WriteError:
    return WriteError(f"{error.filename or root}: cannot be written {write_fault(error, '--to')}; nothing was exported")
