"""Captured graphs: their streams, executions, the calls that launched them, and the tasks they are made of."""

from __future__ import annotations

import numpy as np

from warehouse.ingest.graph_sums import NodeSums, ReplaySums
from warehouse.ingest.launches import Calls
from warehouse.ingest.link import NONE, LinkTable, Numbers
from warehouse.ingest.rank_load import RankLoad
from warehouse.ingest.strings import filled, nullable
from warehouse.readers.issues import INFO
from warehouse.store.loader import Column

_RUN_BITS = 32  # a link's number is graph id and run number in one
_Key = tuple[int, int, int]  # number of the graph, or NONE, device and model


class Graphs:
    """Writes graph and graph_stream before the device pass, and graph_node and graph_replay, with sums over their
    tasks, after it.

    Sources that tell no captures (databases; models of the graph engine) have what they have a model number for: their
    graphs and nodes are those that are met.
    """

    def __init__(self, load: RankLoad, executions: Calls, calls: LinkTable, launches: LinkTable) -> None:
        self._load = load
        self._ids: dict[_Key, int] = {}  # -> graph
        self._of_number: dict[int, int] = {}  # number of the graph -> graph
        self._executions = executions
        self._calls = calls
        self._launches = launches
        self._first_node = load.loader.reserve("graph_node", 0)
        self._nodes: list[dict[str, Numbers]] = []
        self._node_count = 0
        self._told = load.links.table("node")  # descriptor -> graph_node, of those that a reader tells
        self._met: dict[int, int] = {}  # the same, of those that are met
        self._node_sums = NodeSums()
        self._first_replay = load.loader.reserve("graph_replay", 0)
        self._replay_rows: dict[str, Column] = {}
        self._replays: LinkTable = load.links.table("replay api_call op step")
        self._replay_sums = ReplaySums(0)

    def load_graphs(self) -> None:
        """Write the graphs that were captured, and their streams."""
        load = self._load
        for batch in load.reader.read("graph"):
            number = batch.column("graph_no").to_numpy()
            first = load.loader.reserve("graph", len(number))
            self._of_number |= {each: first + place for place, each in enumerate(number.tolist())}
            names = ("device_id", "model_no", "generation", "captured_ns", "destroyed_ns")
            columns: dict[str, Column] = {name: batch.column(name) for name in names}
            load.write("graph", {"id": np.arange(first, first + len(number)), **columns})
        for batch in load.reader.read("graph_stream"):
            columns = {name: batch.column(name) for name in ("model_stream_no", "original_stream_no", "generation")}
            load.write("graph_stream", {"graph_id": self._numbered(batch.column("graph_no").to_numpy()), **columns})

    def _numbered(self, number: Numbers) -> Numbers:
        return np.array([self._of_number[each] for each in number.tolist()], dtype=np.int64)

    def load_nodes(self, kernels: LinkTable) -> None:
        """Take the captured tasks that the reader tells."""
        for batch in self._load.reader.read("graph_node"):
            names = ("stream_no", "task_no", "context_no", "batch_no")
            columns = {name: filled(batch.column(name)) for name in names}
            descriptor = batch.column("descriptor_no").to_numpy()
            columns["graph_id"] = self._numbered(batch.column("graph_no").to_numpy())
            columns["kernel_id"] = kernels.find(descriptor)[0]
            self._told.add(descriptor, self._take_nodes(columns, filled(batch.column("connection_no"))))

    def _take_nodes(self, columns: dict[str, Numbers], connection: Numbers) -> Numbers:
        """Ids of new nodes.  What captured a task is the call that its number leads to, but for a call that executes a
        graph."""
        call = dict(zip(self._calls.columns, self._calls.find(connection), strict=True))
        launch = dict(zip(self._launches.columns, self._launches.find(connection), strict=True))
        captured = (connection != NONE) & (launch["is_replay"] != 1)
        for name, source in _CAPTURED_BY.items():
            columns[name] = np.where(captured, call[source], NONE)
        self._nodes.append(columns)
        first = self._first_node + self._node_count
        self._node_count += len(connection)
        return np.arange(first, first + len(connection), dtype=np.int64)

    def load_replays(self) -> None:
        """Take every execution with the call that launched it."""
        batches = list(self._load.reader.read("graph_run"))
        if not batches:
            return
        columns = {
            name: np.concatenate([filled(batch.column(name)) for batch in batches]) for name in batches[0].schema.names
        }
        count = len(columns["run_no"])
        graph = self._graphs(columns["graph_no"], columns["device_id"], columns["model_no"])
        call = self._matched_calls(columns, graph)
        known = call != NONE
        api_call, op, step = (
            np.where(known, values[call] if len(values) else NONE, NONE)
            for values in (self._executions.api_call, self._executions.op, self._executions.step)
        )
        replay = np.arange(self._first_replay, self._first_replay + count, dtype=np.int64)
        self._replay_rows = {
            "id": replay, "graph_id": graph, "replay_no": columns["run_no"], "api_call_id": nullable(api_call),
            "op_id": nullable(op), "step_id": nullable(step), "start_ns": columns["start_ns"],
            "end_ns": columns["end_ns"], "task_count": columns["task_count"],
        }  # fmt: skip
        self._replay_sums = ReplaySums(count)
        self._replays.add((graph << _RUN_BITS) | columns["run_no"], replay, api_call, op, step)

    def _matched_calls(self, runs: dict[str, Numbers], graph: Numbers) -> Numbers:
        """Index of the launching call of each execution (sorted by device and start), NONE where there is none."""
        matched = np.full(len(graph), NONE, np.int64)
        for device in np.unique(runs["device_id"]).tolist():
            calls = np.flatnonzero(self._executions.device == device)
            mine = np.flatnonzero(runs["device_id"] == device)
            start, end = runs["start_ns"][mine], runs["end_ns"][mine]
            tasks = self._executions.start[calls].tolist()
            found = np.array(_launched_by(tasks, start, end, graph[mine]), dtype=np.int64)
            # a launching task may even begin after the graph has ended; if they are as many, one follows the other
            in_order = len(calls) == len(mine) and (self._executions.call_start[calls] <= start).all()
            if (found == NONE).any() and in_order:
                found = np.arange(len(mine))
            matched[mine[found != NONE]] = calls[found[found != NONE]]
        if lost := int((matched == NONE).sum()):
            text = "executions of graphs have no certain launching call"
            self._load.ledger.note(INFO, "graph-call", text, table="TASK", count=lost)
        return matched

    def _graphs(self, number: Numbers, device: Numbers, model: Numbers) -> Numbers:
        """Graphs by their numbers, those without by device and model; new ones are written."""
        columns = [number, np.where(number == NONE, device, NONE), np.where(number == NONE, model, NONE)]
        keys, place = np.unique(np.stack(columns), axis=1, return_inverse=True)
        ids = [self._graph((each, where, what)) for each, where, what in keys.T.tolist()]
        return np.array(ids, dtype=np.int64)[place.reshape(-1)]

    def _graph(self, key: _Key) -> int:
        number, device, model = key
        if number != NONE:
            return self._of_number[number]
        if key not in self._ids:
            self._ids[key] = self._load.loader.reserve("graph", 1)
            row = {"id": self._ids[key], "device_id": device, "model_no": model, "generation": 0}
            self._load.write("graph", row)
        return self._ids[key]

    def replays(self, number: Numbers, device: Numbers, model: Numbers, run: Numbers) -> tuple[Numbers, list[Numbers]]:
        """Graph of each task, and [replay, api_call, op, step] of its execution."""
        graph = self._graphs(number, device, model)
        return graph, self._replays.find((graph << _RUN_BITS) | run)

    def nodes(
        self, descriptor: Numbers, connection: Numbers, is_told: np.ndarray, facts: dict[str, Numbers]
    ) -> Numbers:
        """graph_node of each task; `facts` are the columns of those that no reader tells and that are met for the first
        time."""
        (node,) = self._told.find(descriptor)
        met = np.flatnonzero(~is_told)
        if len(met):
            distinct, first = np.unique(descriptor[met], return_index=True)
            new = np.sort(first[[each not in self._met for each in distinct.tolist()]])
            if len(new):
                place = met[new]
                ids = self._take_nodes({name: values[place] for name, values in facts.items()}, connection[place])
                self._met.update(zip(descriptor[place].tolist(), ids.tolist(), strict=True))
            node[met] = [self._met[each] for each in descriptor[met].tolist()]
        return node

    def add(self, node: Numbers, replay: Numbers, start: Numbers, end: Numbers) -> None:
        """Count executions of captured tasks, in order of their start."""
        known = node != NONE
        self._node_sums.add(node[known] - self._first_node, (end - start)[known])
        known &= replay != NONE
        self._replay_sums.add(replay[known] - self._first_replay, start[known], end[known])

    def write(self) -> None:
        """Write captured tasks and executions."""
        if self._node_count:
            self._load.loader.reserve("graph_node", self._node_count)
            columns = {name: np.concatenate([each[name] for each in self._nodes]) for name in self._nodes[0]}
            required = {name: columns.pop(name) for name in ("graph_id", "stream_no", "task_no")}
            node = np.arange(self._first_node, self._first_node + self._node_count, dtype=np.int64)
            sums = zip(_NODE_SUMS, self._node_sums.columns(self._node_count), strict=True)
            optional = {name: nullable(column) for name, column in columns.items()}
            self._load.write("graph_node", {"id": node, **required, **optional, **dict(sums)})
        if self._replay_rows:
            start, end = (np.asarray(self._replay_rows[name]) for name in ("start_ns", "end_ns"))
            self._load.loader.reserve("graph_replay", len(start))
            sums = zip(_REPLAY_SUMS, self._replay_sums.columns(), strict=True)
            self._load.write("graph_replay", {**self._replay_rows, **dict(sums)}, (start, end))


