"""How far a long command is: a bar on a terminal, nothing elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.cli.outcome import one_line

# what is being done, how much is done, how much there is (0: unknown)
Report = Callable[[str, int, int], None]


@contextmanager
def shown(verb: str, in_bytes: bool = False) -> Iterator[Report]:
    """A function to report to while the block runs.

    Example: `with shown("export") as report: report("kernel_details.csv", 3, 12)`
    """
    if not (sys.stderr.isatty() and sys.stdout.isatty()):
        yield _silent
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress,
        SpinnerColumn,
        TextColumn,
        TimeElapsedColumn,
    )

    count = DownloadColumn() if in_bytes else MofNCompleteColumn()
    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), count)
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(verb, total=None)

        def report(what: str, done: int, total: int) -> None:
            now = one_line(f"{verb} {what}")
            is_new = now != progress.tasks[0].description  # shown at once, however soon it is done
            progress.update(task, description=now, completed=done, total=total or None, refresh=is_new)

        yield report


@contextmanager
def shown_bytes(verb: str) -> Iterator[Report]:
    """The same for work on files: their name, bytes done, bytes in all."""
    with shown(verb, in_bytes=True) as report:
        yield lambda what, done, total: report(Path(what).name, done, total)


def _silent(what: str, done: int, total: int) -> None:
    return None
