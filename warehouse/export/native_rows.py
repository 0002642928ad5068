"""Rows of views as text without Python in between: on threads of their own, by the SQLite that Python has loaded.

What is written is byte for byte what a cursor and RowWriter would give.  Whatever is odd (a value that is no text and
no number, damage, a lock) is refused, and left to the cursor, which says what is wrong.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, TypeAlias

from warehouse import store
from warehouse._native import RowReader, RowsRefusedError
from warehouse.export.row_section import RowSection
from warehouse.export.selection import narrowing_of
from warehouse.store.native_sqlite import python_sqlite

if TYPE_CHECKING:
    from warehouse._native import ArmRequest, SectionRequest

SWITCH = "NPUWH_EXPORT"  # "cursor" turns this off; "native" makes what cannot be read so an error
_ROWS = 8192  # in a range
_MOST_THREADS = 4

Lanes: TypeAlias = "dict[tuple[int, int], int]"  # (thread, start) of slices: the lane
Target: TypeAlias = "int | Callable[[bytes], object]"  # a descriptor, or what takes bytes


@dataclass(frozen=True)
class NativeResult:
    """Rows of each section (of flows the events), and the (process, thread) numbers that were met."""

    rows: list[int]
    threads: list[tuple[int, int | None]]


class NativeRows:
    """Reads sections of files from the warehouse behind a connection; see `open_native_rows`."""

    def __init__(self, connection: sqlite3.Connection, reader: RowReader) -> None:
        self._connection = connection
        self._reader = reader

    def can_read(self, section: RowSection) -> bool:
        """Whether the section is of a form that is read here at all."""
        view = store.view(section.view)
        plan = store.row_plan(view.name, section.columns, fixed=section.fixed)
        if section.is_laneless:  # rows must be known by their ids
            return plan is not None and plan.ranges is not None
        if view.window is not None and view.window.view == view.name:
            return True
        # what sums has few rows, and of a part of a rank what it starts from has to be narrowed
        return plan is not None and section.shape != "csv" and not section.rank.is_part

    def write(
        self, sections: Sequence[RowSection], target: Target, *, is_first: bool = False, lanes: Lanes | None = None
    ) -> NativeResult:
        """Write sections one after the other to `target`.

        Events are each written behind a comma and a line end; `is_first`: the first comma is the bracket of an array.
        `lanes` are those that were found before.  RowsRefusedError: some of it may have been written, and must be taken
        back.  OSError if the target takes no more.
        """
        asked, passes = [], []
        for section in sections:
            wanted = _Wanted(self._connection, section)
            lane_pass = wanted.lane_pass() if section.is_laneless else None
            if lane_pass is not None:
                passes.append(lane_pass)
            asked.append(wanted.request(len(passes) - 1 if lane_pass is not None else None))
        known = [(thread, start, lane) for (thread, start), lane in (lanes or {}).items()]
        rows, threads = self._reader.run(asked, passes, known, target, is_first)
        return NativeResult(rows, threads)


class _Wanted:
    """A section as the reader takes it."""

    def __init__(self, connection: sqlite3.Connection, section: RowSection) -> None:
        self._section = section
        self._rows = narrowing_of(connection, section.view, section.rank, section.where)
        self._plan = store.row_plan(section.view, section.columns, _read_as_numbers(section), section.fixed)
        self._bounds = None
        if self._plan is not None and self._plan.ranges is not None:
            ranges, rank_id = self._plan.ranges, section.rank.id
            self._bounds = store.range_bounds(connection, ranges, rank_id, _ROWS, self._rows.window)

    def request(self, lane_pass: int | None) -> SectionRequest:
        section, plan = self._section, self._plan
        slots = plan.arms[0].slots if plan else list(section.columns)
        return {
            "shape": section.shape,
            "arms": [self._arm(arm, plan.order) for arm in plan.arms] if plan else [self._whole_view()],
            "order": slots.index(plan.order) if plan else None,
            "ties": [(slots.index(name), is_descending) for name, is_descending in plan.ties] if plan else [],
            "bounds": self._bounds,
            "process": slots.index("pid") if section.meets else None,
            "thread": slots.index("tid") if section.meets == "threads" else None,
            "lane_pass": lane_pass,
            "lane_id": slots.index("id") if lane_pass is not None else 0,
        }

    def lane_pass(self) -> tuple[str, list[int], list[int]]:
        names = ("id", "tid", "ts", "dur")
        plan = store.row_plan(self._section.view, (), names, self._section.fixed)
        if plan is None or len(plan.arms) > 1:
            raise RowsRefusedError(f"{self._section.view} gives its rows no ids")
        (arm,) = plan.arms
        text, values = self._statement(arm, plan.order, is_ranged=False)
        return text, values, [arm.slots.index(name) for name in names]

    def _statement(self, arm: store.PlanArm, order: str, is_ranged: bool) -> tuple[str, list[int]]:
        rows = self._rows
        return store.plan_statement(self._section.view, arm, order, rows.terms, rows.window, is_ranged)

    def _arm(self, arm: store.PlanArm, order: str) -> ArmRequest:
        text, values = self._statement(arm, order, is_ranged=self._bounds is not None)
        kinds = dict(zip(self._section.columns, self._section.kinds, strict=True))
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


@contextmanager
def open_native_rows(connection: sqlite3.Connection) -> Iterator[NativeRows | None]:
    """Native reading of the warehouse behind a connection, None where it cannot be had; and one state of the file for
    both, whatever others write to it meanwhile.

    It cannot be had where Python's SQLite is not a library of its own, is another than it says, or the file is in WAL
    mode, whose readers would not see the same state.

    >>> with open_native_rows(store.open_read("W.db")) as rows:  # doctest: +SKIP
    ...     rows.write([events_of("trace_op", rank)], file.fileno(), is_first=True)
    """
    with store.one_state(connection) as is_one:
        native = None
        if os.environ.get(SWITCH) != "cursor" and is_one:
            native = _opened(connection)
        if native is None and is_required():
            raise RowsRefusedError("this warehouse cannot be read natively")
        yield native


def is_required() -> bool:
    """Whether the environment forbids to fall back to a cursor, as tests do."""
    return os.environ.get(SWITCH) == "native"


def _opened(connection: sqlite3.Connection) -> NativeRows | None:
    library = python_sqlite()
    if library is None:
        return None
    try:
        uri = store.read_uri(store.file_of(connection))
        return NativeRows(connection, RowReader(library, uri, store.READ_SETUP, threads=_thread_count()))
    except RowsRefusedError:
        return None


def _thread_count() -> int:
    has_affinity = hasattr(os, "sched_getaffinity")
    return min(_MOST_THREADS, len(os.sched_getaffinity(0)) if has_affinity else os.cpu_count() or 1)


def runs(
    native: NativeRows | None, sections: Iterable[RowSection]
) -> Iterator[tuple[NativeRows | None, list[RowSection]]]:
    """The sections in their order, together as far as they are read the same way: natively, or (None) by a cursor.

    >>> list(runs(None, []))
    []
    """
    for is_native, together in groupby(sections, lambda each: native is not None and native.can_read(each)):
        yield native if is_native else None, list(together)
