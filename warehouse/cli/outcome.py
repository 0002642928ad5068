"""How a command ends: exit codes, and errors as one line on stderr."""

from __future__ import annotations

import errno
import functools
import logging
import os
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import IO, Any

import typer

from warehouse import store
from warehouse.cli import INTERRUPTED
from warehouse.errors import NpuwhError, UntoldError

FINE, FINDINGS, WRONG = 0, 1, 2
EXIT_CODES = {
    FINE: "fine",
    FINDINGS: "findings (check), some inputs of several failed while the rest loaded, or all is made but standard "
    "output did not take what tells of it",
    WRONG: "wrong usage or input, nothing made",
    INTERRUPTED: "interrupted",
}


# SQLAlchemy logs what an interrupt does to its connections; the line that we say is enough
logging.getLogger("sqlalchemy").addHandler(logging.NullHandler())


def say(message: object) -> None:
    """One line on stderr; line breaks and control characters in names cannot make it more."""
    print(f"npuwh: {one_line(str(message))}", file=sys.stderr)


def one_line(text: str) -> str:
    r"""Control characters made visible.

    >>> one_line("a\nb\x1b[31m")
    'a\\nb\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


@contextmanager
def telling(made: str) -> Iterator[None]:
    """What the block prints tells of work that is done: UntoldError with `made` if it cannot be printed.

    Example: `with telling("W.db was made"): print("made W.db")`
    """
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        give_up(sys.stdout)
        if isinstance(error, NpuwhError):
            raise
        raise UntoldError(f"standard output: {error.strerror or error}; {made} nonetheless") from error


def give_up(standard: IO[Any]) -> None:
    """Keep Python from writing the rest once more when it ends."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), standard.fileno())


def reporting(verb: Callable[..., int | None]) -> Callable[..., None]:
    """The verb with its errors told and turned into the exit code it returns or raises."""

    @functools.wraps(verb)
    def run(*arguments: Any, **options: Any) -> None:
        raise typer.Exit(_run(verb, arguments, options))

    return run


def _run(verb: Callable[..., int | None], arguments: tuple[Any, ...], options: dict[str, Any]) -> int:
    try:
        code = verb(*arguments, **options) or FINE
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED  # told by main
    except BrokenPipeError:
        # the reader of our output has seen enough; keep Python from complaining when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except NpuwhError as error:
        say(error)
        return error.exit_code
    except Exception as error:
        if not (found := _outside_fault(error, options.get("warehouse"))):
            raise
        say(found)
        return WRONG
    return code


def _outside_fault(error: Exception, warehouse: Path | None) -> str:
    """What to say of an error that no room foresaw: of the system, of SQLite, or because the warehouse that is read is
    damaged; nothing if it is a fault of npuwh itself."""
    if isinstance(error, OSError):
        # files that are written say their names; what is printed does not
        if isinstance(error, FileNotFoundError) and not error.filename:  # the system was asked where we are
            return "the current directory is not there any more: change to another one"
        place = error.filename or ("standard output" if error.errno == errno.ENOSPC else None)
        return f"{place}: {error.strerror or error}" if place else str(error)
    if isinstance(error, MemoryError):
        return "out of memory; ask for less at a time"
    if isinstance(error, sqlite3.Error):
        return f"{warehouse}: {error}; `npuwh check {warehouse}` looks closer" if warehouse else str(error)
    return _damage(warehouse) if warehouse else ""


def _damage(warehouse: Path) -> str:
    try:
        with closing(store.open_read(warehouse)) as connection:
            damaged = store.integrity(connection)
    except (NpuwhError, OSError):
        return ""
    return f"{warehouse}: is damaged ({damaged[0]}); ingest again into a new file" if damaged else ""
