"""Traces in the vendor's form: a flat array, its processes and threads, absolute us as text.

trace_view.json is the framework's, msprof_*.json has the half of it that msprof makes.  The views
sql/trace/vendor_*.sql hold the rules (deliverables.md sections 1 and 15); here they only follow one another.
"""

from __future__ import annotations

from pathlib import Path

from warehouse.export.native_rows import runs
from warehouse.export.row_section import RowSection, Terms, events_of
from warehouse.export.selection import ChosenRank
from warehouse.export.source import ExportSource
from warehouse.export.trace_events import EventArray, interval_parts, peer_is_chosen, write_by_cursor

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
_COUNTERS = (
    "vendor_counter",
    "vendor_accelerator_counter",
    "vendor_link_counter",
    "vendor_port_counter",
    "vendor_memory_counter",
)
_FRAMEWORK_FLOWS = ("vendor_queue_flow", "vendor_forward_flow", "vendor_torch_flow")
_MSPROF_FLOWS = ("vendor_launch_flow", "vendor_mark_flow")
_PRUNED = ("vendor_api_slice", "vendor_task_slice")  # views that tell what the framework leaves out


def write_vendor_trace(source: ExportSource, rank: ChosenRank, path: Path) -> int:
    """Write the rank's trace_view.json to `path`; returns the number of its events, 0 if it has nothing but names.

    Slices and counters are those that the selection meets; of a flow both ends must be met.

    >>> write_vendor_trace(source, rank, Path("trace_view.json"))  # doctest: +SKIP
    1610
    """
    kept: Terms = (("is_pruned", "=", 0),)
    views = _FRAMEWORK_SLICES + _MSPROF_SLICES + _COUNTERS
    sections = [
        events_of(view, rank, (*(kept if view in _PRUNED else ()), *where))
        for view in views
        for where in interval_parts(source.connection, view, rank)
    ]
    names = events_of("vendor_metadata_event", rank, kept)
    return _write(source, path, names, sections, _FRAMEWORK_FLOWS + _MSPROF_FLOWS)


def write_msprof_trace(source: ExportSource, rank: ChosenRank, path: Path) -> int:
    """Write the rank's msprof_*.json to `path`; what it returns and what it takes is as for `write_vendor_trace`.

    >>> write_msprof_trace(source, rank, Path("msprof_20231125090304.json"))  # doctest: +SKIP
    753
    """
    names = events_of("vendor_metadata_event", rank, (("is_framework", "=", 0),))
    sections = [
        events_of(view, rank, where)
        for view in _MSPROF_SLICES + _COUNTERS
        for where in interval_parts(source.connection, view, rank)
    ]
    return _write(source, path, names, sections, _MSPROF_FLOWS)


def _write(
    source: ExportSource, path: Path, names: RowSection, sections: list[RowSection], flows: tuple[str, ...]
) -> int:
    rank = names.rank
    sections += [events_of(view, rank, peer_is_chosen(view, rank)) for view in flows]
    return source.written(lambda way: _write_array(way, path, names, sections))


def _write_array(source: ExportSource, path: Path, names: RowSection, sections: list[RowSection]) -> int:
    with path.open("wb") as file:
        with EventArray(file) as events:
            named = write_by_cursor(events, source.connection, names)
            for native, together in runs(source.native, sections):
                if native is not None:
                    events.write_natively(native, together)
                else:
                    for section in together:
                        write_by_cursor(events, source.connection, section)
        file.write(b"\n")
        return 0 if events.count == named else events.count
