"""trace_view.json in the vendor's form: a flat array, its processes and threads, absolute us as text.

The views sql/trace/vendor_*.sql hold the rules (deliverables.md section 1); here they only follow one another.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from warehouse.export.selection import ChosenRank
from warehouse.export.trace_events import EventArray, peer_is_chosen, write_view

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
                write_view(events, connection, rank, view, peer_is_chosen(view, rank))
        file.write(b"\n")
        return 0 if events.count == names else events.count
