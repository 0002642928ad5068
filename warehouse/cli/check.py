"""`npuwh check`: is the file whole, and what it holds complete."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from warehouse import store
from warehouse.cli.outcome import FINDINGS, FINE, one_line
from warehouse.query import iterate


def check(warehouse: Annotated[Path, typer.Argument(metavar="W.db", help="The warehouse.")]) -> int:
    """Check a warehouse: the file itself, its views, and what the views check_… find.  A line a finding.

    Ends with exit code 1 if there is a finding.

    Example: npuwh check W.db
    """
    count = 0
    for finding in findings(warehouse):
        print(one_line(finding))
        count += 1
    print(f"{warehouse}: {count} findings" if count else f"{warehouse}: no findings")
    return FINDINGS if count else FINE


def findings(warehouse: Path) -> Iterator[str]:
    """Every finding as `<check>: <what>`.

    Example: `list(findings(Path("W.db"))) == []`
    """
    with closing(store.open_read(warehouse)) as connection:
        damaged = store.integrity(connection)
        yield from (f"integrity: {text}" for text in damaged)
        if damaged:
            return
        for name in store.stale_views(connection):
            yield f"views: {name} is not that of this npuwh; run `npuwh upgrade {warehouse}`"
        for view in store.views().values():
            if view.room == "check":
                columns = [column.name for column in view.columns]
                for rows in iterate(connection, *store.select(view.name, columns)):
                    for row in rows:
                        yield f"{view.name.removeprefix('check_')}: {_told(columns, row)}"


def _told(columns: list[str], row: tuple[Any, ...]) -> str:
    return ", ".join(f"{name} {value}" for name, value in zip(columns, row, strict=True) if value is not None)
