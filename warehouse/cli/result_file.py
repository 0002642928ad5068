"""A result written to a file of the user's: complete or not at all, and never over something that must stay."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from warehouse import store
from warehouse.errors import NpuwhError, UsageError, WriteError
from warehouse.plain_rows import PlainWarehouse
from warehouse.profile_folder import run_around
from warehouse.write_faults import write_fault

_SQLITE = b"SQLite format 3\0"
_BESIDE = ("-wal", "-shm", "-journal")  # what SQLite keeps beside a database


def check_target(target: Path, opened: PlainWarehouse, force: bool = False) -> None:
    """UsageError if `target` is the warehouse, lies in one of its inputs or another profile, or is any SQLite database;
    or any file that is there, but with `force`.

    Example: `check_target(Path("rows.csv"), opened)`
    """
    kept = [opened.path, *(opened.path.with_name(opened.path.name + end) for end in _BESIDE)]
    inputs = [Path(path) for table in ("source", "rank") for path in _paths(opened, table)]
    if any(_same(target, path) for path in kept + inputs) or any(_lies_in(target, path) for path in inputs):
        raise UsageError(f"{target}: is the warehouse, or lies in one of its inputs; give another -o")
    if around := run_around(target.parent):
        raise UsageError(f"{target}: lies in the profile {around}, and profiles are never written to; give another -o")
    if target.is_symlink() and _leads_to_itself(target):
        raise UsageError(f"{target}: is a symbolic link that leads to itself; give another -o")
    if target.is_dir():
        raise UsageError(f"{target}: is a directory; give a file name with -o")
    if target.exists() and not target.is_file():
        return  # a device or a pipe
    if target.is_file():
        with target.open("rb") as file:
            if file.read(len(_SQLITE)) == _SQLITE:
                raise UsageError(f"{target}: is a SQLite database and is not overwritten; give another -o")
        if not force:
            raise UsageError(f"{target}: is there already; give another -o, or replace it with --force")


@contextmanager
def replacing(target: Path) -> Iterator[IO[bytes]]:
    """A file that takes the place of `target` when the block ends well, and leaves nothing if it does not."""
    if target.exists() and not target.is_file():
        try:
            with target.open("wb") as file:
                yield file
        except BrokenPipeError:
            raise
        except OSError as error:
            if isinstance(error, NpuwhError):
                raise
            raise WriteError(
                f"{target}: cannot be written ({error.strerror or error}); what it took is incomplete"
            ) from error
        return
    target = Path(os.path.realpath(target))
    growing = target.with_name(f"{target.name}.{os.getpid()}.tmp")
    try:
        handle = os.open(growing, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o640)
    except OSError as error:
        raise WriteError(f"{target}: cannot be made {write_fault(error, '-o')}") from error
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        growing.replace(target)
    except OSError as error:
        growing.unlink(missing_ok=True)
        if isinstance(error, NpuwhError):
            raise
        raise WriteError(f"{target}: cannot be written {write_fault(error, '-o')}; nothing was made") from error
    except BaseException:
        growing.unlink(missing_ok=True)
        raise


def _paths(opened: PlainWarehouse, table: str) -> list[str]:
    return [path for rows in opened.rows(*store.select(table, ["path"])) for (path,) in rows]


def _leads_to_itself(link: Path) -> bool:
    try:
        link.stat()
    except OSError as error:
        return error.errno == errno.ELOOP
    return False


def _lies_in(target: Path, directory: Path) -> bool:
    try:
        return directory.is_dir() and target.resolve().is_relative_to(directory.resolve())
    except (OSError, RuntimeError, ValueError):  # a link to itself, in some versions of Python; no path has a NUL in it
        return False


def _same(one: Path, other: Path) -> bool:
    try:
        return one.resolve() == other.resolve() or one.samefile(other)
    except (OSError, RuntimeError, ValueError):
        return False
