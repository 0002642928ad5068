"""The one builder of SELECT statements over tables and views: names quoted, values bound."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from warehouse.errors import UsageError

_OPERATORS = ("=", "<>", "<", "<=", ">", ">=", "in", "is")


class Window(NamedTuple):
    """Rows that overlap [from_ns, to_ns), or lie in it if they have no length.

    `look_back_ns`: the longest row there is (event_extent.max_duration_ns), so that an index on `start` bounds the scan
    on both sides; None = unknown, no lower bound.
    """

    start: str
    end: str
    from_ns: int
    to_ns: int
    look_back_ns: int | None = None


def quoted(name: str) -> str:
    """An identifier in double quotes.

    >>> quoted('Duration(us)')
    '"Duration(us)"'
    """
    return '"' + name.replace('"', '""') + '"'


def select(
    source: str,
    columns: Iterable[str] | None = None,
    where: Iterable[tuple[str, str, Any]] = (),
    *,
    window: Window | None = None,
    order: Iterable[str] = (),
    limit: int | None = None,
) -> tuple[str, list[Any]]:
    """SQL text and bound values for rows of a table or view.

    `where` holds (column, operator, value), all of which must be true; operators = <> < <= > >=, `in` with a sequence,
    `is` with None (or "=" with None).  UsageError for another operator.

    >>> select("op", ["name_id"], [("rank_id", "=", 1)], order=["start_ns"])
    ('SELECT "name_id" FROM "op" WHERE "rank_id" = ? ORDER BY "start_ns"', [1])
    """
    conditions: list[str] = []
    values: list[Any] = []
    for column, operator, value in where:
        if operator not in _OPERATORS:
            raise UsageError(f"'{operator}' is not one of {' '.join(_OPERATORS)}")
        if operator == "in":
            conditions.append(f"{quoted(column)} IN ({', '.join('?' * len(value))})")
            values += _as_list(value)
        elif value is None:
            conditions.append(f"{quoted(column)} IS {'NOT ' if operator == '<>' else ''}NULL")
        else:
            conditions.append(f"{quoted(column)} {operator} ?")
            values.append(value)
    if window is not None:
        start, end = quoted(window.start), quoted(window.end)
        conditions.append(f"{start} < ? AND ({end} > ? OR {start} >= ?)")
        values += [window.to_ns, window.from_ns, window.from_ns]
        if window.look_back_ns is not None:
            conditions.append(f"{start} >= ?")
            values.append(window.from_ns - window.look_back_ns)
    text = f"SELECT {', '.join(map(quoted, columns)) if columns is not None else '*'} FROM {quoted(source)}"
    if conditions:
        text += " WHERE " + " AND ".join(conditions)
    if ordering := ", ".join(map(quoted, order)):
        text += " ORDER BY " + ordering
    if limit is not None:
        text += " LIMIT ?"
        values.append(limit)
    return text, values


def _as_list(values: Sequence[Any]) -> list[Any]:
    return list(values)


def column_kinds(
    connection: sqlite3.Connection, text: str, parameters: Any, indexes: list[int]
) -> dict[int, list[str]]:
    """For columns (by position) of a SELECT: which of integer, real, text, blob and null its rows hold."""
    names = [name for (name, *_) in connection.execute(f"SELECT * FROM ({text}) LIMIT 0", parameters).description]
    kinds = ", ".join(f"group_concat(DISTINCT typeof({quoted(names[index])}))" for index in indexes)
    row = connection.execute(f"SELECT {kinds} FROM ({text})", parameters).fetchone()
    return {index: (found or "").split(",") for index, found in zip(indexes, row, strict=True)}
