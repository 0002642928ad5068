"""`npuwh views`: what can be asked."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from warehouse import store
from warehouse.cli.outcome import say
from warehouse.cli.show import show_rows
from warehouse.errors import UsageError
from warehouse.wording import counted

_LONGEST_LOOK = 0.1  # seconds that a view may take to tell whether it has rows
_ROWS = {True: "yes", False: "none", None: "?"}


def views(
    warehouse: Annotated[Path, typer.Argument(metavar="W.db", help="The warehouse.")],
    name: Annotated[
        str | None, typer.Argument(metavar="[NAME]", help="A view or a table: show its columns, units and meaning.")
    ] = None,
    every: Annotated[bool, typer.Option("--all", help="Also the views that exports, traces and checks read.")] = False,
    tables: Annotated[bool, typer.Option("--tables", help="The tables instead of the views.")] = False,
) -> None:
    """List what can be asked of a warehouse: its views, and which have rows in it; its tables; or one of them with its
    columns and units.

    Example: npuwh views W.db kernel_time
    """
    with store.reading(warehouse), closing(store.open_read(warehouse)) as connection:
        if stale := store.stale_views(connection):
            say(f"{warehouse}: {counted(len(stale), 'view')} not of this npuwh; run `npuwh upgrade {warehouse}`")
        if name is not None:
            _show_one(name)
        elif tables:
            show_rows(["table", "what it holds"], [(table.name, table.purpose) for table in store.TABLES.values()])
        else:
            _list(warehouse, connection, every, set(stale))


def _list(warehouse: Path, connection: sqlite3.Connection, every: bool, stale: set[str]) -> None:
    shown = store.rooms(store.QUESTIONS + store.PLUMBING if every else store.QUESTIONS)
    for room, members in shown.items():
        print(f"{room}:")
        rows = [(view.name, _rows_of(connection, view.name, stale), view.summary) for view in members]
        show_rows(["view", "rows", "what it tells"], rows, indent="  ")
        print()
    print(f"One of them with its columns: npuwh views {warehouse} NAME")
    if not every:
        counts = {room: len(members) for room, members in store.rooms(store.PLUMBING).items()}
        hidden = ", ".join(f"{count} {room}" for room, count in counts.items())
        print(f"Not listed: {counted(sum(counts.values()), 'view')} ({hidden}); --all lists them")
    print("The tables they read: --tables")


def _rows_of(connection: sqlite3.Connection, view: str, stale: set[str]) -> str:
    """Whether the view has rows; of one that is not ours, or reads one that is not, nobody knows what it does."""
    is_ours = not stale.intersection(store.with_those_they_use([view]))
    return _ROWS[store.has_rows(connection, view, _LONGEST_LOOK) if is_ours else None]


def _show_one(name: str) -> None:
    if name in store.views():
        _show_view(store.view(name))
    elif name in store.TABLES:
        _show_table(store.TABLES[name])
    else:
        near = store.did_you_mean(name, [*store.views(), *store.TABLES])
        raise UsageError(f"there is no view or table '{name}': --all lists the views, --tables the tables{near}")


def _show_view(view: store.View) -> None:
    print(f"{view.name} (view, room {view.room})\n{view.purpose}\n")
    print(f"a row for each: {', '.join(view.grain)}\nread from:      {', '.join(view.uses) or 'nothing'}")
    if view.file:
        print(f"written as:     {view.file}")
    print()
    show_rows(["column", "unit", "meaning"], [(c.name, c.unit, c.description) for c in view.columns])


def _show_table(table: store.WarehouseTable) -> None:
    print(f"{table.name} (table)\n{table.purpose}\n")
    keys = "; ".join(", ".join(key) for key in (*table.unique, *table.indexes))
    readers = sorted(view.name for view in store.views().values() if table.name in view.uses)
    print(f"indexes:  {keys or 'none'}\nread by:  {', '.join(readers) or 'no view'}\n")
    rows = [
        (column.name, column.kind.lower(), "no" if column.is_required else "yes", column.unit, column.meaning)
        for column in table.columns
    ]
    show_rows(["column", "type", "NULL", "unit", "meaning"], rows)
