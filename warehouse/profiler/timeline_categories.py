"""What each storage of a recording is for: parameter, gradient, activation … (framework-files.md 5.13)."""

from __future__ import annotations

import enum
from array import array
from collections.abc import Iterable

import numpy as np

from warehouse.profiler.timeline_events import Numbers
from warehouse.profiler.timeline_graph import Flow, Graph


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


_PARAMETER, _STATE, _INPUT, _TEMPORARY, _ACTIVATION, _GRADIENT, _DETAIL, _UNKNOWN = (each.value for each in Category)
_NOTHING = 255  # told yet
_FORWARD = {_INPUT, _ACTIVATION}
_FORWARD_INPUTS = _FORWARD | {_PARAMETER, _TEMPORARY}


class Categories:
    """The category of each version of a storage; what is said of a storage as a whole goes before what is said of one
    version of it.

    A byte a version: `_of_storage` (of those that tensors use), `_short_lived`, `_of_version`, in that order.
    """

    def __init__(self, graph: Graph) -> None:
        self.flow = Flow(graph)
        self._storage_of = array("i", self.flow.storage_of.tobytes())
        self._is_tensor = graph.storages.is_tensor
        count = len(graph.storages.device)
        self._of_storage = bytearray([_NOTHING]) * count
        self._short_lived = bytearray([_NOTHING]) * count
        self._of_version = bytearray([_NOTHING]) * self.flow.count
        self._set_storages(graph.parameters.gradients, _GRADIENT)
        np.frombuffer(self._short_lived, np.uint8)[self.flow.short_lived] = _TEMPORARY
        self._set_storages(graph.parameters.weights, _PARAMETER)
        self._set_inputs()
        self._set_parameters_by_flow()
        self._set_activations()
        self._set_storages(graph.parameters.states, _STATE)
        self._set_autograd_details()

    def of_all(self) -> Numbers:
        """Number of the category of each version of the flow, UNKNOWN where nothing tells it."""
        found = self._resolved().astype(np.int64)
        return np.where(found == _NOTHING, _UNKNOWN, found)

    def _resolved(self) -> Numbers:
        storage = self.flow.storage_of
        is_tensor = np.frombuffer(self._is_tensor, np.uint8)[storage] != 0
        whole = np.where(is_tensor, np.frombuffer(self._of_storage, np.uint8)[storage], _NOTHING)
        short = np.frombuffer(self._short_lived, np.uint8)[storage]
        found: Numbers = np.where(whole != _NOTHING, whole, short)
        return np.where(found != _NOTHING, found, np.frombuffer(self._of_version, np.uint8)).astype(np.uint8)

    def _of(self, version: int) -> int:
        """As `_resolved`, of one version while more is told."""
        storage = self._storage_of[version]
        found: int = self._of_storage[storage] if self._is_tensor[storage] else _NOTHING
        if found == _NOTHING:
            found = self._short_lived[storage]
        return self._of_version[version] if found == _NOTHING else found

    def _set_storages(self, storages: Iterable[int], category: int) -> None:
        for storage in storages:
            self._of_storage[storage] = category

    def _set_version(self, version: int, category: int) -> None:
        if self._of_version[version] == _NOTHING:
            self._of_version[version] = category

    def _known(self) -> bytes:
        """Of each version whether it is a gradient's or a parameter's."""
        return np.isin(self._resolved(), (_GRADIENT, _PARAMETER)).tobytes()

    def _set_inputs(self) -> None:
        """What comes into the forward pass from outside: it leads to gradients and parameters, but does not depend on
        them."""
        flow, known = self.flow, self._known()
        leading = bytearray(flow.count)
        for node in reversed(range(flow.nodes)):
            inputs, outputs = flow.inputs_of(node), flow.outputs_of(node)
            if any(leading[each] or known[each] for each in inputs) or any(
                leading[each] or known[each] for each in outputs
            ):
                for each in inputs:
                    leading[each] = 1
                for each in outputs:
                    leading[each] = 1
        for node in range(flow.nodes):
            if flow.is_backward[node]:
                for each in flow.outputs_of(node):
                    leading[each] = 0
        depending = self._depending_on_gradients()
        for version in np.flatnonzero(np.frombuffer(leading, np.uint8)).tolist():
            if not depending[self._storage_of[version]]:
                self._set_version(version, _INPUT)

    def _depending_on_gradients(self) -> bytearray:
        """Of each storage whether it is a gradient's or a parameter's that is used, or comes out of the use of one."""
        flow, known, storage_of = self.flow, self._known(), self._storage_of
        depending = bytearray(len(self._of_storage))
        left = range(flow.nodes)
        while True:
            later = []  # nodes that depend on nothing yet
            for node in left:
                inputs = flow.inputs_of(node)
                if any(known[each] or depending[storage_of[each]] for each in inputs):
                    for each in inputs:
                        if known[each]:
                            depending[storage_of[each]] = 1
                    for each in flow.outputs_of(node):
                        depending[storage_of[each]] = 1
                else:
                    later.append(node)
            if len(later) == len(left):
                return depending
            left = later  # type: ignore[assignment]

    def _set_parameters_by_flow(self) -> None:
        """Used in the forward pass, not made in it, and leading to a gradient: a parameter that no module told of."""
        flow = self.flow
        is_gradient = (self._resolved() == _GRADIENT).tobytes()
        reached = bytearray((np.frombuffer(self._of_version, np.uint8) == _INPUT).tobytes())
        candidates: set[int] = set()
        for node in range(flow.nodes):
            inputs, outputs = flow.inputs_of(node), flow.outputs_of(node)
            if flow.is_backward[node] or any(is_gradient[each] for each in (*inputs, *outputs)):
                continue
            if any(reached[each] for each in inputs):
                for each in outputs:
                    reached[each] = 1
                candidates.update(each for each in inputs if not reached[each])
        leading = bytearray(flow.count)
        for node in reversed(range(flow.nodes)):
            if any(leading[each] or is_gradient[each] for each in flow.outputs_of(node)):
                for each in flow.inputs_of(node):
                    leading[each] = 1
        depending = self._depending_on_gradients()
        found = {self._storage_of[version] for version in candidates if leading[version]}
        self._set_storages(
            (each for each in found if depending[each] and self._of_storage[each] == _NOTHING), _PARAMETER
        )

    def _set_activations(self) -> None:
        flow = self.flow
        for node in range(flow.nodes):
            categories = {self._of(each) for each in flow.inputs_of(node)}
            if not flow.is_backward[node] and categories & _FORWARD and categories <= _FORWARD_INPUTS:
                for version in flow.outputs_of(node):
                    self._set_version(version, _ACTIVATION)

    def _set_autograd_details(self) -> None:
        flow, storage_of = self.flow, self._storage_of
        for node in range(flow.nodes):
            if flow.is_backward[node]:
                for version in flow.outputs_of(node):
                    is_first = version == 0 or storage_of[version - 1] != storage_of[version]
                    if is_first or self._of(version - 1) in (_NOTHING, _DETAIL):
                        self._set_version(version, _DETAIL)
