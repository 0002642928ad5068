"""`npuwh views`: what can be asked."""

from __future__ import annotations

from contextlib import closing
from itertools import groupby
from pathlib import Path
from typing import Annotated

import typer

from warehouse import store
from warehouse.cli.outcome import say
from warehouse.cli.show import show_rows


def views(
    warehouse: Annotated[Path, typer.Argument(metavar="W.db", help="The warehouse.")],
    name: Annotated[str | None, typer.Argument(metavar="[NAME]", help="A view: show its columns and units.")] = None,
) -> None:
    """List what can be asked of a warehouse: its views, or one view with its columns and units.

    Example: npuwh views W.db kernel_time
    """
    with closing(store.open_read(warehouse)) as connection:
        if stale := store.stale_views(connection):
            say(f"{warehouse}: {len(stale)} views are not of this npuwh; run `npuwh upgrade {warehouse}`")
    if name is not None:
        _show_view(store.view(name))
        return
    listed = sorted(store.views().values(), key=lambda view: (view.room, view.name))
    for room, members in groupby(listed, key=lambda view: view.room):
        print(f"{room}:")
        show_rows(["view", "what it tells"], [(view.name, view.purpose) for view in members], indent="  ")
        print()


def _show_view(view: store.View) -> None:
    print(f"{view.name} ({view.room})\n{view.purpose}\n")
    print(f"a row for each: {', '.join(view.grain)}\nread from:      {', '.join(view.uses)}")
    if view.file:
        print(f"written as:     {view.file}")
    print()
    show_rows(["column", "unit", "meaning"], [(c.name, c.unit, c.description) for c in view.columns])
