"""The statements of a row plan, and the ranges in which they are read."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
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
    name: str, arm: PlanArm, order: str, where: Where, window: Window | None, *, is_ranged: bool, is_fed: bool = False
) -> tuple[str, list[Any]]:
    """SQL text and bound values of an arm of the plan of a view, with the conditions as `select` takes them.

    `is_ranged`: the first two parameters are the first and the last value of the order, and have no value yet;
    `is_fed`: without ORDER BY, but to npuwh_row (the index that finds the ranges gives the rows in their order).

    >>> from warehouse.store.row_plan import row_plan
    >>> arm = row_plan("trace_op", ["dur"]).arms[0]
    >>> text, values = plan_statement("trace_op", arm, "start_ns", [("rank_id", "=", 3)], None, is_ranged=True)
    >>> text.partition('AS "trace_op"')[2]
    ' WHERE "start_ns" >= ? AND "start_ns" <= ? AND "rank_id" = ? ORDER BY "start_ns"'
    """
    ranges: list[tuple[str, str, Any]] = [(order, ">=", 0), (order, "<=", 0)] if is_ranged else []
    text, values = select(name, arm.slots, [*ranges, *where], window=window, order=() if is_fed else [order])
    text = _from(_fed(text, arm) if is_fed else text, name, arm.items, arm)
    return text, values[len(ranges) :]


def id_statement(name: str, arm: PlanArm, order: str, where: Where) -> tuple[str, list[Any]]:
    """SQL text and bound values of an arm that gives its rows to npuwh_row in the order of their ids; the first two
    parameters are the first and the last id of a range.

    >>> from warehouse.store.row_plan import row_plan
    >>> arm = row_plan("trace_op", ["ts"]).arms[0]
    >>> text, values = id_statement("trace_op", arm, "start_ns", [("rank_id", "=", 3)])
    >>> text.partition("(SELECT")[0], text.rpartition("WHERE ")[2]
    ('SELECT npuwh_row("start_ns", "end_ns", "id", "ts") FROM ', '"#row" >= ? AND "#row" <= ? AND +"rank_id" = ?')
    """
    alias = arm.items[order][0]
    ids: list[tuple[str, str, Any]] = [("#row", ">=", 0), ("#row", "<=", 0)]
    text, values = select(name, arm.slots, [*ids, *where])
    rank = quoted("rank_id")
    # the plus: no index on the rank, which has another order
    text = text.replace(f"AND {rank} = ?", f"AND +{rank} = ?", 1)
    return _from(_fed(text, arm), name, {**arm.items, "#row": (alias, ".", "id")}, arm), values[len(ids) :]


def can_be_fed(arm: PlanArm) -> bool:
    """Whether npuwh_row can take the rows of an arm.

    >>> from warehouse.store.row_plan import row_plan
    >>> can_be_fed(row_plan("trace_op", ["dur"]).arms[0])
    True
    """
    return len(arm.slots) <= _MOST_ARGUMENTS


def ascends_with_ids(ranges: tuple[str, str]) -> bool:
    """Whether (table, column) should ascend with the ids of the rows of a rank.

    >>> ascends_with_ids(("op", "start_ns")), ascends_with_ids(("queue_task", "dequeue_start_ns"))
    (True, False)
    """
    table, column = ranges
    return column in (_BY_TIME.get(table), "id")


def _fed(text: str, arm: PlanArm) -> str:
    columns = ", ".join(map(quoted, arm.slots))
    return text.replace(f"SELECT {columns} ", f"SELECT {_ROW_FUNCTION}({columns}) ", 1)


def _from(text: str, name: str, items: dict[str, Tokens], arm: PlanArm) -> str:
    listed = ", ".join(f"{joined(item)} AS {quoted(key)}" for key, item in items.items())
    source = " ".join([*arm.beginning, "SELECT", listed, *arm.rest])
    return text.replace(f"FROM {quoted(name)}", f"FROM ({source}) AS {quoted(name)}", 1)


def range_bounds(connection: sqlite3.Connection, ranges: tuple[str, str], rank_id: int, rows: int) -> list[int]:
    """Values of (table, column) that cut a rank's rows into ranges of about so many.

    They are looked up by the rows' ids, which mostly ascend with time: where they do not, ranges are of unequal size.

    >>> range_bounds(connection, ("op", "start_ns"), 1, 1000)  # doctest: +SKIP
    [1700962505000120000, 1700962505000370000]
    """
    return sorted({value for _, value in _places(connection, ranges, rank_id, rows)})


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


def has_rows(connection: sqlite3.Connection, table: str, rank_id: int) -> bool:
    """Whether a rank has a row in a table.

    >>> has_rows(connection, "op", 1)  # doctest: +SKIP
    True
    """
    return connection.execute(*select(table, ["rank_id"], [("rank_id", "=", rank_id)], limit=1)).fetchone() is not None


def row_of_rank(connection: sqlite3.Connection, view: str, rank_id: int) -> dict[str, Any] | None:
    """The one row of a view for a rank; None if it has none, or several.

    >>> row_of_rank(connection, "vendor_rank", 1)["pid"]  # doctest: +SKIP
    41000
    """
    cursor = connection.execute(*select(view, None, [("rank_id", "=", rank_id)], limit=2))
    rows = cursor.fetchall()
    return dict(zip([name for name, *_ in cursor.description], rows[0], strict=True)) if len(rows) == 1 else None


def _places(connection: sqlite3.Connection, ranges: tuple[str, str], rank_id: int, rows: int) -> list[tuple[int, int]]:
    """Id and value of rows that lie about so many apart."""
    table, column = ranges
    ends = [connection.execute(f"SELECT {end}(id) FROM {quoted(table)}").fetchone()[0] for end in ("min", "max")]
    found: list[tuple[int, int]] = []
    for place in range(ends[0] + rows, ends[1], rows) if None not in ends else ():
        where = [("id", "=", place), ("rank_id", "=", rank_id), (column, "<>", None)]
        found += connection.execute(*select(table, ["id", column], where)).fetchall()
    return found
