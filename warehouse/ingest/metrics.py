"""PMU values of tasks: from one value a row to one task a row."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from warehouse.ingest.link import NONE, LinkTable, Numbers
from warehouse.ingest.rank_load import RankLoad
from warehouse.store.loader import Column
from warehouse.store.table_list import METRIC_COLUMNS

_BANDWIDTHS = "_bw"
_COUNTS = ("_fops", "_hit", "_miss_allocate")


def metric_column(name: str) -> str | None:
    """Column of kernel_metric for a counter's name in the database (deliverables.md 3.1), None if it has none.

    >>> metric_column("aic_mac_time"), metric_column("aiv_icache_miss_rate"), metric_column("aic_total_cycles")
    ('aic_mac_time_ns', 'aiv_icache_miss_ratio', 'aic_total_cycles_count')
    """
    column = name.lower()
    if column.endswith("_time"):
        column += "_ns"
    elif column.endswith("_cycles") or column.endswith(_COUNTS):
        column += "_count"
    elif column.endswith("_rate"):
        column = column.removesuffix("_rate") + "_ratio"
    return column if column in _KNOWN else None


_KNOWN = frozenset(METRIC_COLUMNS)


class MetricPass:
    """Streams `task_metrics` and `task_metric` batches into kernel_metric and kernel_metric_other."""

    def __init__(self, load: RankLoad, tasks: LinkTable) -> None:
        self._load = load
        self._tasks = tasks
        self._numbers = load.reader.metric_names()
        self._names = load.reader.texts(self._numbers)
        self._columns = [metric_column(name) for name in self._names]
        self._ids = load.strings.text_ids(*self._names)

    def run(self) -> None:
        """Read and write everything."""
        load = self._load
        if self._names:
            load.write(
                "rank_metric",
                {"position": list(range(len(self._names))), "name": self._names, "column_name": self._columns},
            )
        for batch in load.reader.read("task_metrics"):
            self._write_wide(batch)
        order = np.argsort(self._numbers, kind="stable") if self._numbers else np.empty(0, np.int64)
        numbers = np.array(self._numbers, dtype=np.int64)[order]
        lost = 0
        for batch in load.reader.read("task_metric"):
            (task,) = self._tasks.find(batch.column("task_row").to_numpy())
            position = order[np.searchsorted(numbers, batch.column("name").to_numpy())]
            value = batch.column("value").to_numpy(zero_copy_only=False)
            lost += int((task == NONE).sum())
            known = task != NONE
            self._write(task[known], position[known], value[known])
        if lost:
            load.ledger.take_back("TASK_PMU_INFO", lost, "no-task", "belongs to a task that was not loaded")

    def _write_wide(self, batch: pa.RecordBatch) -> None:
        """Rows of a task each; those of tasks that were not loaded have none to belong to."""
        (task,) = self._tasks.find(batch.column("task_row").to_numpy())
        if (task == NONE).any():
            batch, task = batch.filter(pa.array(task != NONE)), task[task != NONE]
        columns: dict[str, Column] = {"device_task_id": task}
        for place, (column, id_) in enumerate(zip(self._columns, self._ids.tolist(), strict=True)):
            values = batch.column(str(place))
            if column is not None:
                columns[column] = values
            else:
                self._load.write("kernel_metric_other", {"device_task_id": task, "name_id": id_, "value": values})
        if len(columns) > 1:
            self._load.write("kernel_metric", columns)

    def _write(self, task: Numbers, position: Numbers, value: npt.NDArray[np.float64]) -> None:
        has_column = np.array([column is not None for column in self._columns])[position]
        if has_column.any():
            self._write_table(task[has_column], position[has_column], value[has_column])
        other = ~has_column
        if other.any():
            columns: dict[str, Column] = {
                "device_task_id": task[other], "name_id": self._ids[position[other]], "value": pa.array(value[other]),
            }  # fmt: skip
            self._load.write("kernel_metric_other", columns)

    def _write_table(self, task: Numbers, position: Numbers, value: npt.NDArray[np.float64]) -> None:
        tasks, row = np.unique(task, return_inverse=True)
        cells = np.full((len(self._columns), len(tasks)), np.nan)
        cells[position, row] = value
        columns: dict[str, Column] = {"device_task_id": tasks}
        for column, values in zip(self._columns, cells, strict=True):
            if column is not None:
                empty = np.isnan(values)
                if not empty.all():
                    columns[column] = pa.array(values, mask=empty)
        self._load.write("kernel_metric", columns)
