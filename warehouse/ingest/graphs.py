"""Captured graphs: executions, the calls that launched them, and the tasks they are made of (ascend-db.md 9)."""

from __future__ import annotations

import numpy as np

from warehouse.ingest.launches import Calls
from warehouse.ingest.link import NONE, LinkTable, Numbers
from warehouse.ingest.rank_load import RankLoad
from warehouse.ingest.strings import filled, nullable
from warehouse.readers.issues import INFO
from warehouse.store.loader import Column

_RUN_BITS = 32  # a link's number is graph id and run number in one


class Graphs:
    """Writes graph and graph_replay before the device pass, graph_node during it."""

    def __init__(self, load: RankLoad, calls: Calls) -> None:
        self._load = load
        self._ids: dict[tuple[int, int], int] = {}  # (device, model) -> graph
        self._nodes: dict[int, int] = {}  # descriptor -> graph_node
        self._calls = calls
        self._replays: LinkTable = load.links.table("replay api_call op step")

    def load_replays(self) -> None:
        """Write every execution; the n-th on a device belongs to the n-th launching call there, if they are as many."""
        load = self._load
        batches = list(load.reader.read("graph_run"))
        if not batches:
            return
        columns = {
            name: np.concatenate([filled(batch.column(name)) for batch in batches]) for name in batches[0].schema.names
        }
        count = len(columns["run_no"])
        call = self._matched_calls(columns["device_id"], columns["start_ns"])
        known = call != NONE
        api_call, op, step = (
            np.where(known, values[call] if len(values) else NONE, NONE)
            for values in (self._calls.api_call, self._calls.op, self._calls.step)
        )
        pairs = zip(columns["device_id"].tolist(), columns["model_no"].tolist(), strict=True)
        graph = np.array([self._graph(device, model) for device, model in pairs], dtype=np.int64)
        first = load.loader.reserve("graph_replay", count)
        replay = np.arange(first, first + count, dtype=np.int64)
        load.write(
            "graph_replay",
            {
                "id": replay, "graph_id": graph, "replay_no": columns["run_no"], "api_call_id": nullable(api_call),
                "op_id": nullable(op), "step_id": nullable(step), "start_ns": columns["start_ns"],
                "end_ns": columns["end_ns"], "task_count": columns["task_count"],
            },
            (columns["start_ns"], columns["end_ns"]),
        )  # fmt: skip
        self._replays.add((graph << _RUN_BITS) | columns["run_no"], replay, api_call, op, step)

    def _matched_calls(self, device: Numbers, start: Numbers) -> Numbers:
        """Index of the launching call of each execution (sorted by device and start), NONE where it is not certain."""
        matched = np.full(len(device), NONE, np.int64)
        for each in np.unique(device).tolist():
            mine = np.flatnonzero(device == each)
            calls = np.flatnonzero(self._calls.device == each)
            if len(mine) == len(calls) and (self._calls.start[calls] <= start[mine]).all():
                matched[mine] = calls
            else:
                self._load.ledger.note(
                    INFO,
                    "graph-call",
                    "executions of graphs have no certain launching call",
                    table="TASK",
                    count=len(mine),
                )
        return matched

    def _graph(self, device: int, model: int) -> int:
        key = (device, model)
        if key not in self._ids:
            self._ids[key] = self._load.loader.reserve("graph", 1)
            row = {"id": self._ids[key], "device_id": device, "model_no": model, "generation": 0}
            self._load.write("graph", row)
        return self._ids[key]

    def replays(self, device: Numbers, model: Numbers, run: Numbers) -> tuple[Numbers, list[Numbers]]:
        """Graph of each task, and [replay, api_call, op, step] of its execution."""
        pairs = zip(device.tolist(), model.tolist(), strict=True)
        graph = np.array([self._graph(each, number) for each, number in pairs], dtype=np.int64)
        return graph, self._replays.find((graph << _RUN_BITS) | run)

    def nodes(self, descriptor: Numbers, facts: dict[str, Numbers]) -> Numbers:
        """graph_node of each task; `facts` are the columns of those seen for the first time."""
        new = [place for place, each in enumerate(descriptor.tolist()) if self._is_new(each)]
        if new:
            columns: dict[str, Column] = {name: nullable(values[new]) for name, values in facts.items()}
            columns |= {name: facts[name][new] for name in ("stream_no", "task_no")}
            self._load.write("graph_node", {"id": [self._nodes[int(descriptor[place])] for place in new], **columns})
        return np.array([self._nodes[each] for each in descriptor.tolist()], dtype=np.int64)

    def _is_new(self, descriptor: int) -> bool:
        if descriptor in self._nodes:
            return False
        self._nodes[descriptor] = self._load.loader.reserve("graph_node", 1)
        return True
