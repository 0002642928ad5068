"""Traces in the vendor's form: a flat array, its processes and threads, absolute us as text.

trace_view.json is the framework's, msprof_*.json has the half of it that msprof makes.  The views
sql/trace/vendor_*.sql hold the rules (deliverables.md sections 1 and 15); here they only follow one another.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from warehouse.export.selection import ChosenRank
from warehouse.export.trace_events import EventArray, peer_is_chosen, write_view

Term = tuple[str, str, Any]  # a condition on a column

_FRAMEWORK_SLICES = (
    "vendor_op_slice",
    "vendor_enqueue_slice",
    "vendor_dequeue_slice",
    "vendor_python_slice",
    "vendor_gc_slice",
)
_MSPROF_SLICES = (
    "vendor_mark_slice",
    "vendor_api_slice",
    "vendor_task_slice",
    "vendor_mark_task_slice",
    "vendor_comm_op_slice",
    "vendor_comm_task_slice",
    "vendor_overlap_slice",
)
_COUNTERS = ("vendor_counter", "vendor_accelerator_counter", "vendor_memory_counter")
_FRAMEWORK_FLOWS = ("vendor_queue_flow", "vendor_forward_flow", "vendor_torch_flow")
_MSPROF_FLOWS = ("vendor_launch_flow", "vendor_mark_flow")
_PRUNED = ("vendor_api_slice", "vendor_task_slice")  # views that tell what the framework leaves out


def write_vendor_trace(connection: sqlite3.Connection, rank: ChosenRank, path: Path) -> int:
    """Write the rank's trace_view.json to `path`; returns the number of its events, 0 if it has nothing but names.

    Slices and counters are those that the selection meets; of a flow both ends must be met.

    >>> write_vendor_trace(connection, rank, Path("trace_view.json"))  # doctest: +SKIP
    1610
    """
    kept = [("is_pruned", "=", 0)]
    views = {view: kept if view in _PRUNED else [] for view in _FRAMEWORK_SLICES + _MSPROF_SLICES + _COUNTERS}
    return _write(connection, rank, path, kept, views, _FRAMEWORK_FLOWS + _MSPROF_FLOWS)


def write_msprof_trace(connection: sqlite3.Connection, rank: ChosenRank, path: Path) -> int:
    """Write the rank's msprof_*.json to `path`; what it returns and what it takes is as for `write_vendor_trace`.

    >>> write_msprof_trace(connection, rank, Path("msprof_20231125090304.json"))  # doctest: +SKIP
    753
    """
    views: dict[str, list[Term]] = {view: [] for view in _MSPROF_SLICES + _COUNTERS}
    return _write(connection, rank, path, [("is_framework", "=", 0)], views, _MSPROF_FLOWS)


def _write(
    connection: sqlite3.Connection,
    rank: ChosenRank,
    path: Path,
    of_metadata: list[Term],
    views: dict[str, list[Term]],
    flows: tuple[str, ...],
) -> int:
    with path.open("wb") as file:
        with EventArray(file) as events:
            names = write_view(events, connection, rank, "vendor_metadata_event", of_metadata)
            for view, where in views.items():
                write_view(events, connection, rank, view, where)
            for view in flows:
                write_view(events, connection, rank, view, peer_is_chosen(view, rank))
        file.write(b"\n")
        return 0 if events.count == names else events.count
