"""How a section of a file is read natively: its statements, their columns, and the ranges they are read in."""

from __future__ import annotations

import sqlite3
from functools import cache
from typing import TYPE_CHECKING

from warehouse import store
from warehouse._native import RowsRefusedError
from warehouse.export.row_section import RowSection
from warehouse.export.selection import narrowing_of

if TYPE_CHECKING:
    from warehouse._native import ArmRequest, SectionRequest

_ROWS = 8192  # in a range


class TableRanges:
    """Where the rows of ranks lie in the tables of a file that does not change; each is looked up once."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.id_bounds = cache(self._id_bounds)
        self.id_limits = cache(self._id_limits)
        self.value_of = cache(self._value_of)

    def _id_bounds(self, ranges: tuple[str, str], rank_id: int) -> list[int]:
        return store.id_bounds(self.connection, ranges, rank_id, _ROWS)

    def _id_limits(self, table: str, rank_id: int) -> tuple[int, int] | None:
        return store.id_limits(self.connection, table, rank_id)

    def _value_of(self, query: str) -> int:
        (value,) = self.connection.execute(query).fetchone()
        if not isinstance(value, int):
            raise RowsRefusedError(f"{query} is no number")
        return value


class SectionPlan:
    """A section as `RowReader` takes it.

    `is_by_ids`: rows are read in the order of their ids, where that should be theirs, else in that of an index.
    """

    def __init__(self, tables: TableRanges, section: RowSection, is_by_ids: bool) -> None:
        self._tables = tables
        self._section = section
        self._rows = narrowing_of(tables.connection, section.view, section.rank, section.where)
        self._plan = store.row_plan(section.view, section.columns, _read_as_numbers(section), section.fixed)
        self._ranges = self._plan.ranges if self._plan is not None else None
        self._is_fed = is_by_ids and self._can_be_fed()

    def _can_be_fed(self) -> bool:
        if self._plan is None or self._ranges is None or len(self._plan.arms) > 1 or self._section.rank.is_part:
            return False
        return store.can_be_fed(self._plan.arms[0], self._ranges)

    def request(self, lane_pass: int | None) -> SectionRequest:
        """The section; `lane_pass`: index of the pass that finds its lanes.

        >>> SectionPlan(tables, events_of("trace_op", rank), True).request(None)["shape"]  # doctest: +SKIP
        'events'
        """
        section, plan = self._section, self._plan
        slots = plan.arms[0].slots if plan else list(section.columns)
        return {
            "shape": section.shape,
            "arms": [self._arm(arm, plan.order) for arm in plan.arms] if plan else [self._whole_view()],
            "is_fed": self._is_fed,
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

        >>> SectionPlan(tables, events_of("trace_gc", rank), True).lane_pass()[2]  # doctest: +SKIP
        [2, 3, 4, 5]
        """
        names = ("id", "tid", "ts", "dur")
        plan = store.row_plan(self._section.view, (), names, self._section.fixed)
        if plan is None or len(plan.arms) > 1:
            raise RowsRefusedError(f"{self._section.view} gives its rows no ids")
        (arm,) = plan.arms
        text, values = self._statement(arm, plan.order, is_ranged=False)
        return text, values, [arm.slots.index(name) for name in names]

    def _bounds(self) -> list[int] | None:
        rank_id = self._section.rank.id
        if self._ranges is None:
            return None
        if self._is_fed:
            return self._tables.id_bounds(self._ranges, rank_id)
        return store.range_bounds(self._tables.connection, self._ranges, rank_id, _ROWS, self._rows.window)

    def _limits(self) -> tuple[int, int] | None:
        if self._ranges is None or not self._is_fed:
            return None
        return self._tables.id_limits(self._ranges[0], self._section.rank.id)

    def _statement(self, arm: store.PlanArm, order: str, is_ranged: bool) -> tuple[str, list[int]]:
        rows = self._rows
        return store.plan_statement(self._section.view, arm, order, rows.terms, rows.window, is_ranged)

    def _arm(self, arm: store.PlanArm, order: str) -> ArmRequest:
        section = self._section
        if self._is_fed:
            value_of = self._tables.value_of
            text, values = store.fed_statement(section.view, arm, order, section.rank.id, section.where, value_of)
        else:
            text, values = self._statement(arm, order, is_ranged=self._ranges is not None)
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
