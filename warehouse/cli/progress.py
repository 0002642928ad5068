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
def shown(verb: str) -> Iterator[Report]:
    """A function to report to while the block runs.

    Example: `with shown("export") as report: report("kernel_details.csv", 3, 12)`
    """
    if not (sys.stderr.isatty() and sys.stdout.isatty()):
        yield _silent
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(verb, total=None)

        def report(what: str, done: int, total: int) -> None:
            progress.update(task, description=one_line(f"{verb} {what}"), completed=done, total=total or None)

        yield report


@contextmanager
def shown_rows(verb: str) -> Iterator[Callable[[str, int], None]]:
    """The same for work that tells a table and how many rows of it were written just now, or an input and 0."""
    with shown(verb) as report:
        source, rows = "", 0

        def add(what: str, count: int) -> None:
            nonlocal source, rows
            rows += count
            if not count:
                source = Path(what).name
            report(source if not count else f"{source} {what}", rows, 0)

        yield add


def _silent(what: str, done: int, total: int) -> None:
    return None
