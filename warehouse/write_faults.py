"""Why something could not be written, and what to do about it."""

from __future__ import annotations

import errno
import os
import resource
from pathlib import Path

_FORBIDDEN = (errno.EACCES, errno.EPERM, errno.EROFS)
_FULL = (errno.ENOSPC, errno.EDQUOT)
_VAGUE = ("disk I/O error", "database or disk is full")  # of SQLite, whatever the system said


def write_fault(error: Exception, option: str, place: Path | None = None) -> str:
    """The reason in brackets, and advice; `option` is how another place is given, `place` a file that was there before.

    >>> write_fault(OSError(errno.ENOSPC, "No space left on device"), "-o")
    '(No space left on device); free space on that disk, or give another place with -o'
    >>> write_fault(OSError(errno.EACCES, "Permission denied"), "--to")
    '(Permission denied); you may not write there: give another place with --to, or have the permission changed'
    """
    number = error.errno if isinstance(error, OSError) else None
    reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
    limit = resource.getrlimit(resource.RLIMIT_FSIZE)[0]
    if number == errno.EFBIG or reason in _VAGUE:
        if limit != resource.RLIM_INFINITY:
            return f"({reason}); no file may have more than {limit:,} bytes here: raise that limit (ulimit -f)"
        if number == errno.EFBIG:
            return f"({reason}); the file system takes none of that size: give another place with {option}"
    if number in _FORBIDDEN or "readonly" in reason:
        return f"({reason}); you may not write there: give another place with {option}, or have the permission changed"
    if place is not None and number not in _FULL and (found := _read_only(place)):
        return f"({reason}); {found}: give another place with {option}, or have the permission changed"
    if number in _FULL or reason in _VAGUE:
        return f"({reason}); free space on that disk, or give another place with {option}"
    return f"({reason}); give another place with {option}"


def _read_only(place: Path) -> str:
    """Why the file cannot be changed as far as permissions go; SQLite does not always say so."""
    if place.exists() and not os.access(place, os.W_OK):
        return "that file is read-only"
    folder = place.resolve().parent
    return "" if not folder.is_dir() or os.access(folder, os.W_OK) else "the directory of that file is read-only"
