"""Where exported files go, and how they get there: all at the end, or none.

Files are written beside their place and renamed when every one of them is done, so a full disk or a kill leaves what
was there before.  A list of our files (`.npuwh-export.json`) lies in the output directory: only files on it are
replaced or, where a view has no rows any more, taken away.  Files 0640, directories 0750.
"""

from __future__ import annotations

import fnmatch
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path, PurePosixPath

from warehouse.errors import UsageError, WriteError

LIST_NAME = ".npuwh-export.json"
_GROWING = ".npuwh-tmp"  # end of the name of a file that is not done


class Placing:
    """The files of one export below the directory `root`; `inputs` are paths that must not be written to.

    >>> with Placing(Path("out"), inputs=[]) as placing:  # doctest: +SKIP
    ...     placing.growing("a_ascend_pt/ASCEND_PROFILER_OUTPUT/task_time.csv").write_bytes(b"...")
    """

    def __init__(self, root: Path, inputs: Iterable[Path]) -> None:
        self._root = root
        self._inputs = [Path(os.path.realpath(path)) for path in inputs]
        self._ours = _read_list(root / LIST_NAME)
        self._growing: dict[str, Path] = {}
        self._stale: list[str] = []
        self._made: list[Path] = []

    def __enter__(self) -> Placing:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
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

        UsageError: the place lies inside an input, or a file that is not ours is there.
        """
        target = self._check(name)
        self._make_directory(target.parent)
        path = target.with_name(f".{target.name}{_GROWING}")
        path.unlink(missing_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o640))
        self._growing[name] = path
        return path

    def ours_like(self, pattern: str | None) -> list[str]:
        """Files of earlier exports whose names match the pattern (fnmatch; None: no file), but those written now."""
        if pattern is None:
            return []
        return [name for name in fnmatch.filter(sorted(self._ours), pattern) if name not in self._growing]

    def drop(self, name: str) -> None:
        """There is nothing to write to `name` after all; an older file of ours of that name will go, too."""
        if path := self._growing.pop(name, None):
            path.unlink(missing_ok=True)
        if name in self._ours:
            self._stale.append(name)

    def _check(self, name: str) -> Path:
        relative = PurePosixPath(name)
        if relative.is_absolute() or ".." in relative.parts:
            raise UsageError(f"'{name}' is no name below the output directory")
        target = self._root / relative
        real = Path(os.path.realpath(target.parent))
        for path in self._inputs:
            if path == real or path in real.parents:
                raise UsageError(
                    f"{target.parent} is part of an input ({path}): inputs are not written to, choose another --to"
                )
        if os.path.lexists(target) and name not in self._ours:
            raise UsageError(f"{target} was not made by npuwh export: choose another --to or move it away")
        return target

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
        kept = self._ours.difference(self._stale)
        self._write_list(self._ours.union(self._growing))  # before the files, so that none of ours is ever unknown
        for name, path in self._growing.items():
            path.replace(self._root / name)
        for name in self._stale:
            (self._root / name).unlink(missing_ok=True)
        if self._stale:
            self._write_list(kept.union(self._growing))
        self._growing.clear()
        self._remove_empty()

    def _write_list(self, names: Iterable[str]) -> None:
        path = self._root / LIST_NAME
        growing = path.with_name(path.name + _GROWING)
        growing.unlink(missing_ok=True)
        handle = os.open(growing, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW, 0o640)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            json.dump({"files": sorted(names)}, file, indent=1)
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


def _read_list(path: Path) -> set[str]:
    try:
        return {name for name in json.loads(path.read_text(encoding="utf-8"))["files"] if isinstance(name, str)}
    except (OSError, ValueError, KeyError, TypeError):
        return set()


def _write_error(error: OSError, root: Path) -> WriteError:
    return WriteError(f"{error.filename or root}: {error.strerror or error}; nothing was exported")
