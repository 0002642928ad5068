"""How tensors flow through the operators of a recording: versions of storages, and who reads and writes them
(framework-files.md 5.13)."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from warehouse.batches.recorded_inputs import RecordedInput
from warehouse.profiler.timeline_events import BACKWARD, Allocation, Events, Key, Op


@dataclass
class Edge:
    """What a node does with one storage; `version` None: it is allocated there, `is_written` None: given back."""

    version: int | None = -1
    is_written: bool | None = False

    @property
    def is_allocation(self) -> bool:
        """Whether the storage begins in the node."""
        return self.version is None

    @property
    def is_deletion(self) -> bool:
        """Whether the storage ends in the node."""
        return self.is_written is None


@dataclass
class Node:
    """An operator that is looked at as a whole, or an allocation outside of all operators."""

    start: int
    event: Op | Allocation
    edges: dict[Key, Edge] = field(default_factory=dict)

    @property
    def is_backward(self) -> bool:
        """Whether it belongs to the backward pass."""
        return isinstance(self.event, Op) and self.event.is_backward

    def inputs(self) -> Iterator[tuple[Key, int]]:
        """Storages and versions that were there before."""
        for key, edge in self.edges.items():
            if edge.version is not None:
                yield key, edge.version

    def outputs(self) -> Iterator[tuple[Key, int]]:
        """Storages and versions that it leaves behind."""
        for key, edge in self.edges.items():
            if (edge.is_allocation and not edge.is_deletion) or edge.is_written:
                yield key, 0 if edge.version is None else edge.version + 1

    def intermediates(self) -> Iterator[Key]:
        """Storages that live in it alone."""
        return (key for key, edge in self.edges.items() if edge.is_allocation and edge.is_deletion)


@dataclass
class Graph:
    """Nodes in the order of their starts."""

    events: Events
    nodes: list[Node] = field(default_factory=list)
    last_version: dict[Key, int] = field(default_factory=dict)


def build_graph(events: Events) -> Graph:
    """The flow of a recording's tensors."""
    graph = Graph(events)
    leaves = [leaf for root in events.roots for leaf in _leaves(root)]
    for leaf in sorted(leaves, key=lambda each: each.start if isinstance(each, Op) else each.time):
        node = Node(leaf.start if isinstance(leaf, Op) else leaf.time, leaf, _edges(leaf, graph))
        for key, edge in node.edges.items():
            if edge.is_written and not edge.is_allocation:
                graph.last_version[key] += 1
        graph.nodes.append(node)
    return graph


def _leaves(root: Op | Allocation) -> Iterator[Op | Allocation]:
    """Allocations, functions of the backward pass, and registered operators; what lies in these is theirs."""
    waiting = [root]
    while waiting:
        each = waiting.pop()
        if isinstance(each, Allocation) or each.scope == BACKWARD or _has_schema(each):
            yield each
        else:
            waiting += reversed(each.children)


def _edges(leaf: Op | Allocation, graph: Graph) -> dict[Key, Edge]:
    inside = list(leaf.subtree()) if isinstance(leaf, Op) else [leaf]
    writes: dict[Key, set[bool | None]] = {}
    for each in inside:
        if isinstance(each, Op):
            written = written_inputs(each.name, each.inputs)
            for place, storage in each.tensors():
                writes.setdefault(graph.events.key(storage), set()).add(written[place])
    edges: dict[Key, Edge] = {}
    for key, found in writes.items():
        # also where no schema says anything: then nobody knows
        edges[key] = Edge(_version(graph, key), True in found or found == {None})
    allocations = [(graph.events.key(each.storage), each) for each in inside if isinstance(each, Allocation)]
    for key, each in allocations:
        if each.size < 0:
            edge = edges.setdefault(key, Edge())
            edge.version, edge.is_written = _version(graph, key), None
    for key, each in allocations:
        if each.size > 0:
            edges.setdefault(key, Edge()).version = None
            _version(graph, key)
    return dict(sorted(edges.items()))


def _version(graph: Graph, key: Key) -> int:
    return graph.last_version.setdefault(key, 0)


def _has_schema(op: Op) -> bool:
    kinds = tuple(each.kind for each in op.inputs)
    return "::" in op.name and (_torch() is None or _written(op.name, kinds) is not None)


def written_inputs(name: str, inputs: list[RecordedInput]) -> tuple[bool | None, ...]:
    """Whether an operator writes into each of its inputs; None where no schema tells."""
    return _written(name, tuple(each.kind for each in inputs)) or (None,) * len(inputs)


@cache
def _written(name: str, kinds: tuple[str, ...]) -> tuple[bool, ...] | None:
    """By all schemas that fit the kinds of the inputs; None if none does."""
    fitting = [each for each in _registered(name) if len(each) == len(kinds) and all(map(_fits, each, kinds))]
    if not fitting:
        return None
    writes = [[bool(argument.alias_info and argument.alias_info.is_write) for argument in each] for each in fitting]
    return tuple(any(column) for column in zip(*writes, strict=True))


@cache
def _torch() -> Any:
    try:
        return importlib.import_module("torch")
    except ImportError:
        return None


@cache
def _registered(name: str) -> list[list[Any]]:
    torch = _torch()
    if torch is None or "::" not in name:
        return []
    return [schema.arguments for schema in torch._C._jit_get_schemas_for_operator(name)]


def _fits(argument: Any, kind: str) -> bool:
    text = str(argument.type)
    if text == "Any":
        return True
    if text.startswith("Optional["):
        if kind == "none":
            return True
        text = text.removeprefix("Optional[").removesuffix("]")
    if text == "Tensor":
        return kind in ("tensor", "none")  # one that has no sizes is told as none
    if text.startswith("List[") and "Tensor" in text:
        return kind in ("tensors", "none", "scalars")  # an empty list has no kind of its own
    return kind not in ("tensor", "tensors")
