"""Which views become parquet files, and whether a view can be narrowed to what is chosen."""

from __future__ import annotations

from collections.abc import Sequence

from warehouse import store
from warehouse.export.selection import ChosenRank
from warehouse.store import View

LEFT_OUT = ("export", "trace", "check", "official")  # rooms whose views are text for files, or findings
_TIMES = (("start_ns", "end_ns"), ("time_ns", "time_ns"))


def parquet_views() -> list[str]:
    """Views that become files, in the order of their names.

    >>> "op_named" in parquet_views(), "export_op_statistic" in parquet_views()
    (True, False)
    """
    return sorted(view.name for view in store.views().values() if view.room not in LEFT_OUT)


def obstacle(view: str, ranks: Sequence[ChosenRank], is_part: bool) -> str:
    """Why the view's rows cannot be narrowed to what is chosen, empty if they can; `is_part`: some ranks of the
    warehouse are not chosen.

    A view that sums everything, or describes what all ranks share, cannot tell which of its rows belong to a part.

    >>> obstacle("kernel_named", [], is_part=True), obstacle("op_named", [], is_part=True)
    ('no rank', '')
    """
    names = column_names(store.view(view))
    if "rank_id" not in names:
        return "no rank" if is_part or any(rank.is_part for rank in ranks) else ""
    if all(not rank.is_part or time_columns(names) or _is_by_step(names, rank) for rank in ranks):
        return ""
    return "no time"


def column_names(view: View) -> set[str]:
    """The names of all columns of a view.

    >>> column_names(store.view("trace_base"))
    {'base_ns'}
    """
    return {column.name for column in view.columns}


def time_columns(names: set[str]) -> tuple[str, str] | None:
    """Which of these columns say when a row begins and ends, if any do.

    >>> time_columns({"rank_id", "time_ns"}), time_columns({"rank_id"})
    (('time_ns', 'time_ns'), None)
    """
    return next((pair for pair in _TIMES if set(pair) <= names), None)


def _is_by_step(names: set[str], rank: ChosenRank) -> bool:
    """Whether the part is steps alone and the rows know theirs."""
    return "step_id" in names and rank.from_ns is None and rank.to_ns is None
