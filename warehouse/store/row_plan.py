"""How the rows of a view are read so that most of their texts need no look-up each.

Many columns of an exported view are the text of an id, (SELECT value FROM string WHERE id = o.name_id), or another
expression of a few ids.  The plan reads the ids and asks for each such expression once a combination of ids: it is a
statement of its own, whose answers the reader remembers.  What it answers is what the view would, since nothing but
those ids goes into the expression.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import repeat
from typing import Any, TypeAlias

from warehouse.store.registry import views
from warehouse.store.table_list import TABLES
from warehouse.store.unfolding import unfolded
from warehouse.store.view_body import (
    BodyArm,
    BodyColumn,
    Tokens,
    ViewBody,
    joined,
    sources_of,
    tokens,
    unquoted,
    view_body,
)

_ONE_RANK: Mapping[str, Any] = {"rank_id": None}
_MOST_IDS = 4
# ids of records: hardly one comes twice
_OF_RECORDS = {"op_id", "api_call_id", "device_task_id", "comm_op_id", "queue_task_id", "parent_id", "graph_node_id"}
_FEW = {"device", "kind"}  # tables of few rows
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
    """One statement: the SELECT to read from (`beginning`, `items` by name, and `rest` from FROM on), and `slots`, the
    names of its columns that are needed.  `table`: that of the rank's rows it starts from, if it is one.

    remembered: statements and the slots whose values they take, as ?1 to ?4.
    """

    beginning: Tokens
    items: dict[str, Tokens]
    rest: Tokens
    slots: list[str]
    table: str | None = None
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


_Parts: TypeAlias = "tuple[tuple[BodyArm, ...], Tokens, tuple[tuple[str, bool], ...]]"


@cache
def _parts(name: str) -> _Parts | None:
    """Unfolded arms, WITH, and the order."""
    body = view_body(name)
    if body is None or any(arm.column("rank_id") is None for arm in body.arms):
        return None
    if renamed := _renamed(body):
        return renamed
    return tuple(map(unfolded, body.arms)), body.beginning, body.order


def _renamed(body: ViewBody) -> _Parts | None:
    """The same of a view that gives the columns of another other names, and has its order."""
    (arm, *more) = body.arms
    ((_, source), *others) = arm.sources
    parts = None if more or others or body.beginning or source not in views() else _parts(source)
    names = {column.name: unquoted("".join(column.expression)) for column in arm.columns}
    if parts is None or not arm.is_bare or not all(name in _columns_of(source) for name in names.values()):
        return None
    arms, beginning, order = parts
    if tuple((names[name], is_descending) for name, is_descending in body.order) != order:
        return None
    renamed = [
        BodyArm(tuple(BodyColumn(new, _expression(each, old)) for new, old in names.items()), each.sources, each.rest)
        for each in arms
    ]
    return tuple(renamed), beginning, body.order


def _columns_of(name: str) -> set[str]:
    return {column.name for column in views()[name].columns}


def _expression(arm: BodyArm, name: str) -> Tokens:
    column = arm.column(name)
    assert column is not None, name
    return column.expression


def parts_of(name: str) -> tuple[str, tuple[int, ...]] | None:
    """The column that first orders the rows of a view, in each SELECT of which it is a number, and these numbers.

    >>> parts_of("trace_launch_flow"), parts_of("trace_op")
    (('part', (0, 1)), None)
    """
    parts = _parts(name)
    if parts is None:
        return None
    arms, _, order = parts
    first = next((column for column, _ in order if column != "rank_id"), "")
    columns = [arm.column(first) for arm in arms]
    values = ["".join(column.expression) if column else "" for column in columns]
    return (first, tuple(map(int, values))) if all(value.isdigit() for value in values) else None


def row_plan(
    name: str, written: Sequence[str], plain: Sequence[str] = (), fixed: Mapping[str, Any] = _ONE_RANK
) -> RowPlan | None:
    """The plan to write those columns of a view, None for a view that is not of the form.

    plain: columns that must be slots, whatever they are; fixed: columns of which one value is asked for: they order
    nothing, and SELECTs that have another are left out.

    >>> plan = row_plan("trace_op", ["ph", "name", "ts"])
    >>> plan.arms[0].slots, plan.arms[0].remembered
    (['start_ns', 'end_ns', 'id', '#0', 'ts'], [('SELECT ( SELECT value FROM string WHERE id = ?1 )', [3])])
    >>> plan.order, plan.ties, plan.ranges
    ('start_ns', (('end_ns', True), ('id', False)), ('op', 'start_ns'))
    """
    parts = _parts(name)
    if parts is None:
        return None
    all_arms, beginning, terms = parts
    arms = [arm for arm in all_arms if not any(map(_differs, repeat(arm), fixed.items()))]
    (order, is_descending), *ties = [term for term in terms if term[0] not in fixed] or [("", True)]
    if is_descending or not arms or not all(_is_of_table(arm, order) for arm in arms):
        return None
    slots = [order, *(tie for tie, _ in ties), *plain]
    stamps = [column.name for column in views()[name].columns if column.unit == "stamp"]
    planned = tuple(_planned(arm, beginning, list(dict.fromkeys(slots)), written, plain, stamps) for arm in arms)
    return RowPlan(planned, order, tuple(ties), _ranges(arms, order))


def _planned(
    arm: BodyArm,
    beginning: Tokens,
    slots: list[str],
    written: Sequence[str],
    plain: Sequence[str],
    stamps: Collection[str],
) -> PlanArm:
    extra: dict[tuple[str, str], str] = {}
    by_name = {column.name: column.expression for column in arm.columns}
    plan = PlanArm(beginning, by_name, arm.rest, slots, _table_of(arm))
    run: tuple[bool, tuple[tuple[str, str], ...]] | None = None
    for name in sorted(written, key=_is_argument):  # as an event has them
        expression = by_name[name]
        ids = None if name in plain else _ids(arm, expression)
        if ids is None:
            plan.columns.append(_column(plan, name, expression, stamps))
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
    by_name.update({name: (alias, ".", column) for (alias, column), name in extra.items()})
    return plan


def _table_of(arm: BodyArm) -> str | None:
    alias, table = arm.sources[0]
    rank = arm.column("rank_id")
    return table if rank is not None and rank.reference == (alias, "rank_id") and table in TABLES else None


def _is_argument(name: str) -> bool:
    return name.startswith("args:")


def _column(plan: PlanArm, name: str, expression: Tokens, stamps: Collection[str]) -> PlanColumn:
    if name in stamps and (time := _stamped(expression)):
        plan.items.setdefault(f"#ns {name}", time)
        return PlanColumn(name, slot=plan.slot(f"#ns {name}"))
    if len(expression) == 1 and expression[0].startswith("'"):
        return PlanColumn(name, text=expression[0][1:-1].replace("''", "'"))
    if expression == ("NULL",):
        return PlanColumn(name)
    return PlanColumn(name, slot=plan.slot(name))


def _stamped(expression: Tokens) -> Tokens | None:
    """The ns whose text an expression makes by printf('%d.%03d', ns / 1000, ns % 1000), which the writer does, too."""
    if expression[:2] == ("CASE", "WHEN") and "THEN" in expression:  # if there are any
        then = expression.index("THEN")
        time = _stamped(expression[then + 1 : -1])
        return time if time and expression[2:then] == (*time, "IS", "NOT", "NULL") else None
    if expression[:4] != ("printf", "(", "'%d.%03d'", ","):
        return None
    size = (len(expression) - 10) // 2
    time = expression[4 : 4 + size]
    return time if expression[4:] == (*time, "/", "1000", ",", *time, "%", "1000", ")") and size == 3 else None


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


def _differs(arm: BodyArm, fixed: tuple[str, Any]) -> bool:
    """Whether a column of the SELECT is a number, and another one than it is to be."""
    name, value = fixed
    column = arm.column(name)
    return column is not None and len(column.expression) == 1 and column.expression[0] not in (str(value), name)


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
        if "id" not in required or not (required[reference[1]] or is_there):
            return None
        found.append((table, reference[1]))
    return found[0]
