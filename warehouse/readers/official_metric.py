"""PMU values of tasks (ascend-db.md 4): the n-th value of a name belongs to the n-th run of its descriptor.

Two sorted streams are merged, values and runs, because a plain join fans out over graph replays and a window function
over millions of values is several times slower.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from warehouse.batches.records import RECORDS
from warehouse.readers.issues import WARNING
from warehouse.readers.official_database import OfficialDatabase

_TABLE = "TASK_PMU_INFO"
_VALID = "typeof(globalTaskId) = 'integer' AND typeof(name) = 'integer' AND typeof(value) IN ('integer', 'real')"
Numbers = npt.NDArray[np.int64]


def metric_names(database: OfficialDatabase) -> list[int]:
    """String numbers of the metrics, in the order in which the source names them first."""
    if not database.has(_TABLE):
        return []
    rows = database.all(f"SELECT name FROM {_TABLE} WHERE {_VALID} GROUP BY name ORDER BY min(rowid)")
    return [name for (name,) in rows]


def task_metrics(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`task_metric` batches; a descriptor is never split between two batches."""
    if not database.has(_TABLE):
        return
    ledger = database.ledger
    bad, first = database.run(f"SELECT count(*), min(rowid) FROM {_TABLE} WHERE NOT {_VALID}").fetchone()
    ledger.reject(_TABLE, bad, "missing-value", "lacks its task, name or value", first_offset=first)
    runs = _Runs(database)
    lost = short = 0
    for descriptor, names, values in _whole_descriptors(database):
        name, value = names, values
        start = np.flatnonzero(np.r_[True, (descriptor[1:] != descriptor[:-1]) | (name[1:] != name[:-1])])
        size = np.diff(np.r_[start, len(name)])
        occurrence = np.arange(len(name)) - np.repeat(start, size)
        row, run_count = runs.find(descriptor, occurrence)
        found = row >= 0
        short += int(np.maximum(run_count[start] - size, 0).sum())
        lost += int((~found).sum())
        if not found.all():
            row, name, value = row[found], name[found], value[found]
        if len(row):
            ledger.load(_TABLE, len(row))
            yield pa.RecordBatch.from_arrays(
                [pa.array(row), pa.array(name), pa.array(value)], schema=RECORDS["task_metric"]
            )
    ledger.reject(_TABLE, lost, "no-task", "belongs to a run of a task that is not in TASK")
    if short:
        ledger.note(
            WARNING, "unequal-runs", "has fewer values than its tasks have runs; the last runs have none",
            table=_TABLE, count=short,
        )  # fmt: skip


def _whole_descriptors(
    database: OfficialDatabase,
) -> Iterator[tuple[Numbers, Numbers, npt.NDArray[np.float64]]]:
    """Values sorted by descriptor, name and place; the last descriptor of a batch waits for the next one."""
    statement = f"SELECT globalTaskId, name, value FROM {_TABLE} WHERE {_VALID} ORDER BY globalTaskId, name, rowid"
    kept: list[npt.NDArray[np.generic]] = [np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float64)]
    for rows in database.rows(statement):
        columns = [
            np.concatenate([old, np.array(new, dtype=old.dtype)])
            for old, new in zip(kept, zip(*rows, strict=True), strict=True)
        ]
        cut = int(np.searchsorted(columns[0], columns[0][-1]))
        kept = [column[cut:] for column in columns]
        if cut:
            yield columns[0][:cut], columns[1][:cut], columns[2][:cut]
    if len(kept[0]):
        yield kept[0], kept[1], kept[2]  # type: ignore[misc]


class _Runs:
    """Rows of TASK by descriptor and order of start, read along with the values."""

    def __init__(self, database: OfficialDatabase) -> None:
        self._source = database.rows("SELECT descriptor, row FROM temp.task_order ORDER BY descriptor, n")
        self._descriptor = np.empty(0, np.int64)
        self._row = np.empty(0, np.int64)

    def find(self, descriptor: Numbers, occurrence: Numbers) -> tuple[Numbers, Numbers]:
        """Row of the occurrence-th run (-1: there is none) and the number of runs, for ascending descriptors."""
        gone = int(np.searchsorted(self._descriptor, descriptor[0]))
        parts = [(self._descriptor[gone:], self._row[gone:])]
        last = self._descriptor[-1] if len(self._descriptor) else None
        while last is None or last <= descriptor[-1]:
            rows = next(self._source, None)
            if rows is None:
                break
            more = np.array(rows, dtype=np.int64)
            more = more[more[:, 0] >= descriptor[0]]
            last = rows[-1][0]
            parts.append((more[:, 0], more[:, 1]))
        self._descriptor = np.concatenate([part[0] for part in parts])
        self._row = np.concatenate([part[1] for part in parts])
        left = np.searchsorted(self._descriptor, descriptor)
        count = np.searchsorted(self._descriptor, descriptor, side="right") - left
        row = np.full(len(descriptor), -1, np.int64)
        has = occurrence < count
        row[has] = self._row[left[has] + occurrence[has]]
        return row, count
