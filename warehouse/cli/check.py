"""`npuwh check`: is the file whole, and what it holds complete."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Annotated, Any

import typer

from warehouse import store
from warehouse.cli.outcome import FINDINGS, FINE, one_line
from warehouse.plain_rows import iterate
from warehouse.wording import counted


def check(warehouse: Annotated[Path, typer.Argument(metavar="W.db", help="The warehouse.")]) -> int:
    """Check a warehouse: the file itself, its ids, its views, and what the views check_… find.  A line a finding.

    Ends with exit code 1 if there is a finding.

    Example: npuwh check W.db
    """
    count = 0
    for finding in findings(warehouse):
        print(one_line(finding))
        count += 1
    print(f"{warehouse}: {counted(count, 'finding') if count else 'no findings'}")
    return FINDINGS if count else FINE


def findings(warehouse: Path) -> Iterator[str]:
    """Every finding as `<check>: <what>`.

    Example: `list(findings(Path("W.db"))) == []`
    """
    with store.reading(warehouse), closing(store.open_read(warehouse, any_tables=True)) as connection:
        damaged = store.integrity(connection)
        yield from (f"integrity: {text}" for text in damaged)
        altered = store.altered_tables(connection)
        yield from (f"tables: was altered: {text}" for text in altered)
        if damaged or altered:
            return
        for name in store.missing_indexes(connection):
            yield f"tables: index {name} is missing: answers take longer"
        yield from (f"ids: {text}" for text in store.dangling_ids(connection))
        stale = store.stale_views(connection)
        for name in stale:
            yield f"views: {name} is not that of this npuwh; run `npuwh upgrade {warehouse}`"
        told: dict[str, set[tuple[str, str | None]]] = {}  # of each text, the files and tables it was told of
        for view in store.rooms(["check"])["check"]:
            if store.with_those_they_use([view.name]).intersection(stale):
                continue  # would not tell what it should
            columns = [column.name for column in view.columns]
            for rows in iterate(connection, *store.select(view.name, columns), path=warehouse):
                for row in rows:
                    if text := _finding(dict(zip(columns, row, strict=True)), told):
                        yield f"{view.name.removeprefix('check_')}: {text}"


def _finding(row: dict[str, Any], told: dict[str, set[tuple[str, str | None]]]) -> str:
    """The row as text; nothing if it says of a file what was said of it before, and no text twice."""
    text, path = row.get("text"), row.get("path")
    if text is not None and path is not None:
        place = (path, row.get("table_name"))
        if place in told.setdefault(text, set()):
            return ""
        if told[text]:
            row["text"] = "as above"
        told[text].add(place)
    return ", ".join(f"{name} {value}" for name, value in row.items() if value is not None)
