"""What ends one input and not the whole ingest: also errors that nobody foresaw, as a fault of npuwh is no reason to
lose the other ranks."""

from __future__ import annotations

import errno
import logging
import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import gettempdir

from warehouse.errors import InputError, NpuwhError, WriteError
from warehouse.readers.input_file import shown

_FULL = (errno.ENOSPC, errno.EDQUOT)
_PACKAGE = Path(__file__).parents[1]
_log = logging.getLogger("npuwh")


@contextmanager
def of_one_input() -> Iterator[None]:
    """Turn what the block raises into an InputError, which costs this input alone; what concerns all of them stays: a
    WriteError (a full temporary disk is one, too), an interrupt.

    >>> with of_one_input():
    ...     [][0]
    Traceback (most recent call last):
    warehouse.errors.InputError: npuwh failed on it: IndexError: list index out of range; this is a fault of npuwh, \
please report it
    """
    try:
        yield
    except (InputError, WriteError):
        raise
    except NpuwhError as error:
        raise InputError(str(error)) from error
    except MemoryError as error:
        text = "memory ran out while it was read; ingest it alone, with fewer --jobs or less --memory"
        raise InputError(text) from error
    except Exception as error:
        if isinstance(error, OSError) and error.errno in _FULL:
            raise no_room(error) from error
        if isinstance(error, OSError) and error.filename is not None:  # a file that is gone, or was closed to us
            name = shown(os.fsdecode(error.filename))
            raise InputError(f"{name}: cannot be read ({error.strerror or error})") from error
        _log.debug("a fault that costs one input", exc_info=True)
        raise InputError(
            f"npuwh failed on it: {_described(error)}; this is a fault of npuwh, please report it"
        ) from error


def no_room(error: OSError) -> WriteError:
    """A full disk under temporary files, told as what it is.

    >>> str(no_room(OSError(28, "No space left on device"))).endswith("set TMPDIR to a larger disk")
    True
    """
    return WriteError(
        f"{gettempdir()}: no room for temporary files ({error.strerror or error}); set TMPDIR to a larger disk"
    )


def _described(error: Exception) -> str:
    """Kind, text and where in npuwh it was raised."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        path = Path(frame.filename)
        if path.is_relative_to(_PACKAGE) and path != Path(__file__):
            return f"{text} ({path.relative_to(_PACKAGE.parent)}:{frame.lineno})"
    return text
