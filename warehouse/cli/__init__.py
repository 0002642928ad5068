"""The command line: `npuwh VERB …`.  A verb is a file here and a line in VERBS of command_line.py.

This file imports nothing heavy: from its first moments on the command ends politely when it is told to.
"""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Sequence
from types import FrameType

from warehouse.without_pandas import refuse_pandas

INTERRUPTED = 130
# what a signal does unless somebody chose otherwise, as `nohup` and a shell's `&` do
_UNCHOSEN = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
_seen: list[int] = []  # numbers of the signals that came


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command line; returns the exit code (see EXIT_CODES).

    SIGINT and SIGTERM end it with 130 and one line on stderr; what is half made is taken away.

    Example: `main(["info", "W.db"])`
    """
    _seen.clear()
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        _listen()
        if arguments is None:  # the process is ours
            _open_closed_streams()
            refuse_pandas()
        from warehouse.cli.command_line import run

        code = run(given)
    except KeyboardInterrupt:
        code = INTERRUPTED
    except Exception:
        if not _seen:  # else an import or a library took the interrupt for an error of its own
            raise
        code = INTERRUPTED
    if code == INTERRUPTED:
        print("npuwh: interrupted", file=sys.stderr)
    return code


def _open_closed_streams() -> None:
    """A standard stream that was closed (`>&-`) leads nowhere: else the next file opened would take its place."""
    while (number := os.open(os.devnull, os.O_RDWR)) < 3:
        os.set_inheritable(number, True)
    os.close(number)
    sys.stdin = sys.stdin or _stream(0, "r")
    sys.stdout = sys.stdout or _stream(1, "w")
    sys.stderr = sys.stderr or _stream(2, "w")


def _stream(number: int, mode: str) -> io.TextIOWrapper:
    return open(number, mode, encoding="utf-8", errors="backslashreplace", closefd=False)  # type: ignore[return-value]


def _listen() -> None:
    for number, unchosen in _UNCHOSEN.items():
        if signal.getsignal(number) == unchosen:
            try:
                signal.signal(number, _stop)
            except ValueError:  # not the main thread: called as a library
                return


def _stop(number: int, frame: FrameType | None) -> None:
    _seen.append(number)
    raise KeyboardInterrupt
