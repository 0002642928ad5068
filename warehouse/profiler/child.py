"""Processes that analyse: fresh interpreters, so that neither torch's threads nor a daemon's bans are in their way, and
nothing they do reaches the training."""

from __future__ import annotations

import os
import subprocess
import sys

from warehouse.profiler.boundary import let_signals_through
from warehouse.profiler.settings import logger

# of the training process, and wrong for another: a start-up file would run twice, and so would whatever watches a job
_NOT_PASSED_ON = ("PYTHONSTARTUP", "PROF_CONFIG_PATH")


def start_child(arguments: list[str], what_fails: str) -> subprocess.Popen[str] | None:
    """Start `python -m ARGUMENTS`; None (logged) if that cannot be done."""
    environment = {name: value for name, value in os.environ.items() if name not in _NOT_PASSED_ON}
    command = [sys.executable, "-m", *arguments]
    try:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, env=environment, text=True, start_new_session=True)
    except (OSError, ValueError) as error:  # ValueError: of arguments that no process can be given
        let_signals_through(error)
        logger.error("%s: no process can be started: %s", what_fails, error)
        return None


def wait_for(process: subprocess.Popen[str], what_fails: str) -> bool:
    """Whether it ended well; if not, that is logged: by itself, unless it could not."""
    code = process.wait()
    if code not in (0, 1):
        logger.error("%s: its process ended with code %d; the recording itself stays as it is", what_fails, code)
    return code == 0


def run_child(arguments: list[str], what_fails: str) -> bool:
    """Start it and wait; whether it ended well."""
    process = start_child(arguments, what_fails)
    return process is not None and wait_for(process, what_fails)
