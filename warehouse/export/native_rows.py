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
from typing import TypeAlias

from warehouse import store
from warehouse._native import RowReader, RowsRefusedError
from warehouse.export.row_section import RowSection
from warehouse.export.section_plan import SectionPlan, TableRanges, in_parts
from warehouse.store.native_sqlite import python_sqlite
from warehouse.store.row_plan import row_plan

SWITCH = "NPUWH_EXPORT"  # "cursor" turns this off; "native" makes what cannot be read so an error
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

    def __init__(self, connection: sqlite3.Connection, reader: RowReader, is_sorted: bool = False) -> None:
        self._tables = TableRanges(connection)
        self._connection = connection
        self._reader = reader
        self._is_sorted = is_sorted

    def sorting(self) -> NativeRows:
        """The same, for a file whose rows do not lie in their order: SQLite sorts them, which takes longer."""
        return NativeRows(self._connection, self._reader, is_sorted=True)

    def can_read(self, section: RowSection) -> bool:
        """Whether the section is of a form that is read here at all."""
        view = store.view(section.view)
        plan = row_plan(view.name, section.columns, fixed=section.fixed)
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
        back; RowsOutOfOrderError: the same, and `sorting` may do it.  OSError if the target takes no more.
        """
        asked, passes = [], []
        parts = [(place, part) for place, section in enumerate(sections) for part in in_parts(section)]
        for _, part in parts:
            wanted = SectionPlan(self._tables, part, self._is_sorted)
            lane_pass = wanted.lane_pass() if part.is_laneless else None
            if lane_pass is not None:
                passes.append(lane_pass)
            asked.append(wanted.request(len(passes) - 1 if lane_pass is not None else None))
        known = [(thread, start, lane) for (thread, start), lane in (lanes or {}).items()]
        counts, threads = self._reader.run(asked, passes, known, target, is_first)
        rows = [0] * len(sections)
        for (place, _), count in zip(parts, counts, strict=True):
            rows[place] += count
        return NativeResult(rows, threads)


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