def _launched_by(tasks: list[int], start: Numbers, end: Numbers, graph: Numbers) -> list[int]:
    """Place of the launching task of each execution of a graph, NONE where there is none; both in order of their start.

    A launching task begins before the graph does and is over soon, or it waits for the graph's end on a stream that
    may have been busy before.  So it is the last one before the execution that launched nothing yet (not one from
    before the launch of the same graph's last execution); or else the first one that began during it.

    >>> _launched_by([0, 5, 40], np.array([6, 7, 30]), np.array([9, 20, 50]), np.array([2, 1, 1]))
    [1, 0, 2]
    """
    waiting: list[int] = []
    taken: set[int] = set()
    last: dict[int, int] = {}
    found, at = [], 0
    for begin, finish, of in zip(start.tolist(), end.tolist(), graph.tolist(), strict=True):
        while at < len(tasks) and tasks[at] <= begin:
            if at not in taken:
                waiting.append(at)
            at += 1
        if waiting and waiting[-1] > last.get(of, NONE):
            found.append(waiting.pop())
        else:
            inside = at
            while inside in taken:
                inside += 1
            found.append(inside if inside < len(tasks) and tasks[inside] <= finish else NONE)
            if found[-1] != NONE:
                taken.add(inside)
        if found[-1] != NONE:
            last[of] = found[-1]
    return found


_CAPTURED_BY = {"op_id": "op", "api_call_id": "api_call", "python_call_id": "python"}
_NODE_SUMS = ("replay_count", "total_ns", "shortest_ns", "longest_ns")
_REPLAY_SUMS = ("node_count", "work_ns", "busy_ns", "pause_ns")
