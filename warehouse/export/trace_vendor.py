"""trace_view.json in the vendor's form: a flat array, its processes and threads, absolute us as text.

The views sql/trace/vendor_*.sql hold the rules (deliverables.md section 1); here they only follow one another.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from warehouse import store
from warehouse.export.selection import ChosenRank
from warehouse.export.trace_events import EventArray, write_view

_SLICES = (
    "vendor_op_slice",
    "vendor_enqueue_slice",
    "vendor_dequeue_slice",
    "vendor_python_slice",
    "vendor_gc_slice",
    "vendor_mark_slice",
    "vendor_api_slice",
    "vendor_task_slice",
    "vendor_mark_task_slice",
    "vendor_comm_op_slice",
    "vendor_comm_task_slice",
    "vendor_overlap_slice",
)
_COUNTERS = ("vendor_counter", "vendor_accelerator_counter", "vendor_memory_counter")
_FLOWS = ("vendor_queue_flow", "vendor_forward_flow", "vendor_torch_flow", "vendor_launch_flow", "vendor_mark_flow")


def write_vendor_trace(connection: sqlite3.Connection, rank: ChosenRank, path: Path) -> int:
    """Write the rank's trace_view.json to `path`; returns the number of its events, 0 if it has nothing but names.

    Slices and counters are those that the selection meets; of a flow both ends must be met.

    >>> write_vendor_trace(connection, rank, Path("trace_view.json"))  # doctest: +SKIP
    1610
    """
    with path.open("wb") as file:
        with EventArray(file) as events:
            names = write_view(events, connection, rank, "vendor_metadata_event")
            for view in _SLICES + _COUNTERS:
                write_view(events, connection, rank, view)
            for view in _FLOWS:
                write_view(events, connection, rank, view, _peer_is_chosen(view, rank))
        file.write(b"\n")
        return 0 if events.count == names else events.count


def _peer_is_chosen(view: str, rank: ChosenRank) -> list[tuple[str, str, Any]]:
    """Conditions on the other end of a flow, as those that `rows_of` puts on this end."""
    terms: list[tuple[str, str, Any]] = []
    from_ns, to_ns = rank.from_ns, rank.to_ns
    if rank.step_ids is not None:
        if "peer_step_id" in {column.name for column in store.view(view).columns}:
            terms.append(("peer_step_id", "in", rank.step_ids))
        else:
            from_ns, to_ns = max(from_ns or 0, rank.step_from_ns), min(to_ns or rank.step_to_ns, rank.step_to_ns)
    if to_ns is not None:
        terms.append(("peer_start_ns", "<", to_ns))
    if from_ns is not None:
        terms.append(("peer_until_ns", ">", from_ns))
    return terms
