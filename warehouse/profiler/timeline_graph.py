"""How tensors flow through the operators of a recording: versions of storages, and who reads and writes them
(framework-files.md 5.13).

A node is an operator that is looked at as a whole (a registered one, or a function of the backward pass), or an
allocation outside of all of them.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from warehouse.profiler.timeline_events import Events, Happening, Numbers, Storages, Tensor
from warehouse.profiler.timeline_schemas import has_schema, written_inputs

BACKWARD = 1  # scope of a backward function
NEW = -1  # instead of a version: the storage begins in the node
READ, WRITTEN, GIVEN_BACK = range(3)  # what a node does with a storage
_ACCUMULATE = ("torch::autograd::AccumulateGrad", "struct torch::autograd::AccumulateGrad")
_TAKES_GRADIENT = ("aten::detach", "aten::add_")


def _longs() -> array[int]:
    return array("q")


@dataclass
class Parameters:
    """Storages of the program's parameters, of their gradients, and of what optimizers keep for them."""

    weights: set[int] = field(default_factory=set)
    gradients: set[int] = field(default_factory=set)
    states: set[int] = field(default_factory=set)


@dataclass
class Graph:
    """Nodes in the order of their starts; node n has the edges from `first_edge[n]` to that of the next, by storage."""

    storages: Storages = field(default_factory=Storages)
    parameters: Parameters = field(default_factory=Parameters)
    start: array[int] = field(default_factory=_longs)
    is_backward: bytearray = field(default_factory=bytearray)
    first_edge: array[int] = field(default_factory=lambda: array("q", [0]))
    edge_storage: array[int] = field(default_factory=_longs)
    edge_version: array[int] = field(default_factory=lambda: array("i"))  # before; NEW
    edge_use: bytearray = field(default_factory=bytearray)
    last_version: array[int] = field(default_factory=lambda: array("i"))  # of each storage
    # allocations in the order of their times
    allocation_time: array[int] = field(default_factory=_longs)
    allocation_size: array[int] = field(default_factory=_longs)  # below 0: given back
    allocation_storage: array[int] = field(default_factory=_longs)


@dataclass
class _Node:
    """A node while it is open: each storage with 1 if something wrote it, 2 if something only read it, 4 if nobody
    knows."""

    start: int
    end: int
    is_backward: bool
    uses: dict[int, int] = field(default_factory=dict)
    taken: list[int] = field(default_factory=list)
    given_back: list[int] = field(default_factory=list)


@dataclass
class _Call:
    """An operator that is open on a thread, and the node that it lies in."""

    end: int
    node: _Node | None
    awaits_gradient: bool


def build_graph(events: Events) -> Graph:
    """The flow of a recording's tensors."""
    sweep = _Sweep()
    for each in events.in_order():
        sweep.take(each)
    sweep.finish()
    graph = sweep.graph
    for parameter in events.parameters:  # as they were at the end
        for name, storages in (("tensor", graph.parameters.weights), ("grad", graph.parameters.gradients)):
            storages.update(_storages_of(parameter.get(name), graph.storages))
        for state in parameter.get("state") or ():
            graph.parameters.states.update(_storages_of(state, graph.storages))
    graph.last_version.extend([0] * (len(graph.storages.device) - len(graph.last_version)))
    return graph


def _storages_of(given: object, storages: Storages) -> Iterator[int]:
    if isinstance(given, list) and len(given) == 5 and given[0]:
        address, item_bytes, kind, index, sizes = given
        span = item_bytes * int(np.prod(sizes, dtype=np.int64)) if sizes else item_bytes
        yield storages.of(Tensor(0, address, (kind, index), span))


