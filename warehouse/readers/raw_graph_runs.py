"""Which execution of its graph each task belongs to: no record says it, only the order in time does (aclgraph.md 3.3).

A stream runs its tasks in the order in which they were captured.  So an execution begins where the numbers of the tasks
on the graph's first stream go back; what other streams run belongs to the execution that began last.  Tasks whose
records were lost then shift no other task into another execution, and neither does an execution of which only the end
was recorded.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from warehouse.batches.records import DEVICE_TASK
from warehouse.readers.raw_rows import NONE, Numbers, numbers, or_null, record, rows
from warehouse.readers.sorted_rows import SortedRows, SpillFolder

_GRAPH = ("device", "graph", "model")
_Graph = tuple[int, ...]
_LATEST = np.iinfo(np.int64).max


class GraphRuns:
    """`add` tasks of graphs in any order, then `find` their executions; `records` and `numbered` tell them."""

    def __init__(self, folder: SpillFolder) -> None:
        self._tasks = SortedRows([*_GRAPH, "start", "context", "row"], folder)
        self._found = SortedRows(["start", "-end", "row"], folder)
        # graph -> stream -> (when it ran first, number of its first task)
        self._streams: dict[_Graph, dict[int, tuple[int, int]]] = {}
        self._runs: list[Numbers] = []  # device, graph, model, run, start, end, tasks

    def add(self, tasks: dict[str, Numbers]) -> None:
        """Columns device, graph, model, stream, batch, task, context, start, end and row of some tasks."""
        self._tasks.add(rows(len(tasks["row"]), **tasks))
        key = np.stack([tasks[name] for name in (*_GRAPH, "stream")])
        distinct, place = np.unique(key, axis=1, return_inverse=True)
        start, task = np.full((2, distinct.shape[1]), _LATEST)
        np.minimum.at(start, place.reshape(-1), tasks["start"])
        np.minimum.at(task, place.reshape(-1), _in_one(tasks))
        for (*graph, stream), when, what in zip(distinct.T.tolist(), start.tolist(), task.tolist(), strict=True):
            streams = self._streams.setdefault(tuple(graph), {})
            before = streams.get(stream, (when, what))
            streams[stream] = min(when, before[0]), min(what, before[1])

    def find(self, first_streams: dict[int, int]) -> None:
        """Number the executions of each graph from 1.  `first_streams`: graph -> the stream of its first captured task;
        where that ran nothing, it is the stream that ran first."""
        run = _Run((), NONE, 0)
        for batch in self._tasks.batches():
            names = ("stream", "batch", "task", "context", "start", "end", "row")
            found = dict(zip(names, numbers(batch, *names), strict=True))
            graphs = np.stack(numbers(batch, *_GRAPH))
            begins = np.flatnonzero(np.r_[True, (graphs[:, 1:] != graphs[:, :-1]).any(axis=0)])
            for first, last in zip(begins.tolist(), [*begins[1:].tolist(), batch.num_rows], strict=True):
                graph = tuple(graphs[:, first].tolist())
                if graph != run.graph:
                    streams = self._streams[graph]
                    stream = first_streams.get(graph[1], NONE)
                    if stream not in streams:
                        stream = min(streams, key=streams.__getitem__)
                    run = _Run(graph, stream, streams[stream][1])
                self._take(run, {name: column[first:last] for name, column in found.items()})

    def _take(self, run: _Run, part: dict[str, Numbers]) -> None:
        number = run.numbers(part)
        self._found.add(rows(len(number), start=part["start"], end=part["end"], row=part["row"], run=number))
        first = np.flatnonzero(np.r_[True, number[1:] != number[:-1]])
        end = np.maximum.reduceat(part["end"], first)
        count = np.diff(np.r_[first, len(number)])
        same = [np.full(len(first), value) for value in run.graph]
        self._runs.append(np.stack([*same, number[first], part["start"][first], end, count]))

    def records(self) -> Iterator[pa.RecordBatch]:
        """`graph_run` batches by device and start."""
        if not self._runs:
            return
        table = np.concatenate(self._runs, axis=1)
        first = np.flatnonzero(np.r_[True, (table[:4, 1:] != table[:4, :-1]).any(axis=0)])  # a run may be in two parts
        end, count = np.maximum.reduceat(table[5], first), np.add.reduceat(table[6], first)
        device, graph, model, run, start = table[:5, first]
        order = np.lexsort((run, model, graph, start, device))
        columns = {
            "device_id": device, "model_no": model, "run_no": run, "start_ns": start, "end_ns": end,
            "task_count": count,
        }  # fmt: skip
        yield record(
            "graph_run", len(order), graph_no=or_null(graph[order]),
            **{name: column[order] for name, column in columns.items()},
        )  # fmt: skip

    def numbered(self, events: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """`device_event` batches with the executions of the tasks that were added."""
        runs = _Taken(self._found.batches())
        for batch in events:
            place = batch.schema.get_field_index("run_no")
            kind, model = numbers(batch, "kind", "model_no")
            mine = np.flatnonzero((kind == DEVICE_TASK) & (model != NONE))
            run = np.full(batch.num_rows, NONE, np.int64)
            run[mine] = runs.take(len(mine))
            yield batch.set_column(place, batch.schema.field(place), or_null(run)) if len(mine) else batch


class _Run:
    """The execution of a graph that began last: its number, and where its first stream is.

    What comes before the first task of that stream began before the recording.
    """

    def __init__(self, graph: _Graph, stream: int, first_task: int) -> None:
        self.graph = graph
        self._stream = stream
        self._number = 0
        self._task = first_task + 1
        self._context = NONE - 1  # of what ran first of that task

    def numbers(self, part: dict[str, Numbers]) -> Numbers:
        """Executions of the next tasks."""
        begins = np.zeros(len(part["row"]), bool)
        first = np.flatnonzero(part["stream"] == self._stream)
        if len(first):
            task, context = _in_one(part)[first], part["context"][first]
            before = np.r_[self._task, task[:-1]]
            is_next = task != before
            # sub-tasks of a task: the first of them comes again
            leading = np.r_[self._context, context[is_next]][np.cumsum(is_next)]
            begins[first] = np.where(is_next, task < before, context == leading)
            self._task, self._context = int(task[-1]), int(leading[-1])
        if not self._number and not begins[0]:
            self._number = 1
        number: Numbers = self._number + np.cumsum(begins)
        self._number = int(number[-1])
        return number


def _in_one(tasks: dict[str, Numbers]) -> Numbers:
    """Batch and number of each task: they ascend as the tasks were captured."""
    return (tasks["batch"] << 32) | tasks["task"]


class _Taken:
    """Numbers of executions, as many at a time as are asked for."""

    def __init__(self, source: Iterator[pa.RecordBatch]) -> None:
        self._source = source
        self._rest: Numbers = np.empty(0, np.int64)

    def take(self, count: int) -> Numbers:
        parts = [self._rest]
        while sum(map(len, parts)) < count:
            parts.append(next(self._source).column("run").to_numpy())
        found = np.concatenate(parts)
        self._rest = found[count:]
        return found[:count]
