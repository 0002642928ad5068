"""What the settings of the profiler say was recorded, and a database does not hold."""

from __future__ import annotations

from typing import Any

from warehouse.ingest.rank_load import RankLoad
from warehouse.readers.issues import WARNING
from warehouse.readers.profiler_json import CPU, NPU, recorded_activities

# activity -> what there must be of it, in which tables
_PARTS = {CPU: ("operators", ("op",)), NPU: ("tasks of the device", ("device_task", "comm_op"))}


def note_unmet(load: RankLoad, profiler: dict[str, Any]) -> None:
    """Note what the activities that were recorded should have left, and what is not there.  To be called when all is
    loaded; raw directories tell it more exactly (readers/raw_missing.py)."""
    recorded = recorded_activities(profiler)
    for activity, (what, tables) in _PARTS.items():
        if activity in recorded and not any(load.extents[table].rows for table in tables if table in load.extents):
            text = f"no {what}, which the profiler's settings ask for (activity {activity})"
            load.ledger.note(WARNING, "no-data", text)
