"""analysis.db: its rows as reference, and the numbers it uses for communication groups."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from warehouse.readers.official_database import OfficialDatabase
from warehouse.readers.official_reference import analysis_rows
from warehouse.store import Loader
from warehouse.store.loader import Column

_NAMES_A_GROUP = 64


@dataclass
class AnalysisSample:
    """What is kept of an analysis.db in memory: for some operations, the number that stands for their group."""

    group_hashes: dict[str, str] = field(default_factory=dict)
    _seen: dict[str, int] = field(default_factory=dict)

    def note(self, operations: list[str], groups: list[str]) -> None:
        for operation, group in zip(operations, groups, strict=True):
            count = self._seen.get(group, 0)
            if count < _NAMES_A_GROUP and operation:
                self._seen[group] = count + 1
                self.group_hashes.setdefault(operation, group)


def load_analysis(loader: Loader, database: OfficialDatabase, rank_id: int, source_id: int) -> AnalysisSample:
    """Write the reference tables of a rank."""
    sample = AnalysisSample()
    for table, columns in analysis_rows(database):
        values: dict[str, Column] = dict(columns)
        loader.write(table, {"rank_id": rank_id, "source_id": source_id, **values})
        if table == "reference_comm_time":
            sample.note(_texts(columns["op_name"]), _texts(columns["group_name"]))
    return sample


def _texts(column: list[Any]) -> list[str]:
    return [value or "" for value in column]
