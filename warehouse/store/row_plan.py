"""How the rows of a view are read so that most of their texts need no look-up each.

Many columns of an exported view are the text of an id, (SELECT value FROM string WHERE id = o.name_id), or another
expression of a few ids.  The plan reads the ids and asks for each such expression once a combination of ids: it is a
statement of its own, whose answers the reader remembers.  What it answers is what the view would, since nothing but
those ids goes into the expression.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from warehouse.store.registry import views
from warehouse.store.select import Window, quoted, select
from warehouse.store.table_list import TABLES
from warehouse.store.unfolding import unfolded
from warehouse.store.view_body import BodyArm, Tokens, joined, sources_of, tokens, unquoted, view_body

_MOST_IDS = 4
# ids of records: hardly one comes twice
_OF_RECORDS = {"op_id", "api_call_id", "device_task_id", "comm_op_id", "queue_task_id", "parent_id", "graph_node_id"}
_FEW = {"device"}  # tables of few rows
_FEW_VALUES = re.compile("_id$|^is_|^has_")  # names of columns that take few values
_WORDS = set(
    "SELECT FROM JOIN ON WHERE AND OR NOT IS NULL IN LIKE GLOB BETWEEN CASE WHEN THEN ELSE END AS ORDER BY GROUP LIMIT "
    "LEFT CROSS INNER EXISTS DISTINCT DESC ASC UNION ALL CAST INTEGER REAL TEXT".split()
)


@dataclass(frozen=True)
class PlanColumn:
    """Where a written column comes from: a `slot` of the statement, a fixed `text` (None: NULL), or `remembered`."""

    name: str
    slot: int | None = None
    text: str | None = None
    remembered: int | None = None


@dataclass
class PlanArm:
    """One statement: `source` is the SELECT to read from, `slots` the names of its columns that are needed.

    remembered: statements and the slots whose values they take, as ?1 to ?4.
    """

    source: str
    slots: list[str]
    columns: list[PlanColumn] = field(default_factory=list)
    remembered: list[tuple[str, list[int]]] = field(default_factory=list)

    def slot(self, name: str) -> int:
        """The place of a column of the source among the slots."""
        if name not in self.slots:
            self.slots.append(name)
        return self.slots.index(name)


@dataclass(frozen=True)
class RowPlan:
    """`order`: column in which rows ascend; `ties`: columns that order those equal in it, and whether descending.

    `ranges`: (table, column) whose values are those of `order`, so that the rows can be read range by range; None if
    there is none.
    """

    arms: tuple[PlanArm, ...]
    order: str
    ties: tuple[tuple[str, bool], ...]
    ranges: tuple[str, str] | None


@cache
def _parts(name: str) -> tuple[tuple[BodyArm, ...], tuple[str, ...], tuple[tuple[str, bool], ...]] | None:
    """Unfolded arms, WITH, and the order."""
    body = view_body(name)
    if body is None or any(arm.column("rank_id") is None for arm in body.arms):
        return None
    return tuple(map(unfolded, body.arms)), body.beginning, body.order


def row_plan(
    name: str, written: Sequence[str], plain: Sequence[str] = (), fixed: Collection[str] = ("rank_id",)
) -> RowPlan | None:
    """The plan to write those columns of a view, None for a view that is not of the form.

    plain: columns that must be slots, whatever they are; fixed: columns of which one value is asked for, so that they
    order nothing.

    >>> plan = row_plan("trace_op", ["ph", "name", "ts"])
    >>> plan.arms[0].slots, plan.arms[0].remembered
    (['start_ns', 'end_ns', 'id', '#0', 'ts'], [('SELECT ( SELECT value FROM string WHERE id = ?1 )', [3])])
    >>> plan.order, plan.ties, plan.ranges
    ('start_ns', (('end_ns', True), ('id', False)), ('op', 'start_ns'))
    """
    parts = _parts(name)
    if parts is None:
        return None
    arms, beginning, terms = parts
    (order, is_descending), *ties = [term for term in terms if term[0] not in fixed] or [("", True)]
    if is_descending or not all(_is_of_table(arm, order) for arm in arms):
        return None
    slots = [order, *(tie for tie, _ in ties), *plain]
    planned = tuple(_planned(arm, beginning, list(dict.fromkeys(slots)), written, plain) for arm in arms)
    return RowPlan(planned, order, tuple(ties), _ranges(arms, order))


def _planned(
    arm: BodyArm, beginning: Tokens, slots: list[str], written: Sequence[str], plain: Sequence[str]
) -> PlanArm:
    extra: dict[tuple[str, str], str] = {}
    plan = PlanArm("", slots)
    by_name = {column.name: column.expression for column in arm.columns}
    run: tuple[bool, tuple[tuple[str, str], ...]] | None = None
    for name in sorted(written, key=_is_argument):  # as an event has them
        expression = by_name[name]
        ids = None if name in plain else _ids(arm, expression)
        if ids is None:
            plan.columns.append(_column(plan, name, expression))
        else:
            text = _with_parameters(expression, ids)
            if run == (_is_argument(name), ids):
                statement, places = plan.remembered[-1]
                plan.remembered[-1] = (f"{statement}, {text}", places)
            else:
                for each in ids:
                    extra.setdefault(each, f"#{len(extra)}")
                plan.remembered.append((f"SELECT {text}", [plan.slot(extra[each]) for each in ids]))
            plan.columns.append(PlanColumn(name, remembered=len(plan.remembered) - 1))
        run = (_is_argument(name), ids) if ids else None
    order = {name: place for place, name in enumerate(written)}
    plan.columns.sort(key=lambda column: order[column.name])
    items = [f'{joined(column.expression)} AS "{column.name}"' for column in arm.columns]
    items += [f'{alias}.{column} AS "{name}"' for (alias, column), name in extra.items()]
    plan.source = " ".join([*beginning, "SELECT", ", ".join(items), *arm.rest])
    return plan


def _is_argument(name: str) -> bool:
    return name.startswith("args:")


def _column(plan: PlanArm, name: str, expression: Tokens) -> PlanColumn:
    if len(expression) == 1 and expression[0].startswith("'"):
        return PlanColumn(name, text=expression[0][1:-1].replace("''", "'"))
    if expression == ("NULL",):
        return PlanColumn(name)
    return PlanColumn(name, slot=plan.slot(name))


def _ids(arm: BodyArm, expression: Tokens) -> tuple[tuple[str, str], ...] | None:
    """The ids that an expression with a look-up is made of, and nothing else of the row; None for another."""
    if "SELECT" not in expression:
        return None
    outer = {alias for alias, _ in arm.sources}
    inner = sources_of(expression)
    if outer.intersection(alias for alias, _ in inner) or not _names_are_known(expression, inner):
        return None
    found = dict.fromkeys(
        (expression[place - 1], unquoted(expression[place + 1]))
        for place, token in enumerate(expression)
        if token == "." and unquoted(expression[place - 1]) in outer
    )
    are_ids = all(_FEW_VALUES.search(column) and column not in _OF_RECORDS for _, column in found)
    return tuple(found) if are_ids and 0 < len(found) <= _MOST_IDS else None


def _names_are_known(expression: Tokens, inner: Sequence[tuple[str, str]]) -> bool:
    """Whether each name without a source is a column of what the look-ups read, so none of the row's."""
    columns: set[str] = set()
    for _, source in inner:
        if source in TABLES:
            columns.update(column.name for column in TABLES[source].columns)
        elif source in views():
            columns.update(column.name for column in views()[source].columns)
        elif source:
            return False
    aliases = {alias for alias, _ in inner} | {source for _, source in inner}
    depths: list[bool] = []  # of each open bracket, whether it is a SELECT's
    for place, token in enumerate(expression):
        if token == "(":
            depths.append(expression[place + 1] == "SELECT" or (bool(depths) and depths[-1]))
        elif token == ")":
            depths.pop()
        elif (token[0].isalpha() or token[0] in '_"') and token not in _WORDS:
            before, after = expression[place - 1 : place], expression[place + 1 : place + 2]
            if before == (".",) or after in ((".",), ("(",)) or before == ("AS",) or unquoted(token) in aliases:
                continue
            if not (depths and depths[-1]) or unquoted(token) not in columns:
                return False
    return True