class _Sweep:
    """Goes through all that happened; a node is told when nothing more can fall into it or into one before it."""

    def __init__(self) -> None:
        self.graph = Graph()
        self._open: dict[int, list[_Call]] = {}
        self._waiting: deque[_Node] = deque()

    def take(self, each: Happening) -> None:
        while self._waiting and self._waiting[0].end < each.time:
            self._tell(self._waiting.popleft())
        calls = self._open.setdefault(each.thread, [])
        while calls and calls[-1].end < each.time:
            calls.pop()
        parent = calls[-1] if calls else None
        node = None if parent is None else parent.node
        if each.size:
            self._take_allocation(each, node)
            return
        storages = [(tensor.place, self.graph.storages.of(tensor)) for tensor in each.inputs.tensors]
        if parent is not None and parent.awaits_gradient:
            parent.awaits_gradient = False
            if each.name in _TAKES_GRADIENT and storages and storages[0][0] == 0:
                self.graph.parameters.gradients.add(storages[0][1])
        is_backward = each.scope == BACKWARD
        if node is None and (is_backward or has_schema(each.name, each.inputs.kinds)):
            node = _Node(each.time, each.end, is_backward)
            self._waiting.append(node)
        calls.append(_Call(each.end, node, is_backward and each.name in _ACCUMULATE))
        if node is not None and storages:
            written = written_inputs(each.name, each.inputs.kinds)
            for place, storage in storages:
                bit = 4 if written[place] is None else 1 if written[place] else 2
                node.uses[storage] = node.uses.get(storage, 0) | bit

    def finish(self) -> None:
        """Nothing happens any more."""
        while self._waiting:
            self._tell(self._waiting.popleft())

    def _take_allocation(self, each: Happening, node: _Node | None) -> None:
        graph = self.graph
        storage = graph.storages.at(each.address, each.device)
        graph.allocation_time.append(each.time)
        graph.allocation_size.append(each.size)
        graph.allocation_storage.append(storage)
        if node is None:
            node = _Node(each.time, each.time, is_backward=False)
            self._waiting.append(node)
        if each.size > 0:
            node.taken.append(storage)
        else:
            graph.storages.release(each.address, each.device)
            node.given_back.append(storage)

    def _tell(self, node: _Node) -> None:
        graph = self.graph
        missing = len(graph.storages.device) - len(graph.last_version)
        if missing:
            graph.last_version.extend([0] * missing)
        versions = graph.last_version
        edges: dict[int, tuple[int, int]] = {}
        for storage, bits in node.uses.items():
            # also where no schema says anything: then nobody knows
            edges[storage] = versions[storage], WRITTEN if bits & 1 or bits == 4 else READ
        for storage in node.given_back:
            edges[storage] = versions[storage], GIVEN_BACK
        for storage in node.taken:
            edges[storage] = NEW, edges[storage][1] if storage in edges else READ
        for storage in sorted(edges):
            version, use = edges[storage]
            graph.edge_storage.append(storage)
            graph.edge_version.append(version)
            graph.edge_use.append(use)
            if use == WRITTEN and version != NEW:
                versions[storage] += 1
        graph.start.append(node.start)
        graph.is_backward.append(node.is_backward)
        graph.first_edge.append(len(graph.edge_storage))


class Flow:
    """What each node takes and leaves, as numbers of versions: those of a storage from `first[storage]` on."""

    def __init__(self, graph: Graph) -> None:
        counts = np.frombuffer(graph.last_version, np.int32).astype(np.int64) + 1 if graph.last_version else _none()
        self.first: Numbers = np.cumsum(counts) - counts
        self.count = int(counts.sum())
        self.storage_of: Numbers = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
        storage = np.frombuffer(graph.edge_storage, np.int64) if graph.edge_storage else _none()
        version = np.frombuffer(graph.edge_version, np.int32).astype(np.int64) if graph.edge_version else _none()
        use = np.frombuffer(bytes(graph.edge_use), np.uint8)
        is_new = version == NEW
        edges = np.frombuffer(graph.first_edge, np.int64)
        base = self.first[storage]
        self.first_input, self.inputs = _picked(edges, ~is_new, base + version)
        leaves = (is_new & (use != GIVEN_BACK)) | (use == WRITTEN)
        self.first_output, self.outputs = _picked(edges, leaves, base + np.where(is_new, 0, version + 1))
        self.short_lived: Numbers = storage[is_new & (use == GIVEN_BACK)]  # storages that live in one node alone
        self.is_backward = graph.is_backward
        self.nodes = len(graph.start)

    def inputs_of(self, node: int) -> array[int]:
        """Versions that were there before."""
        return self.inputs[self.first_input[node] : self.first_input[node + 1]]

    def outputs_of(self, node: int) -> array[int]:
        """Versions that it leaves behind."""
        return self.outputs[self.first_output[node] : self.first_output[node + 1]]


def _none() -> Numbers:
    return np.zeros(0, np.int64)


def _picked(edges: Numbers, is_picked: object, value: Numbers) -> tuple[array[int], array[int]]:
    """Some edges of each node: the first of each, and all values."""
    picked = np.asarray(is_picked)
    before = np.concatenate([[0], np.cumsum(picked)])
    return array("q", before[edges].astype(np.int64).tobytes()), array("q", value[picked].astype(np.int64).tobytes())
