"""How a section of a file is read natively: its statements, their columns, and the ranges they are read in."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Literal

from warehouse import store
from warehouse._native import RowsRefusedError
from warehouse.export.row_section import RowSection
from warehouse.export.selection import narrowing_of
from warehouse.store import plan_statement
from warehouse.store.folding import RankFacts, folded
from warehouse.store.row_plan import PlanArm, parts_of, row_plan

if TYPE_CHECKING:
    from warehouse._native import ArmRequest, SectionRequest

_ROWS = 8192  # in a range


class TableRanges:
    """Where the rows of ranks lie in a file that does not change, and what is the same in all of them; each is looked
    up once.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.id_bounds = cache(self._id_bounds)
        self.range_bounds = cache(self._range_bounds)
        self.facts = cache(self._facts)
        self.has_rows = cache(partial(plan_statement.has_rows, connection))
        self.id_limits = cache(partial(plan_statement.id_limits, connection))

    def _id_bounds(self, ranges: tuple[str, str], rank_id: int) -> list[int]:
        return plan_statement.id_bounds(self.connection, ranges, rank_id, _ROWS)

    def _range_bounds(self, ranges: tuple[str, str], rank_id: int) -> list[int]:
        return plan_statement.range_bounds(self.connection, ranges, rank_id, _ROWS)

    def _facts(self, rank_id: int) -> RankFacts:
        row_of, has_rows = cache(partial(self._row_of, rank_id)), partial(self.has_rows, rank_id=rank_id)
        return RankFacts(rank_id, cache(self._value_of), row_of, has_rows)

    def _value_of(self, query: str) -> Any:
        (value,) = self.connection.execute(query).fetchone()
        return value

    def _row_of(self, rank_id: int, view: str) -> Mapping[str, Any] | None:
        return plan_statement.row_of_rank(self.connection, view, rank_id)


def in_parts(section: RowSection) -> Iterator[RowSection]:
    """The section as those that follow each other in it, if its view first orders its rows by a number a SELECT.

    >>> [each.where for each in in_parts(events_of("trace_memory", rank))]  # doctest: +SKIP
    [(('part', '=', 0),), (('part', '=', 1),), (('part', '=', 2),)]
    """
    parts = parts_of(section.view)
    if parts is None or parts[0] in section.fixed:
        yield section
        return
    column, values = parts
    for value in values:
        yield replace(section, where=(*section.where, (column, "=", value)))


