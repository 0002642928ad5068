"""All views of sql/, each after those it uses; making them, and telling whether a file has them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from difflib import get_close_matches
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from warehouse.errors import UsageError, WarehouseVersionError
from warehouse.store.resources import resource_folder
from warehouse.store.view_file import View, read_view

# rooms of sql/ in the order in which they are listed: what people ask, and what the tools are made of
QUESTIONS = ("device", "host", "step", "comm", "cluster", "memory", "graph")
PLUMBING = ("base", "export", "trace", "official", "check")
_OURS = "\n-- grain: "  # a header line that every view of ours has


@cache
def views() -> dict[str, View]:
    """Every view by name, in an order in which a view comes after those it uses.

    >>> list(views()).index("op_named") < list(views()).index("op_time")
    True
    """
    return read_views(resource_folder("sql"))


def read_views(folder: Path) -> dict[str, View]:
    """The view files below `folder` (room/name.sql); ValueError for two of one name or for a circle of uses."""
    found: dict[str, View] = {}
    for path in sorted(folder.glob("*/*.sql")):
        view = read_view(path)
        if view.name in found:
            raise ValueError(f"{path}: there is a view of this name in {found[view.name].room}/ already")
        found[view.name] = view
    graph = {view.name: [name for name in view.uses if name in found] for view in found.values()}
    try:
        return {name: found[name] for name in TopologicalSorter(graph).static_order()}
    except CycleError as error:
        raise ValueError(f"views use each other in a circle: {' -> '.join(error.args[1])}") from error


def rooms(names: Iterable[str] = QUESTIONS + PLUMBING) -> dict[str, list[View]]:
    """The views of those rooms by name, the rooms in that order; rooms without views are left out.

    >>> next(iter(rooms()))
    'device'
    """
    listed = sorted(views().values(), key=lambda each: each.name)
    found = {room: [each for each in listed if each.room == room] for room in names}
    return {room: members for room, members in found.items() if members}


def view(name: str) -> View:
    """The view of that name; UsageError if there is none.

    >>> view("op_named").room
    'base'
    """
    try:
        return views()[name]
    except KeyError:
        near = did_you_mean(name, views())
        raise UsageError(f"there is no view '{name}': `npuwh views W.db --all` lists them{near}") from None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A question to put behind a message; empty if nothing is near.

    >>> did_you_mean("kernel_tme", ["op_time", "kernel_time"])
    '; did you mean kernel_time?'
    """
    near = get_close_matches(name.lower(), list(dict.fromkeys(known)), n=3, cutoff=0.7)
    return f"; did you mean {' or '.join(near)}?" if near else ""


def create_views(connection: sqlite3.Connection) -> None:
    """Make every view; there must be none of their names."""
    for each in views().values():
        connection.execute(each.text)


def drop_views(connection: sqlite3.Connection) -> list[str]:
    """Drop every view of the file and return the statements of those that are not ours (users may add some)."""
    statements = []
    for name, sql in connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'view'").fetchall():
        connection.execute(f'DROP VIEW "{name.replace(chr(34), chr(34) * 2)}"')
        if name not in views() and _OURS not in sql:
            statements.append(sql)
    return statements


def with_those_they_use(names: Iterable[str]) -> set[str]:
    """The views of those names and all that they read, themselves or through others.

    >>> sorted(with_those_they_use(["trace_op"]))
    ['op_named', 'trace_base', 'trace_op']
    """
    found = set(names)
    for name, each in reversed(views().items()):
        if name in found:
            found.update(used for used in each.uses if used in views())
    return found


def require_views(connection: sqlite3.Connection, path: Path | str, names: Iterable[str] | None = None) -> None:
    """WarehouseVersionError if one of those views (None: any), or one that it reads, is not that of this npuwh.

    SQLite takes the quoted name of a column that is missing for a text: another wording would not even fail.

    >>> require_views(open_read("W.db"), "W.db")  # doctest: +SKIP
    """
    stale = stale_views(connection)
    if stale if names is None else with_those_they_use(names).intersection(stale):
        raise WarehouseVersionError(f"{path}: its views are of another npuwh: run `npuwh upgrade {path}`")


def stale_views(connection: sqlite3.Connection) -> list[str]:
    """Names of views that this file lacks, has in another wording, or has from an older npuwh; [] = all current."""
    present = dict(connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'view'").fetchall())
    changed = [each.name for each in views().values() if present.get(each.name) != each.text]
    return changed + [name for name, sql in present.items() if name not in views() and _OURS in sql]
