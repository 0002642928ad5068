"""trace_view.json in the vendor's form: a flat array, its processes and threads, absolute us as text.

The views sql/trace/vendor_*.sql hold the rules (deliverables.md section 1); here they only follow one another.
"""

from __future__ import annotations

from pathlib import Path

from warehouse.export.native_rows import runs
from warehouse.export.row_section import RowSection, events_of
from warehouse.export.selection import ChosenRank
from warehouse.export.source import ExportSource
from warehouse.export.trace_events import EventArray, peer_is_chosen, write_by_cursor

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


def write_vendor_trace(source: ExportSource, rank: ChosenRank, path: Path) -> int:
    """Write the rank's trace_view.json to `path`; returns the number of its events, 0 if it has nothing but names.

    Slices and counters are those that the selection meets; of a flow both ends must be met.

    >>> write_vendor_trace(source, rank, Path("trace_view.json"))  # doctest: +SKIP
    1610
    """
    sections = [events_of(view, rank) for view in _SLICES + _COUNTERS]
    sections += [events_of(view, rank, peer_is_chosen(view, rank)) for view in _FLOWS]
    return source.written(lambda way: _write(way, rank, sections, path))


def _write(source: ExportSource, rank: ChosenRank, sections: list[RowSection], path: Path) -> int:
    with path.open("wb") as file:
        with EventArray(file) as events:
            names = write_by_cursor(events, source.connection, events_of("vendor_metadata_event", rank))
            for native, together in runs(source.native, sections):
                if native is not None:
                    events.write_natively(native, together)
                else:
                    for section in together:
                        write_by_cursor(events, source.connection, section)
        file.write(b"\n")
        return 0 if events.count == names else events.count
