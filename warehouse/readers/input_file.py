"""Files that others wrote, before anything is known of them: opened without waiting, named so that every text can hold
the name."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from warehouse.errors import InputError

_LONGEST_PATH = 4000


def open_regular(path: Path) -> BinaryIO:
    """The file, open for reading; InputError unless it is a plain file: no device, no pipe, no endless name.

    The kind is asked of what was opened, and opening never waits: a pipe without a writer would hold us forever.
    """
    if len(str(path)) > _LONGEST_PATH:
        raise InputError(f"{shown(path)[:80]}...: the path is too long ({len(str(path))} characters)")
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a device or a pipe may already do something to it
            raise InputError(f"{shown(path)}: is not a regular file")
        number = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            if not stat.S_ISREG(os.fstat(number).st_mode):
                raise InputError(f"{shown(path)}: is not a regular file")
            return os.fdopen(number, "rb")
        except BaseException:
            os.close(number)
            raise
    except (OSError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{shown(path)}: cannot be read ({getattr(error, 'strerror', None) or error})") from error


def check_regular_file(path: Path) -> None:
    """InputError unless `open_regular` can open the file."""
    open_regular(path).close()


def is_regular(path: Path) -> bool:
    """Whether the path leads to a plain file, readable or not."""
    try:
        return stat.S_ISREG(path.stat().st_mode)
    except (OSError, ValueError):
        return False


def size_of(path: Path) -> int | None:
    """Bytes of a plain file, readable or not; None for what is none, or is gone.

    >>> size_of(Path("/dev/null")), size_of(Path("no-such-file"))
    (None, None)
    """
    try:
        facts = path.stat()
    except (OSError, ValueError):
        return None
    return facts.st_size if stat.S_ISREG(facts.st_mode) else None


def is_readable(path: Path) -> bool:
    """Whether the path leads to a plain file that we may read."""
    return is_regular(path) and os.access(path, os.R_OK, effective_ids=os.access in os.supports_effective_ids)


def why_unreadable(path: Path, is_folder: bool = False) -> str:
    """What keeps us from reading a file, or a directory: it is none, leads nowhere, or is not ours to read.

    >>> why_unreadable(Path("/dev/null")), why_unreadable(Path("no-such-file"))
    ('it is not a regular file', 'it leads nowhere')
    """
    what = "directory" if is_folder else "regular file"
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return "it leads nowhere"
    except (OSError, ValueError) as error:
        return f"it cannot be read ({getattr(error, 'strerror', None) or error})"
    if stat.S_ISDIR(mode) if is_folder else stat.S_ISREG(mode):
        return "it cannot be read (Permission denied)"
    return f"it is not a {what}"


def resolved(path: Path) -> Path:
    """`path.resolve()`; for a link that leads to itself the place of the link."""
    try:
        return path.resolve()
    except (OSError, RuntimeError):  # which of them depends on the version of Python
        return path.parent.resolve() / path.name


def shown(path: Path | str) -> str:
    r"""The path as text that can be printed and stored: bytes that are not UTF-8 as `\xff`, so names stay different.

    >>> shown(os.fsdecode(b"r\xff_ascend_pt")), shown("run")
    ('r\\xff_ascend_pt', 'run')
    """
    text = str(path)
    try:
        text.encode()
    except UnicodeEncodeError:
        return os.fsencode(text).decode("utf-8", "backslashreplace")
    return text


def repaired(text: str) -> str:
    r"""The text with U+FFFD for what has no form in UTF-8: halves of surrogate pairs, which JSON may hold.

    >>> repaired("a\udc00b") == "a\ufffdb"
    True
    """
    return text if text.isascii() else text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
