"""How a command ends: exit codes, and errors as one line on stderr."""

from __future__ import annotations

import functools
import logging
import os
import signal
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import typer

from warehouse.errors import NpuwhError

FINE, FINDINGS, WRONG, INTERRUPTED = 0, 1, 2, 130
EXIT_CODES = {
    FINE: "fine",
    FINDINGS: "findings (check), or some inputs of several failed while the rest loaded",
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


def reporting(verb: Callable[..., int | None]) -> Callable[..., None]:
    """The verb with its errors told and turned into the exit code it returns or raises."""

    @functools.wraps(verb)
    def run(*arguments: Any, **options: Any) -> None:
        raise typer.Exit(_run(verb, arguments, options))

    return run


def _run(verb: Callable[..., int | None], arguments: tuple[Any, ...], options: dict[str, Any]) -> int:
    _end_politely()
    try:
        code = verb(*arguments, **options) or FINE
        sys.stdout.flush()
    except NpuwhError as error:
        say(error)
        return error.exit_code
    except KeyboardInterrupt:
        say("interrupted")
        return INTERRUPTED
    except BrokenPipeError:
        # the reader of our output has seen enough; keep Python from complaining when it flushes at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FINE
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        say(f"{where}{error.strerror or error}")
        return WRONG
    return code


def _end_politely() -> None:
    """SIGTERM ends a command like Ctrl-C does: what is half made is taken away."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    try:
        signal.signal(signal.SIGTERM, stop)
    except ValueError:  # not the main thread: called as a library
        return