class SectionPlan:
    """A section as `RowReader` takes it.

    `is_sorted`: SQLite is asked to sort; else rows are believed to come in their order, by ids or an index.
    """

    def __init__(self, tables: TableRanges, section: RowSection, is_sorted: bool) -> None:
        self._tables = tables
        self._section = section
        self._rows = narrowing_of(tables.connection, section.view, section.rank, section.where)
        self._plan = row_plan(section.view, section.columns, _read_as_numbers(section), section.fixed)
        self._ranges = self._plan.ranges if self._plan is not None else None
        self._arms = [] if self._plan is None else self._arms_with_rows(self._plan.arms)
        self._way: Literal["ids", "index", "sorted"] = "sorted"
        if not is_sorted and self._ranges is not None and len(self._arms) == 1:
            self._way = self._unsorted_way(self._ranges, self._arms[0])

    def _arms_with_rows(self, arms: tuple[PlanArm, ...]) -> list[PlanArm]:
        rank_id = self._section.rank.id
        facts = self._tables.facts(rank_id)
        found = [arm for arm in arms if arm.table is None or facts.has_rows(arm.table)] or arms[:1]
        return [folded(arm, facts) for arm in found]

    def _unsorted_way(self, ranges: tuple[str, str], arm: PlanArm) -> Literal["ids", "index", "sorted"]:
        if not plan_statement.can_be_fed(arm):
            return "sorted"
        if self._section.rank.is_part or arm.table != ranges[0] or not plan_statement.ascends_with_ids(ranges):
            return "index"
        return "ids"

    def request(self, lane_pass: int | None) -> SectionRequest:
        """The section; `lane_pass`: index of the pass that finds its lanes.

        >>> SectionPlan(tables, events_of("trace_op", rank), False).request(None)["shape"]  # doctest: +SKIP
        'events'
        """
        section, plan = self._section, self._plan
        slots = self._arms[0].slots if plan else list(section.columns)
        return {
            "shape": section.shape,
            "arms": [self._arm(arm, plan.order) for arm in self._arms] if plan else [self._whole_view()],
            "is_fed": self._way != "sorted",
            "order": slots.index(plan.order) if plan else None,
            "ties": [(slots.index(name), is_descending) for name, is_descending in plan.ties] if plan else [],
            "bounds": self._bounds(),
            "limits": self._limits(),
            "process": slots.index("pid") if section.meets else None,
            "thread": slots.index("tid") if section.meets == "threads" else None,
            "lane_pass": lane_pass,
            "lane_id": slots.index("id") if lane_pass is not None else 0,
        }

    def lane_pass(self) -> tuple[str, list[int], list[int]]:
        """Statement, values, and its columns of id, thread, start and duration.

        >>> SectionPlan(tables, events_of("trace_gc", rank), False).lane_pass()[2]  # doctest: +SKIP
        [2, 3, 4, 5]
        """
        names = ("id", "tid", "ts", "dur")
        plan = row_plan(self._section.view, (), names, self._section.fixed)
        if plan is None or len(plan.arms) > 1:
            raise RowsRefusedError(f"{self._section.view} gives its rows no ids")
        arm = folded(plan.arms[0], self._tables.facts(self._section.rank.id))
        rows = self._rows
        text, values = plan_statement.plan_statement(
            self._section.view, arm, plan.order, rows.terms, rows.window, is_ranged=False
        )
        return text, values, [arm.slots.index(name) for name in names]

    def _bounds(self) -> list[int] | None:
        rank_id = self._section.rank.id
        if self._ranges is None:
            return None
        if self._way == "ids":
            return self._tables.id_bounds(self._ranges, rank_id)
        window = self._rows.window
        bounds = self._tables.range_bounds(self._ranges, rank_id)
        return [bound for bound in bounds if window is None or window.from_ns < bound < window.to_ns]

    def _limits(self) -> tuple[int, int] | None:
        if self._ranges is None or self._way != "ids":
            return None
        return self._tables.id_limits(self._ranges[0], self._section.rank.id)

    def _arm(self, arm: PlanArm, order: str) -> ArmRequest:
        section, rows = self._section, self._rows
        if self._way == "ids":
            text, values = plan_statement.id_statement(section.view, arm, order, rows.terms)
        else:
            is_ranged, is_fed = self._ranges is not None, self._way == "index"
            text, values = plan_statement.plan_statement(
                section.view, arm, order, rows.terms, rows.window, is_ranged=is_ranged, is_fed=is_fed
            )
        kinds = dict(zip(section.columns, section.kinds, strict=True))
        columns = [(each.name, kinds[each.name], each.slot, each.text, each.remembered) for each in arm.columns]
        return {"statement": text, "values": values, "columns": columns, "remembered": arm.remembered}

    def _whole_view(self) -> ArmRequest:
        section = self._section
        text, values = store.select(section.view, section.columns, self._rows.terms, window=self._rows.window)
        names = zip(section.columns, section.kinds, strict=True)
        columns = [(name, kind, place, None, None) for place, (name, kind) in enumerate(names)]
        return {"statement": text, "values": values, "columns": columns, "remembered": []}


def _read_as_numbers(section: RowSection) -> tuple[str, ...]:
    if section.shape == "flows":
        return section.columns
    return (*(("pid", "tid") if section.meets else ()), *(("id",) if section.is_laneless else ()))
