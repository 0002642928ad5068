"""Captured tasks as the host knows them, whether they ever ran or not (aclgraph.md 3.3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from warehouse.readers.raw_rows import NONE, Dictionary, Numbers, or_null, record
from warehouse.readers.raw_tasks import COMPUTE, KEYS, WHOLE, HostTasks, parts_of_keys
from warehouse.readers.sorted_rows import SortedRows

_COLUMNS = ("graph_no", "stream_no", "batch_no", "task_no", "context_no", "descriptor_no", "connection_no")


class GraphNodes:
    """In memory: they are as many as there are captured tasks."""

    def __init__(self) -> None:
        self._descriptors = Dictionary()
        self._parts: list[Numbers] = []

    def ran(self, host_row: Numbers, descriptor: Numbers) -> None:
        """Captured tasks, by their row among the host's, that ran under descriptors."""
        self._descriptors.add(host_row, descriptor)

    def collect(self, host: HostTasks, next_descriptor: int, operators: SortedRows) -> None:
        """Take all captured tasks.  Those that never ran have new descriptors; `operators` takes those that execute
        something."""
        for columns in host.tasks.columns(["graph", "class_", "row", "connection", *KEYS]):
            graph, class_, row, connection = (columns[name] for name in ("graph", "class_", "row", "connection"))
            node = (graph != NONE) & (class_ != WHOLE)
            if not node.any():
                continue
            descriptor = self._descriptors.find(row[node])
            new = descriptor == NONE
            descriptor[new] = np.arange(next_descriptor, next_descriptor + int(new.sum()))
            next_descriptor += int(new.sum())
            described = new & (class_[node] == COMPUTE)
            operators.add_columns(len(descriptor), described, row=row[node], descriptor=descriptor)
            _, *keys = (column[node] for column in parts_of_keys(columns))
            self._parts.append(np.stack([graph[node], *keys, descriptor, connection[node]]))

    def unlaunched(self) -> int:
        """How many of them no recorded call launched: their graph was captured before the recording started."""
        return sum(int((part[_COLUMNS.index("connection_no")] == NONE).sum()) for part in self._parts)

    def records(self) -> Iterator[pa.RecordBatch]:
        """`graph_node` batches by graph, then as they were captured."""
        if self._parts:
            table = np.concatenate(self._parts, axis=1)
            table = table[:, np.lexsort(table[4::-1])]
            columns = dict(zip(_COLUMNS, table, strict=True))
            nulls = {name: or_null(columns.pop(name)) for name in ("context_no", "connection_no")}
            yield record("graph_node", table.shape[1], **columns, **nulls)
