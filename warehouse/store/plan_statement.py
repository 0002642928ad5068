"""The statements of a row plan, and the ranges in which they are read."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from typing import Any

from warehouse.store.row_plan import PlanArm
from warehouse.store.select import Window, quoted, select
from warehouse.store.view_body import Tokens, joined

Where = Sequence[tuple[str, str, Any]]

_ROW_FUNCTION = "npuwh_row"  # of collector_ext/sqlite_rows: takes the rows of a statement
_MOST_ARGUMENTS = 100  # of a function, in every SQLite
# tables whose ids ascend with their times in each rank, as they were loaded; whoever changed one is found out
_BY_TIME = {
    "op": "start_ns", "python_call": "start_ns", "api_call": "start_ns", "device_task": "start_ns",
    "comm_op": "start_ns", "mark": "start_ns", "gc_event": "start_ns", "memory_record": "time_ns",
}  # fmt: skip


def plan_statement(
    name: str, arm: PlanArm, order: str, where: Where, window: Window | None, is_ranged: bool
) -> tuple[str, list[Any]]:
    """SQL text and bound values of an arm of the plan of a view, with the conditions as `select` takes them.

    `is_ranged`: the first two parameters are the first and the last value of the order, and have no value yet.

    >>> arm = row_plan("trace_op", ["dur"]).arms[0]
    >>> text, values = plan_statement("trace_op", arm, "start_ns", [("rank_id", "=", 3)], None, is_ranged=True)
    >>> text.partition('AS "trace_op"')[2]
    ' WHERE "start_ns" >= ? AND "start_ns" <= ? AND "rank_id" = ? ORDER BY "start_ns"'
    """
    ranges: list[tuple[str, str, Any]] = [(order, ">=", 0), (order, "<=", 0)] if is_ranged else []
    text, values = select(name, arm.slots, [*ranges, *where], window=window, order=[order])
    return _from(text, name, arm.items, arm), values[len(ranges) :]


def can_be_fed(arm: PlanArm, ranges: tuple[str, str]) -> bool:
    """Whether the rows of a plan of one arm can be read in the order of their ids, all of a range at once.

    >>> can_be_fed(row_plan("trace_op", ["dur"]).arms[0], ("op", "start_ns"))
    True
    """
    table, column = ranges
    return _BY_TIME.get(table) == column and len(arm.slots) <= _MOST_ARGUMENTS


def fed_statement(
    name: str, arm: PlanArm, order: str, rank_id: int, where: Where, value_of: Callable[[str], int]
) -> tuple[str, list[Any]]:
    """SQL text and bound values of an arm that gives its rows to npuwh_row by their ids; the first two parameters are
    the first and the last id of a range.

    What is the same in all rows is put in as a number: the rank, and (SELECT x FROM y), which `value_of` answers.

    >>> arm = row_plan("trace_op", ["ts"]).arms[0]
    >>> fed_statement("trace_op", arm, "start_ns", 3, [], lambda query: 7)[0].partition("AS ")[0]
    'SELECT npuwh_row("start_ns", "end_ns", "id", "ts") FROM (SELECT o . id '
    """
    alias = arm.items[order][0]
    ids: Where = [("#row", ">=", 0), ("#row", "<=", 0), ("rank_id", "=", rank_id)]
    text, values = select(name, arm.slots, [*ids, *where])
    columns = ", ".join(map(quoted, arm.slots))
    text = text.replace(f"SELECT {columns} ", f"SELECT {_ROW_FUNCTION}({columns}) ", 1)
    # the plus: no index on the rank, or the ids would not come in their order
    text = text.replace(f"{quoted('rank_id')} = ?", f"+{quoted('rank_id')} = ?", 1)
    rank = arm.items["rank_id"]
    items = {
        key: item if key == "rank_id" else _with_numbers(item, rank, str(rank_id), value_of)
        for key, item in arm.items.items()
    }
    return _from(text, name, {**items, "#row": (alias, ".", "id")}, arm), values[2:]


def _with_numbers(item: Tokens, rank: Tokens, rank_id: str, value_of: Callable[[str], int]) -> Tokens:
    found: list[str] = []
    place = 0
    while place < len(item):
        if len(rank) == 3 and item[place : place + 3] == rank:
            found.append(rank_id)
            place += 3
        elif item[place : place + 2] == ("(", "SELECT") and item[place + 3 : place + 4] == ("FROM",):
            is_whole = item[place + 5 : place + 6] == (")",)
            found.append(str(value_of(joined(item[place + 1 : place + 5]))) if is_whole else item[place])
            place += 6 if is_whole else 1
        else:
            found.append(item[place])
            place += 1
    return tuple(found)


def _from(text: str, name: str, items: dict[str, Tokens], arm: PlanArm) -> str:
    listed = ", ".join(f"{joined(item)} AS {quoted(key)}" for key, item in items.items())
    source = " ".join([*arm.beginning, "SELECT", listed, *arm.rest])
    return text.replace(f"FROM {quoted(name)}", f"FROM ({source}) AS {quoted(name)}", 1)


def range_bounds(
    connection: sqlite3.Connection, ranges: tuple[str, str], rank_id: int, rows: int, window: Window | None = None
) -> list[int]:
    """Values of (table, column) that cut a rank's rows into ranges of about so many.

    They are looked up by the rows' ids, which mostly ascend with time: where they do not, ranges are of unequal size.

    >>> range_bounds(connection, ("op", "start_ns"), 1, 1000)  # doctest: +SKIP
    [1700962505000120000, 1700962505000370000]
    """
    found = {value for _, value in _places(connection, ranges, rank_id, rows)}
    return sorted(value for value in found if window is None or window.from_ns < value < window.to_ns)


def id_bounds(connection: sqlite3.Connection, ranges: tuple[str, str], rank_id: int, rows: int) -> list[int]:
    """Ids that cut a rank's rows into ranges of about so many, at none of which rows of one time are parted.

    >>> id_bounds(connection, ("op", "start_ns"), 1, 1000)  # doctest: +SKIP
    [1000, 2001]
    """
    table, column = ranges
    found = set()
    for _, value in _places(connection, ranges, rank_id, rows):
        where = [("rank_id", "=", rank_id), (column, "=", value)]
        ((first,),) = connection.execute(*select(table, ["id"], where, order=["id"], limit=1))
        found.add(first)
    return sorted(found)


def id_limits(connection: sqlite3.Connection, table: str, rank_id: int) -> tuple[int, int] | None:
    """The smallest and the largest id of a rank's rows; None if they are those of the table.

    >>> id_limits(connection, "op", 2)  # doctest: +SKIP
    (5155, 10308)
    """
    ((ranks,),) = connection.execute("SELECT count(*) FROM rank").fetchall()
    if ranks < 2:
        return None
    query = f"SELECT min(id), max(id) FROM {quoted(table)} WHERE rank_id = ?"
    ((first, last),) = connection.execute(query, [rank_id]).fetchall()
    return (0, -1) if first is None else (first, last)


def _places(
    connection: sqlite3.Connection, ranges: tuple[str, str], rank_id: int, rows: int
) -> list[tuple[int, int]]:
    """Id and value of rows that lie about so many apart."""
    table, column = ranges
    ends = []
    for ending in ("", " DESC"):
        text, values = select(table, ["id"], [("rank_id", "=", rank_id)], order=[column], limit=1)
        ordering = f"ORDER BY {quoted(column)}"
        ends += connection.execute(text.replace(ordering, ordering + ending), values).fetchall()
    if len(ends) < 2:
        return []
    (first,), (last,) = sorted(ends)
    found = []
    for place in range(first + rows, last, rows):
        where = [("id", "=", place), ("rank_id", "=", rank_id), (column, "<>", None)]
        found += connection.execute(*select(table, ["id", column], where)).fetchall()
    return found
