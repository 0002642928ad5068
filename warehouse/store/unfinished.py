"""What an ingest that was killed leaves beside the place of its warehouse: `<name>.tmp` and, if it had only begun,
`<name>.tmp-tables`.  The lock of the first ends with its process, so it never has to be taken for stale."""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from warehouse.store.version import APPLICATION_ID

GROWING, TABLES = ".tmp", ".tmp-tables"
_HEADER_BYTES, _MARK = 100, slice(68, 72)  # of a SQLite file, and where its application id stands


def growing_name(path: Path) -> Path:
    """Under which name a warehouse grows.

    >>> growing_name(Path("W.db")).name
    'W.db.tmp'
    """
    return path.with_name(path.name + GROWING)


def is_unfinished(handle: int) -> bool:
    """Whether the open file is what one of our ingests left, or is empty; anything else is somebody else's."""
    header = os.pread(handle, _HEADER_BYTES, 0)
    is_marked = len(header) == _HEADER_BYTES and int.from_bytes(header[_MARK], "big") == APPLICATION_ID
    return is_marked or not any(header)


def left_beside(path: Path) -> str:
    """What lies beside a warehouse, or its place, and why; empty if nothing.

    >>> left_beside(Path("no-such-place/W.db"))
    ''
    """
    left = [path.with_name(path.name + end) for end in (GROWING, TABLES)]
    left = [each for each in left if each.is_file() and not each.is_symlink()]
    if not left:
        return ""
    if _is_locked(left[0]):
        return f"{left[0].name} beside it is locked: an ingest is making it right now"
    names = " and ".join(each.name for each in left)
    again = "" if path.exists() else "ingest again, or "  # which would take its place
    return f"{names} beside it: left by an ingest that was killed; {again}delete it"


def _is_locked(path: Path) -> bool:
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:  # a file system without locks
        return False
    finally:
        os.close(handle)
    return False
