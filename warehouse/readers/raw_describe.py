"""What a task executes: operators from the records around their launch, or from what the runtime cached
(cann-files.md 6.3)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from warehouse.batches.records import KERNEL_OPERATOR, KERNEL_SCHEDULE
from warehouse.readers.raw_dictionary import Names
from warehouse.readers.raw_rows import NONE, Lookup, expanded, numbers, or_null, record
from warehouse.readers.raw_run import RawRun
from warehouse.readers.sorted_rows import Columns, Numbers

_GE_TYPES = {
    0: "AI_CORE", 1: "AI_CPU", 2: "AI_VECTOR_CORE", 3: "WRITE_BACK", 4: "MIX_AIC", 5: "MIX_AIV", 6: "FFTS_PLUS", 7:
    "DSA_SQE", 8: "DVPP", 9: "COMMUNICATION", 10: "FUSION", 11: "INVALID", 256: "HCCL_AI_CPU",
}  # fmt: skip
_MARKER = 6  # an operator of this type only marks a place
_RUNTIME_CORES = {
    "KERNEL_AICORE": "AI_CORE", "KERNEL_AICPU": "AI_CPU", "KERNEL_AIVEC": "AI_VECTOR_CORE", "KERNEL_SIMT":
    "AI_VECTOR_CORE", "KERNEL_MIX_AIC": "MIX_AIC", "KERNEL_MIX_AIV": "MIX_AIV",
}  # fmt: skip
_COMM_CORES = {"KERNEL_AICPU": "HCCL_AI_CPU", "KERNEL_AICORE": "COMMUNICATION"}
_TENSOR_TEXTS = ("input_shapes", "input_types", "input_formats", "output_shapes", "output_types", "output_formats")
_FIELDS = (
    "name", "op_type", "core", "block_count", "mix_block_count", "tensors", "attributes", "state", "hf32", "symbol",
)  # fmt: skip
_ALWAYS = ("name", "symbol")  # fields that the lowest level leaves
_SCHEDULING = "AicpuKernel"


class Describer:
    """Descriptions of operators; `has_details` is false where the level of the recording leaves only names."""

    def __init__(self, run: RawRun, names: Names, has_details: bool) -> None:
        self._run = run
        self.names = names
        self.has_details = has_details
        self.scheduling = np.empty(0, np.int64)  # descriptors of further kernels that drive collectives
        self._tensors: list[pa.RecordBatch] = []
        self._tensor_columns: dict[str, Numbers] | None = None
        run.strings.watch("lccl", lambda text: text.startswith("Lccl"))
        run.strings.watch("scheduling", lambda text: text.endswith(_SCHEDULING))
        word = run.strings.own
        self._cores = {number: word(name) for number, name in _GE_TYPES.items()}
        self._states = np.array([word("dynamic"), word("static")])
        self._hf32 = np.array([word("NO"), word("YES")])

    def add_tensor_lists(self, batch: pa.RecordBatch) -> None:
        """Take `tensor_list` rows, whose numbers ascend from 0 without gaps."""
        self._tensors.append(batch)
        self._tensor_columns = None

    def is_lccl(self, item: Numbers) -> np.ndarray:
        """Whether an item is an operator of the LCCL library."""
        lccl = self._run.strings.having("lccl")
        if not lccl:
            return np.zeros(len(item), bool)
        return self._run.strings.has_form("lccl", self.names.of_hashes(item))

    def core(self, ge_type: Numbers) -> Numbers:
        """String numbers of GE task types."""
        distinct, place = np.unique(ge_type, return_inverse=True)
        found = [self._cores.get(each, self._run.strings.own(str(each))) for each in distinct.tolist()]
        return np.array(found, dtype=np.int64)[place.reshape(-1)]

    def runtime_core(self, type_: Numbers, cores: dict[str, str]) -> Numbers:
        """String numbers of the cores that runtime task types stand for."""
        found = np.full(len(type_), NONE, np.int64)
        for name, core in cores.items():
            found[self.names.types_named(type_, (name,))] = self._run.strings.own(core)
        return found

    def node(
        self,
        basics: Columns | None,
        tensors: Columns | None,
        attributes: Columns | None,
        contexts: Columns | None,
    ) -> Node:
        """The records of some nodes."""
        return Node(self, basics, tensors, attributes, contexts)

    def outside(self, tracks: Columns, row: Numbers, place: Numbers, facts: dict[str, Numbers]) -> Columns:
        """Descriptions of kernels outside nodes; `place` leads to their cached description in `facts` or is NONE."""
        kernel, type_, blocks = (tracks[name] for name in ("kernel_name", "type", "block_count"))
        has = place != NONE

        def cached(name: str, missing: int = NONE) -> Numbers:
            found = np.full(len(row), missing, np.int64)
            found[has] = facts[name][place[has]]
            return found

        kernel_name = self.names.of_hashes(kernel)
        name = np.where(has, self.names.of_hashes(cached("op_name", 0)), kernel_name)
        found = {
            "name": name,
            "op_type": np.where(has, self.names.of_hashes(cached("op_type", 0)), kernel_name),
            "core": np.where(has, self.core(cached("task_type", 0)), self.runtime_core(type_, _RUNTIME_CORES)),
            "block_count": np.where(has, cached("block_count"), np.maximum(blocks, 0)),
            "mix_block_count": np.where(has, cached("block_count") * cached("mix_ratio"), 0),
            "tensors": cached("tensors"),
            "attributes": self.names.of_hashes(cached("attr", 0)),
            "state": np.where(has, self._states[cached("is_unaging", 0)], NONE),
            "hf32": np.where(has, self._hf32[cached("op_flag", 0) & 1], NONE),
            "symbol": kernel_name,
        }
        return self.finished(row, found)

    def finished(self, row: Numbers, found: Columns) -> Columns:
        """Rows of descriptions; at the lowest level only names and symbols are left."""
        if not self.has_details:
            for name in _FIELDS:
                if name not in _ALWAYS:
                    found[name] = np.full(len(row), 0 if name.endswith("count") else NONE, np.int64)
        return {"row": row, **{name: found[name] for name in _FIELDS}}

    def states(self, is_unaging: Numbers) -> Numbers:
        return self._states[is_unaging]

    def hf32(self, flag: Numbers) -> Numbers:
        """String numbers of whether HF32 may be used."""
        found: Numbers = self._hf32[flag & 1]
        return found

    def kernels(self, batches: Iterator[Columns]) -> Iterator[pa.RecordBatch]:
        """`kernel` batches from descriptions with a column `descriptor`."""
        tensors = self._tensor_table()
        strings = self._run.strings
        for found in batches:
            place = found["tensors"]
            texts = {}
            for name in _TENSOR_TEXTS:
                column = np.full(len(place), NONE, np.int64)
                column[place != NONE] = tensors[name][place[place != NONE]]
                texts[name] = or_null(strings.quoted(column) if name.endswith("shapes") else column)
            is_scheduling = strings.has_form("scheduling", found["name"])
            is_scheduling |= np.isin(found["descriptor"], self.scheduling)
            yield record(
                "kernel", len(place), descriptor_no=found["descriptor"],
                kind=np.where(is_scheduling, KERNEL_SCHEDULE, KERNEL_OPERATOR), name=found["name"],
                block_count=np.where(is_scheduling, NONE, found["block_count"]),
                **{name: or_null(found[name]) for name in ("op_type", "core", "mix_block_count", "attributes",
                "state", "hf32", "symbol")}, input_shapes=texts["input_shapes"], input_dtypes=texts["input_types"],
                input_formats=texts["input_formats"], output_shapes=texts["output_shapes"],
                output_dtypes=texts["output_types"], output_formats=texts["output_formats"],
            )  # fmt: skip

    def watch_tensor_texts(self) -> None:
        """Tell the strings which texts will be shown in quotes, before they are handed out."""
        for name in ("input_shapes", "output_shapes"):
            self._run.strings.quoted(self._tensor_table()[name])

    def _tensor_table(self) -> dict[str, Numbers]:
        if self._tensor_columns is None:
            self._tensor_columns = {
                name: np.concatenate([np.empty(0, np.int64), *(numbers(each, name)[0] for each in self._tensors)])
                for name in _TENSOR_TEXTS
            }
        return self._tensor_columns


class Node:
    """Records around the launches of some nodes, found by node and operator."""

    def __init__(
        self,
        describer: Describer,
        basics: Columns | None,
        tensors: Columns | None,
        attributes: Columns | None,
        contexts: Columns | None,
    ) -> None:
        self._describer = describer
        self._basics = _columns(
            basics, "node", "op_name", "task_type", "op_type", "block_count", "mix_ratio", "op_flag", "is_unaging"
        )
        self._basic = Lookup(self._basics["node"], self._basics["op_name"])
        self._tensors = _columns(tensors, "outer", "op_name", "tensors")
        self._tensor = Lookup(self._tensors["outer"], self._tensors["op_name"])
        attributes_ = _columns(attributes, "outer", "op_name", "attr_type", "attr")
        is_text = attributes_["attr_type"] == 0
        self._attributes = {name: column[is_text] for name, column in attributes_.items()}
        self._attribute = Lookup(self._attributes["outer"], self._attributes["op_name"])
        contexts_ = _columns(contexts, "level", "outer", "op_name", "context")
        of_node = contexts_["level"] == 10000
        self._contexts = {name: column[of_node] for name, column in contexts_.items()}
        self._context = Lookup(self._contexts["outer"], self._contexts["op_name"])

    def operators_of(self, tracks: Columns) -> tuple[Numbers, Numbers]:
        """(task, hash of the operator): every operator of the task's node, or what the node itself handles."""
        node, comm, item, comm_item = (tracks[name] for name in ("node", "comm", "node_item", "comm_item"))
        first = self._basic.first(self._basics["node"], self._basics["op_name"]) == np.arange(len(self._basics["node"]))
        listed = np.flatnonzero(first & (self._basics["task_type"] != _MARKER))
        listed = listed[np.argsort(self._basics["node"][listed], kind="stable")]
        of_node = self._basics["node"][listed]
        left = np.searchsorted(of_node, node)
        count = np.where(comm == NONE, np.searchsorted(of_node, node, side="right") - left, 0)
        task, part = expanded(np.maximum(count, 1))
        has = count[task] > 0
        operator = np.where(comm[task] != NONE, comm_item[task], item[task])
        operator[has] = self._basics["op_name"][listed[(left[task] + part)[has]]]
        return task, operator

    def context_counts(self, outer: Numbers, operator: Numbers) -> Numbers:
        return self._context.all_of(outer, operator)[1]

    def contexts(self, outer: Numbers, operator: Numbers, part: Numbers) -> Numbers:
        """The part-th context of an operator."""
        left, _ = self._context.all_of(outer, operator)
        found: Numbers = self._contexts["context"][self._context.order[left + part]]
        return found

    def described(self, tracks: Columns, row: Numbers, operator: Numbers) -> Columns:
        """Descriptions of the tasks' operators."""
        describer = self._describer
        names = ("node", "outer", "comm", "type", "kernel_name", "block_count", "core_ratio")
        node, outer, comm, type_, kernel, blocks, ratio = (tracks[name] for name in names)
        basic = self._basic.first(node, operator)
        has = basic != NONE

        def of_basic(name: str) -> Numbers:
            found = np.zeros(len(row), np.int64)
            found[has] = self._basics[name][basic[has]]
            return found

        tensor = self._tensor.first(outer, operator)
        attribute = self._attribute.first(outer, operator)
        block_count = np.where(blocks > 0, blocks, of_basic("block_count"))
        mix_ratio = np.where(blocks > 0, ratio, of_basic("mix_ratio"))
        core = np.where(has, describer.core(of_basic("task_type")), NONE)
        found = {
            "name": describer.names.of_hashes(operator),
            "op_type": np.where(has, describer.names.of_hashes(of_basic("op_type")), NONE),
            "core": np.where(comm == NONE, core, describer.runtime_core(type_, _COMM_CORES)),
            "block_count": block_count,
            "mix_block_count": block_count * mix_ratio,
            "tensors": _at(self._tensors["tensors"], tensor),
            "attributes": describer.names.of_hashes(_at(self._attributes["attr"], attribute, 0)),
            "state": np.where(has, describer.states(of_basic("is_unaging")), NONE),
            "hf32": np.where(has, describer.hf32(of_basic("op_flag")), NONE),
            "symbol": describer.names.of_hashes(kernel),
        }
        return describer.finished(row, found)


def _columns(found: Columns | None, *names: str) -> Columns:
    return {name: np.empty(0, np.int64) if found is None else found[name] for name in names}


def _at(column: Numbers, place: Numbers, missing: int = NONE) -> Numbers:
    found = np.full(len(place), missing, np.int64)
    found[place != NONE] = column[place[place != NONE]]
    return found