def _with_parameters(expression: Tokens, ids: Sequence[tuple[str, str]]) -> str:
    parts: list[str] = []
    place = 0
    while place < len(expression):
        reference = expression[place], unquoted("".join(expression[place + 2 : place + 3]))
        if expression[place + 1 : place + 2] == (".",) and reference in ids:
            parts.append(f"?{ids.index(reference) + 1}")
            place += 3
        else:
            parts.append(expression[place])
            place += 1
    return joined(parts)


def _is_of_table(arm: BodyArm, name: str) -> bool:
    """Whether a column is that of a table, so that few rows are equal in it."""
    column = arm.column(name)
    return column is not None and column.reference is not None


def _ranges(arms: Sequence[BodyArm], order: str) -> tuple[str, str] | None:
    found = []
    for arm in arms:
        column = arm.column(order)
        reference = column.reference if column else None
        table = dict(arm.sources).get(reference[0]) if reference else None
        if reference is None or table not in TABLES:
            return None
        before = [source for _, source in arm.sources[: [alias for alias, _ in arm.sources].index(reference[0])]]
        if not _FEW.issuperset(before):
            return None  # what stands before would be read again for each range
        required = {each.name: each.is_required for each in TABLES[table].columns}
        is_there = joined((*tokens(".".join(reference)), "IS", "NOT", "NULL")) in joined(arm.rest)
        if not required[reference[1]] and not is_there:
            return None
        found.append((table, reference[1]))
    return found[0]


def plan_statement(
    name: str,
    arm: PlanArm,
    order: str,
    where: Sequence[tuple[str, str, Any]],
    window: Window | None,
    is_ranged: bool,
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
    source = f"FROM {quoted(name)}"
    return text.replace(source, f"FROM ({arm.source}) AS {quoted(name)}", 1), values[len(ranges) :]


def range_bounds(
    connection: sqlite3.Connection, ranges: tuple[str, str], rank_id: int, rows: int, window: Window | None = None
) -> list[int]:
    """Values of (table, column) that cut a rank's rows into ranges of about so many.

    They are looked up by the rows' ids, which mostly ascend with time: where they do not, ranges are of unequal size.

    >>> range_bounds(connection, ("op", "start_ns"), 1, 1000)  # doctest: +SKIP
    [1700962505000120000, 1700962505000370000]
    """
    table, column = ranges
    ends = []
    for ending in ("", " DESC"):
        text, values = select(table, ["id"], [("rank_id", "=", rank_id)], order=[column], limit=1)
        ordering = f"ORDER BY {quoted(column)}"
        ends += connection.execute(text.replace(ordering, ordering + ending), values).fetchall()
    if len(ends) < 2:
        return []
    (first,), (last,) = sorted(ends)
    found = set()
    for place in range(first + rows, last, rows):
        where = [("id", "=", place), ("rank_id", "=", rank_id)]
        for (value,) in connection.execute(*select(table, [column], where)):
            if value is not None and (window is None or window.from_ns < value < window.to_ns):
                found.add(value)
    return sorted(found)
