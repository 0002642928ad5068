"""What each storage of a recording is for: parameter, gradient, activation … (framework-files.md 5.13)."""

from __future__ import annotations

import enum
from collections.abc import Iterable

from warehouse.profiler.timeline_events import BACKWARD, Events, Key, Op
from warehouse.profiler.timeline_graph import Graph, Node


class Category(enum.Enum):
    """In the order in which they are shown, from below."""

    PARAMETER = 0
    OPTIMIZER_STATE = 1
    INPUT = 2
    TEMPORARY = 3
    ACTIVATION = 4
    GRADIENT = 5
    AUTOGRAD_DETAIL = 6
    UNKNOWN = 7


Version = tuple[Key, int]
_ACCUMULATE = ("torch::autograd::AccumulateGrad", "struct torch::autograd::AccumulateGrad")
_TAKES_GRADIENT = ("aten::detach", "aten::add_")
_FORWARD = {Category.INPUT, Category.ACTIVATION}
_FORWARD_INPUTS = _FORWARD | {Category.PARAMETER, Category.TEMPORARY}
_KNOWN = (Category.GRADIENT, Category.PARAMETER)


class Categories:
    """The category of each version of a storage; what is said of a storage as a whole goes before what is said of one
    version of it."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._by_storage: dict[int, Category] = {}
        self._by_key: dict[Key, Category] = {}
        self._by_version: dict[Version, Category] = {}
        events = graph.events
        self._set_gradients(events)
        self._set_storages(events.parameters.weights, Category.PARAMETER)
        self._set_inputs()
        self._set_parameters_by_flow()
        self._set_activations()
        self._set_storages(events.parameters.states, Category.OPTIMIZER_STATE)
        self._set_autograd_details()

    def of(self, key: Key, version: int) -> Category | None:
        """The category, or None if nothing told it."""
        if key.is_tensor and key.storage in self._by_storage:
            return self._by_storage[key.storage]
        return self._by_key.get(key) or self._by_version.get((key, version))

    def _set_storages(self, storages: Iterable[int], category: Category) -> None:
        self._by_storage.update(dict.fromkeys(storages, category))

    def _set_gradients(self, events: Events) -> None:
        for root in events.roots:
            for op in root.subtree() if isinstance(root, Op) else ():
                if isinstance(op, Op) and op.scope == BACKWARD and op.name in _ACCUMULATE:
                    first = next((each for each in op.children if isinstance(each, Op)), None)
                    if first is not None and first.name in _TAKES_GRADIENT and first.storages and first.storages[0]:
                        self._by_storage[first.storages[0][0]] = Category.GRADIENT
        self._set_storages(events.parameters.gradients, Category.GRADIENT)
        for node in self._graph.nodes:
            self._by_key.update(dict.fromkeys(node.intermediates(), Category.TEMPORARY))

    def _is_known(self, key: Key, version: int) -> bool:
        return self.of(key, version) in _KNOWN

    def _set_inputs(self) -> None:
        """What comes into the forward pass from outside: it leads to gradients and parameters, but does not depend on
        them."""
        nodes = self._graph.nodes
        leading: set[Version] = set()
        for node in reversed(nodes):
            touched = [*node.inputs(), *node.outputs()]
            if any(each in leading or self._is_known(*each) for each in touched):
                leading.update(touched)
        for node in nodes:
            if node.is_backward:
                leading.difference_update(node.outputs())
        depending = self._depending_on_gradients()
        for version in leading:
            if version[0].storage not in depending:
                self._by_version.setdefault(version, Category.INPUT)

    def _depending_on_gradients(self) -> set[int]:
        """Storages of gradients and parameters that are used, and of all that comes out of their use."""
        depending: set[int] = set()
        while True:
            before = len(depending)
            for node in self._graph.nodes:
                inputs = list(node.inputs())
                if any(self._is_known(*each) or each[0].storage in depending for each in inputs):
                    depending.update(key.storage for key, version in inputs if self._is_known(key, version))
                    depending.update(key.storage for key, _ in node.outputs())
            if len(depending) == before:
                return depending

    def _set_parameters_by_flow(self) -> None:
        """Used in the forward pass, not made in it, and leading to a gradient: a parameter that no module told of."""
        nodes = self._graph.nodes
        reached = {version for version, category in self._by_version.items() if category is Category.INPUT}
        candidates: set[Version] = set()
        for node in nodes:
            inputs, outputs = list(node.inputs()), list(node.outputs())
            if node.is_backward or self._touches(node, Category.GRADIENT):
                continue
            if any(each in reached for each in inputs):
                reached.update(outputs)
                candidates.update(each for each in inputs if each not in reached)
        leading: set[Version] = set()
        for node in reversed(nodes):
            outputs = list(node.outputs())
            if any(each in leading or self.of(*each) is Category.GRADIENT for each in outputs):
                leading.update(node.inputs())
        depending = self._depending_on_gradients()
        found = {key.storage for key, version in candidates & leading if key.storage in depending}
        self._set_storages(found - set(self._by_storage), Category.PARAMETER)

    def _touches(self, node: Node, category: Category) -> bool:
        return any(self.of(*each) is category for each in (*node.inputs(), *node.outputs()))

    def _set_activations(self) -> None:
        for node in self._graph.nodes:
            categories = {self.of(*each) for each in node.inputs()}
            if not node.is_backward and categories & _FORWARD and categories <= _FORWARD_INPUTS:
                for version in node.outputs():
                    self._by_version.setdefault(version, Category.ACTIVATION)

    def _set_autograd_details(self) -> None:
        earlier = {None, Category.AUTOGRAD_DETAIL}
        for node in self._graph.nodes:
            if node.is_backward:
                for key, version in node.outputs():
                    if version == 0 or self.of(key, version - 1) in earlier:
                        self._by_version.setdefault((key, version), Category.AUTOGRAD_DETAIL)
