"""Statements for one rank, in which whatever is the same in all rows is a number.

SQLite would look it up, or compute it, for each row anew: the rank itself, what a view with a row a rank says of it,
the moment that a trace counts from, whether there is a row in a table of which the rank has none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from warehouse.store.registry import views
from warehouse.store.row_plan import PlanArm
from warehouse.store.table_list import TABLES
from warehouse.store.view_body import Tokens, closing, joined, unquoted

_BOUNDARIES = ("LEFT", "JOIN", "CROSS", "WHERE", "ORDER", "GROUP")


@dataclass(frozen=True)
class RankFacts:
    """What is known of a rank: its id; `value_of` answers a SELECT of one value; `row_of` gives the row that a view
    with a row a rank has for it, None if it has none; `has_rows` says whether the rank has rows in a table.
    """

    rank_id: int
    value_of: Callable[[str], Any]
    row_of: Callable[[str], Mapping[str, Any] | None]
    has_rows: Callable[[str], bool]


def folded(arm: PlanArm, facts: RankFacts) -> PlanArm:
    """The arm of a plan with numbers for what is the same in all rows of the rank.

    >>> from warehouse.store.row_plan import row_plan
    >>> arm = row_plan("trace_op", ["pid", "ts"]).arms[0]
    >>> facts = RankFacts(3, lambda query: 7, lambda view: None, lambda table: True)
    >>> joined(folded(arm, facts).items["pid"]), joined(folded(arm, facts).items["ts"])
    ('3 * 1000 + 1', 'o . start_ns - 7')
    """
    rank = arm.items["rank_id"]
    if len(rank) != 3:
        return arm
    items, rest = dict(arm.items), arm.rest
    found = _joined_by_rank(rest, rank)
    while found is not None:
        view, alias, begin, end = found
        row = facts.row_of(view)
        rest = _with_row((*rest[:begin], *rest[end:]), alias, row)
        items = {name: _with_row(item, alias, row) for name, item in items.items()}
        found = _joined_by_rank(rest, rank)
    items = {name: item if name == "rank_id" else _with_numbers(item, rank, facts) for name, item in items.items()}
    return replace(arm, items=items, rest=_without_vain(rest, rank, facts))


def _joined_by_rank(rest: Tokens, rank: Tokens) -> tuple[str, str, int, int] | None:
    """The first LEFT JOIN of a view with a row a rank: view, alias, and where it stands."""
    for place in range(len(rest) - 11):
        name, alias, *on = rest[place + 2 : place + 12]
        if rest[place : place + 2] != ("LEFT", "JOIN") or name not in views() or views()[name].grain != ("rank_id",):
            continue
        sides = {tuple(on[1:4]), tuple(on[5:])}
        is_by_rank = (on[0], on[4]) == ("ON", "=") and sides == {(alias, ".", "rank_id"), rank}
        if is_by_rank and rest[place + 12 : place + 13] in ((), *((each,) for each in _BOUNDARIES)):
            return name, alias, place, place + 12
    return None


def _without_vain(rest: Tokens, rank: Tokens, facts: RankFacts) -> Tokens:
    """0 for each EXISTS ( SELECT 1 FROM table t WHERE t.rank_id = rank ... ) of a table without such rows."""
    found: list[str] = []
    place = 0
    while place < len(rest):
        table, alias = (*rest[place + 5 : place + 7], "", "")[:2]
        beginning = ("EXISTS", "(", "SELECT", "1", "FROM", table, alias, "WHERE", alias, ".", "rank_id", "=", *rank)
        is_of_rank = table in TABLES and rest[place : place + len(beginning)] == beginning
        end = closing(rest, place + 1) if is_of_rank else place
        if is_of_rank and "OR" not in rest[place:end] and not facts.has_rows(table):
            found.append("0")
            place = end + 1
        else:
            found.append(rest[place])
            place += 1
    return tuple(found)


def _with_row(parts: Tokens, alias: str, row: Mapping[str, Any] | None) -> Tokens:
    found: list[str] = []
    place = 0
    while place < len(parts):
        if parts[place] == alias and parts[place + 1 : place + 2] == (".",):
            found.append(_literal(row[unquoted(parts[place + 2])] if row else None))
            place += 3
        else:
            found.append(parts[place])
            place += 1
    return tuple(found)


def _with_numbers(item: Tokens, rank: Tokens, facts: RankFacts) -> Tokens:
    found: list[str] = []
    place = 0
    while place < len(item):
        if item[place : place + 3] == rank:
            found.append(str(facts.rank_id))
            place += 3
        elif item[place : place + 2] == ("(", "SELECT") and item[place + 3 : place + 6 : 2] == ("FROM", ")"):
            found.append(_literal(facts.value_of(joined(item[place + 1 : place + 5]))))
            place += 6
        else:
            found.append(item[place])
            place += 1
    return tuple(found)


def _literal(value: Any) -> str:
    if value is None:
        return "NULL"
    return "'" + value.replace("'", "''") + "'" if isinstance(value, str) else repr(value)
