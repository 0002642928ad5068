"""Captured graphs: which model a stream belongs to and when, and the descriptions the runtime cached (aclgraph.md 3,
4)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from warehouse.readers.raw_calls import CallPart
from warehouse.readers.raw_rows import NONE, Numbers, numbers
from warehouse.readers.raw_run import RawRun

_CAPTURED = 0
_FIELDS = (
    "model", "device", "stream", "task", "task_type", "block_count", "mix_ratio", "op_name", "op_type", "attr",
    "op_flag", "tensors",
)  # fmt: skip


@dataclass
class Capture:
    """A stream of a graph, from the time it was captured."""

    time: int
    device: int
    model_stream: int
    original_stream: int
    model: int
    generation: int


class GraphPart:
    """Streams of graphs and cached descriptions, held in memory: they are as many as there are captured tasks."""

    def __init__(self, run: RawRun, calls: CallPart) -> None:
        self._run = run
        self._calls = calls
        self.captures: list[Capture] = []
        self._ranges: dict[tuple[int, int, int], list[tuple[int, int]]] = {}
        self._models: dict[tuple[int, int], list[Capture]] = {}
        self._facts: dict[str, Numbers] = {}
        self._keys: list[Numbers] = []
        self._order: Numbers = np.empty(0, np.int64)
        self._generation_of: dict[tuple[int, int, int], int] = {}

    def load(self) -> None:
        """Decode streams of graphs and descriptions."""
        self._load_streams()
        self._load_descriptions()

    def _load_streams(self) -> None:
        found = set()
        for _, _, batch in self._run.host_stream("compact.capture_stream_info"):
            status, stream, original, model, device = numbers(
                batch, "status", "model_stream", "original_stream", "model", "device"
            )
            time = self._calls.ns(batch.column("time"))
            found |= set(zip(*(each.tolist() for each in (time, device, stream, original, model, status)), strict=True))
        for time, device, stream, original, model, status in sorted(found):
            if status != _CAPTURED:
                continue
            before = self._models.setdefault((device, stream), [])
            capture = Capture(time, device, stream, original, model, len(before))
            before.append(capture)
            self.captures.append(capture)
            self._ranges.setdefault((device, stream, capture.generation), []).append((time, model))
            self._generation_of.setdefault((device, stream, model), capture.generation)

    def models(self, device: Numbers, stream: Numbers, batch: Numbers, time: Numbers) -> Numbers:
        """Model of each task by its stream, its batch and its time; NONE outside graphs (aclgraph.md 4, step 4)."""
        found = np.full(len(time), NONE, np.int64)
        for (each, where, generation), ranges in self._ranges.items():
            mine = (device == each) & (stream == where) & (batch == generation)
            for begin, model in ranges:
                found[mine & (time >= begin)] = model
        return found

    def _load_descriptions(self) -> None:
        parts: dict[str, list[Numbers]] = {name: [] for name in (*_FIELDS, "is_unaging")}
        for stream in ("additional.capture_op_info", "variable.capture_op_info"):
            for kind, is_unaging, batch in self._run.host_stream(stream):
                if kind != "capture_op_info":
                    self.tensor_lists(batch)
                    continue
                for name, column in zip(_FIELDS, numbers(batch, *_FIELDS), strict=True):
                    parts[name].append(column)
                parts["is_unaging"].append(np.full(batch.num_rows, int(is_unaging)))
        self._facts = {name: np.concatenate([np.empty(0, np.int64), *found]) for name, found in parts.items()}
        # the last description of a task counts
        keys = [self._facts[name] for name in ("device", "stream", "task", "model")]
        self._order = np.lexsort(keys[::-1])
        self._keys = [key[self._order] for key in keys]

    def tensor_lists(self, batch: object) -> None:
        """Takes `tensor_list` batches; replaced by whoever keeps them."""

    def describe(
        self, device: Numbers, stream: Numbers, task: Numbers, model: Numbers
    ) -> tuple[Numbers, dict[str, Numbers]]:
        """(place of each task's description or NONE, all descriptions).  A stream is told apart by its model, for a
        stream may serve one graph after the other."""
        found = np.full(len(task), NONE, np.int64)
        if len(self._order):
            known = {
                key: int(place)
                for key, place in zip(zip(*(key.tolist() for key in self._keys), strict=True), self._order, strict=True)
            }
            wanted = zip(*(column.tolist() for column in (device, stream, task, model)), strict=True)
            found = np.array([known.get(key, NONE) for key in wanted], dtype=np.int64)
        return found, self._facts
