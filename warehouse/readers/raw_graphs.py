"""Captured graphs: whom a stream serves when, and the descriptions the runtime cached (aclgraph.md 3, 4)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa

from warehouse.readers.raw_calls import CallPart
from warehouse.readers.raw_flips import Flips
from warehouse.readers.raw_rows import NONE, Numbers, numbers, or_null, record
from warehouse.readers.raw_run import RawRun

_CAPTURED = 0
_STREAM_BITS = 20
_EARLIEST = np.iinfo(np.int64).min
_FIELDS = (
    "model", "device", "stream", "task", "task_type", "block_count", "mix_ratio", "op_name", "op_type", "attr",
    "op_flag", "tensors",
)  # fmt: skip


@dataclass
class Capture:
    """A stream of a graph, from the time it was captured until another graph takes it or this one ends."""

    graph: int
    device: int
    model_stream: int
    original_stream: int
    generation: int  # captures of this stream before
    begin: int
    end: int | None = None


@dataclass
class Graph:
    """A model of the runtime.  A number may be given again when the graph that had it is destroyed."""

    device: int
    model: int
    generation: int  # of its first stream
    captured: int
    destroyed: int | None = None
    captures: list[Capture] = field(default_factory=list)


class GraphPart:
    """Streams of graphs and cached descriptions, held in memory: they are as many as there are captured tasks.

    Graphs are numbered in the order in which they were captured.  `tensor_lists` takes the tensors of descriptions.
    """

    def __init__(self, run: RawRun, calls: CallPart, tensor_lists: Callable[[pa.RecordBatch], None]) -> None:
        self._run = run
        self._calls = calls
        self._tensor_lists = tensor_lists
        self._graphs: list[Graph] = []
        self._of_stream: dict[int, list[Capture]] = {}  # device and stream in one -> in order of time
        self._facts: dict[str, Numbers] = {}
        self._described: dict[tuple[int, int, int], int] = {}  # graph, stream, task -> place of the description

    def load(self) -> None:
        """Decode streams of graphs and descriptions."""
        self._load_streams()
        self._load_descriptions()

    def _load_streams(self) -> None:
        found = []
        for _, _, batch in self._run.host_stream("compact.capture_stream_info"):
            columns = numbers(batch, "device", "model", "model_stream", "original_stream", "status")
            time = self._calls.ns(batch.column("time"))
            found += list(zip(*(each.tolist() for each in (time, *columns)), strict=True))
        alive: dict[tuple[int, int], int] = {}  # device, model -> graph
        for time, device, model, stream, original, status in sorted(found, key=lambda each: each[0]):
            if status != _CAPTURED:
                self._end(alive.pop((device, model), None), time)
                continue
            last = self._last(device, stream)
            if last is not None and last.end is None and self._graphs[last.graph].model == model:
                continue  # reported again
            if (device, model) not in alive:
                alive[device, model] = len(self._graphs)
                self._graphs.append(Graph(device, model, len(self._captures(device, stream)), time))
            self._begin(alive[device, model], stream, original, time)

    def _captures(self, device: int, stream: int) -> list[Capture]:
        return self._of_stream.setdefault((device << _STREAM_BITS) | stream, [])

    def _last(self, device: int, stream: int) -> Capture | None:
        captures = self._captures(device, stream)
        return captures[-1] if captures else None

    def _begin(self, graph: int, stream: int, original: int, time: int) -> None:
        device = self._graphs[graph].device
        before = self._captures(device, stream)
        if before and before[-1].end is None:
            before[-1].end = time
        capture = Capture(graph, device, stream, original, len(before), time)
        before.append(capture)
        self._graphs[graph].captures.append(capture)

    def _end(self, graph: int | None, time: int) -> None:
        if graph is not None:
            self._graphs[graph].destroyed = time
            for capture in self._graphs[graph].captures:
                capture.end = time if capture.end is None else capture.end

    def _load_descriptions(self) -> None:
        parts: dict[str, list[Numbers]] = {name: [] for name in (*_FIELDS, "is_unaging", "time")}
        for stream in ("additional.capture_op_info", "variable.capture_op_info"):
            for kind, is_unaging, batch in self._run.host_stream(stream):
                if kind != "capture_op_info":
                    self._tensor_lists(batch)
                    continue
                for name, column in zip(_FIELDS, numbers(batch, *_FIELDS), strict=True):
                    parts[name].append(column)
                parts["is_unaging"].append(np.full(batch.num_rows, int(is_unaging)))
                parts["time"].append(self._calls.ns(batch.column("time")))
        self._facts = {name: np.concatenate([np.empty(0, np.int64), *found]) for name, found in parts.items()}
        keys = zip(*(self._facts[name].tolist() for name in ("device", "model", "stream", "task", "time")), strict=True)
        for place, (device, model, stream, task, time) in enumerate(keys):
            # the last description of a task counts
            self._described[self._described_graph(device, model, stream, time), stream, task] = place

    def _described_graph(self, device: int, model: int, stream: int, time: int) -> int:
        """The graph that a description is of: the last one of its stream and model until then.  One that is not known
        otherwise has no beginning."""
        captures = [each for each in self._captures(device, stream) if self._graphs[each.graph].model == model]
        if not captures:
            self._graphs.append(Graph(device, model, len(self._captures(device, stream)), _EARLIEST))
            begin = _EARLIEST if self._last(device, stream) is None else time
            self._begin(len(self._graphs) - 1, stream, NONE, begin)
            return len(self._graphs) - 1
        begun = [each for each in captures if each.begin <= time]
        return (begun or captures[:1])[-1].graph

    def graphs(self, device: Numbers, stream: Numbers, time: Numbers) -> Numbers:
        """Graph of each task that the host reports, NONE outside of graphs (aclgraph.md 4, step 4)."""
        key = (device << _STREAM_BITS) | stream
        found = np.full(len(time), NONE, np.int64)
        for each in np.unique(key[np.isin(key, list(self._of_stream))]).tolist():
            captures = self._of_stream[each]
            mine = np.flatnonzero(key == each)
            place = np.searchsorted(np.array([capture.begin for capture in captures]), time[mine], side="right") - 1
            graph = np.array([capture.graph for capture in captures])
            end = np.array([np.iinfo(np.int64).max if capture.end is None else capture.end for capture in captures])
            inside = (place >= 0) & (time[mine] <= end[place])
            found[mine[inside]] = graph[place[inside]]
        return found

    def models(self, graph: Numbers) -> Numbers:
        """Numbers of the models of graphs, NONE for NONE."""
        model = np.array([*(each.model for each in self._graphs), NONE], dtype=np.int64)
        return model[graph]  # NONE is the last place

    def complete(self, flips: Flips) -> None:
        """Make sure that a stream has a flip between two graphs: without it they would share their tasks."""
        for key, captures in self._of_stream.items():
            begins = [capture.begin for capture in captures]
            flips.separate((key >> _STREAM_BITS, key & ((1 << _STREAM_BITS) - 1)), begins)

    def describe(self, graph: Numbers, stream: Numbers, task: Numbers) -> tuple[Numbers, dict[str, Numbers]]:
        """(place of each task's description or NONE, all descriptions)."""
        wanted = zip(*(column.tolist() for column in (graph, stream, task)), strict=True)
        found = np.array([self._described.get(key, NONE) for key in wanted], dtype=np.int64)
        return found, self._facts

    def streams_of(self, original: int) -> list[tuple[int, int]]:
        """(graph, model stream) of what was captured on a stream of the program."""
        captures = (capture for graph in self._graphs for capture in graph.captures)
        return [(each.graph, each.model_stream) for each in captures if each.original_stream == original]

    def graph_records(self) -> Iterator[pa.RecordBatch]:
        """`graph` batches."""
        if self._graphs:
            device, model, generation, captured, destroyed = (
                np.array([NONE if value is None else value for value in column], dtype=np.int64)
                for column in zip(
                    *((g.device, g.model, g.generation, g.captured, g.destroyed) for g in self._graphs), strict=True
                )
            )
            yield record(
                "graph", len(device), graph_no=np.arange(len(device)), device_id=device, model_no=model,
                generation=generation, captured_ns=or_null(captured, _EARLIEST), destroyed_ns=or_null(destroyed),
            )  # fmt: skip

    def stream_records(self) -> Iterator[pa.RecordBatch]:
        """`graph_stream` batches."""
        captures = [capture for graph in self._graphs for capture in graph.captures]
        if captures:
            columns = [(c.graph, c.model_stream, c.original_stream, c.generation) for c in captures]
            graph, stream, original, generation = np.array(columns, dtype=np.int64).T
            yield record(
                "graph_stream", len(captures), graph_no=graph, model_stream_no=stream,
                original_stream_no=or_null(original), generation=generation,
            )  # fmt: skip
