"""A part of an exported file that is nothing but the rows of a view, one after the other."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from warehouse import store
from warehouse.export.selection import ChosenRank

Shape: TypeAlias = Literal["csv", "events", "flows"]
Terms: TypeAlias = "tuple[tuple[str, str, Any], ...]"

# columns that a flow's row has
FLOW_COLUMNS = ("name", "id", "from_pid", "from_tid", "from_ts", "to_pid", "to_tid", "to_ts")


@dataclass(frozen=True)
class RowSection:
    """The rows of a view for one rank, and what they become: lines, events, or two events a row.

    `columns` are those that are written; `where` narrows the rows further than the selection does.  `is_laneless`: the
    slices have no lane yet.  `meets`: which of its numbers are wanted, those of threads or of processes alone.
    """

    view: str
    rank: ChosenRank
    columns: tuple[str, ...]
    shape: Shape
    where: Terms = ()
    is_laneless: bool = False
    meets: Literal["", "threads", "processes"] = ""

    @property
    def kinds(self) -> list[str]:
        """The format of each of its columns, as the view's header names it."""
        view = store.view(self.view)
        return [view.column(name).unit for name in self.columns]

    @property
    def fixed(self) -> dict[str, Any]:
        """Columns that have one value in all its rows."""
        return {"rank_id": self.rank.id, **{name: value for name, operator, value in self.where if operator == "="}}


def events_of(view: str, rank: ChosenRank, where: Terms = (), **more: Any) -> RowSection:
    """The rows of a view as events: all its columns but those that only filter and order.

    >>> events_of("trace_gc", rank).columns  # doctest: +SKIP
    ('ph', 'name', 'cat', 'pid', 'tid', 'ts', 'dur')
    """
    return RowSection(view, rank, written_columns(view), "events", where, **more)


def written_columns(view: str) -> tuple[str, ...]:
    """The columns of a view that are written; the others only filter and order.

    >>> written_columns("trace_gc")
    ('ph', 'name', 'cat', 'pid', 'tid', 'ts', 'dur')
    """
    return tuple(column.name for column in store.view(view).columns if not column.is_key)
