"""`npuwh ingest`: profiles into a warehouse."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from warehouse.cli.numbers import size
from warehouse.cli.outcome import say, telling
from warehouse.cli.progress import shown_bytes


def ingest(
    paths: Annotated[
        list[Path],
        typer.Argument(metavar="PATH...", help="Directories that hold profiles at any depth, or single files."),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="W.db",
            help="The warehouse; without it ./<name of PATH>.db, for a PATH that is a database ./<name>_npuwh.db.",
        ),
    ] = None,
    forms: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FORM",
            help="What to read of a profile: raw, db, or both in the order of your choice, as db,raw. Without it raw "
            "data are read where there are any, else the database. Text files are not read.",
        ),
    ] = None,
    memory: Annotated[
        str,
        typer.Option(
            "--memory",
            metavar="SIZE",
            help="What all processes together may take, whatever the input: 256MB, 1.5GB. More is a little quicker.",
        ),
    ] = "256MB",
    jobs: Annotated[
        int | None,
        typer.Option(
            "--jobs",
            metavar="N",
            help="How many ranks are read at the same time, as far as --memory goes; without it as many as there are "
            "processors. 1 reads in the process that writes. The result is the same.",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace inputs that changed since they were read.")] = False,
) -> int:
    """Read profiles into a warehouse, made if it is not there, added to if it is.

    The same inputs again change nothing.  The inputs are never written to.

    Example: npuwh ingest profiles/ -o W.db
    """
    from warehouse.ingest import ingest as load

    memory_bytes = size("--memory", memory)
    with shown_bytes("ingest") as report:
        done = load(paths, output, force, report, forms, memory_bytes, jobs)
    first, *others = done.lines()
    with telling(f"{done.output} {'was written' if done.added or done.replaced else 'is as it was'}"):
        print(first)
    for line in others:
        say(line)
    return done.exit_code
