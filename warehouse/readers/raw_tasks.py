"""Tasks as the host handed them to the devices, with what they are: operators, parts of collectives, others
(cann-files.md 6.3)."""

from __future__ import annotations

from typing import Any

import numpy as np

from warehouse.readers.issues import INFO
from warehouse.readers.raw_calls import RUNTIME, CallPart
from warehouse.readers.raw_describe import Describer
from warehouse.readers.raw_dictionary import Names
from warehouse.readers.raw_flips import Flips
from warehouse.readers.raw_graphs import GraphPart
from warehouse.readers.raw_rows import NONE, Lookup, aligned, as_bits, chosen, expanded, numbers
from warehouse.readers.raw_run import RawRun
from warehouse.readers.sorted_rows import Columns, Mask, Numbers, SortedRows

# class of a task; a whole one stands beside rows for its contexts and describes nothing
COMPUTE, SMALL_OP, OTHER, WHOLE = range(4)
_FLIP, _MAINTENANCE = 98, 6  # runtime task types with fixed numbers
_BATCH_IDS_SINCE = 467473  # drvVersion
NO_CONTEXT = 0xFFFFFFFF
_WITH_CONTEXTS = (
    "KERNEL_AICORE", "KERNEL_AIVEC", "FFTS_PLUS", "KERNEL_SIMT", "KERNEL_MIX_AIC", "KERNEL_MIX_AIV",
)  # fmt: skip
_MIX = ("KERNEL_MIX_AIC", "KERNEL_MIX_AIV")
_KERNELS = ("KERNEL_AICORE", "KERNEL_AIVEC", "KERNEL_AICPU", "KERNEL_SIMT", *_MIX)
_POINTS = {
    "compact.task_track": (
        "device", "device_kind", "stream", "task", "batch", "task_type", "kernel_name", "block_count", "core_ratio",
    ),
    "compact.node_basic_info": ("op_name", "task_type", "op_type", "block_count", "mix_ratio", "op_flag"),
    "compact.node_attr_info": ("op_name", "attr_type", "attr"),
    "additional.tensor_info": ("op_name", "tensors"),
    "additional.context_id_info": ("level", "op_name", "position", "context"),
    "compact.hccl_op_info": ("relay", "retry", "data_type", "algorithm", "count", "group"),
    "additional.hccl_info": (
        "item", "group", "local_rank", "remote_rank", "rank_count", "plane", "context", "notify", "size", "data_type",
        "link_type", "transport_type", "rdma_type", "duration_estimated",
    ),
}  # fmt: skip
KEYS = ("device_stream_batch", "task_context")
_FLIP_FIELDS = ("device", "stream", "time", "task", "batch", "task_type")
_OF_NODES = (
    "compact.node_basic_info", "additional.tensor_info", "compact.node_attr_info", "additional.context_id_info",
)  # fmt: skip
# what is asked of the calls that the records of a stream lie in; by the first they are sorted
_LINKS = {
    "compact.node_basic_info": ("outer", "node"), "additional.tensor_info": ("outer",),
    "compact.node_attr_info": ("outer",), "additional.context_id_info": ("outer",),
    "compact.hccl_op_info": ("outer", "outer_item"), "additional.hccl_info": ("comm",),
}  # fmt: skip
_TRACK_LINKS = (
    "model", "model_item", "node", "node_item", "node_type", "outer", "comm", "comm_item", "comm_type", "parent",
)  # fmt: skip
_TRACK_FIELDS = ("time", "thread", "device", "stream", "task", "batch", "task_type")
_TASK_FIELDS = (
    "row", "device", "stream", "batch", "task", "model", "graph", "type", "copy_size", "copy_direction", "outer",
)  # fmt: skip
_LAUNCHED_FIELDS = (
    *_TASK_FIELDS, "node", "node_item", "comm", "comm_item", "kernel_name", "block_count", "core_ratio",
)  # fmt: skip
_COMM_FIELDS = (*_TASK_FIELDS, "comm", "comm_type", "parent")


def task_keys(device: Numbers, stream: Numbers, batch: Numbers, task: Numbers, context: Numbers) -> dict[str, Numbers]:
    """What both sides know a task by, as two numbers; context NONE: the task as a whole."""
    return {
        KEYS[0]: (device << 52) | (stream << 32) | batch,
        KEYS[1]: (task << 33) | np.where(context == NONE, 0, context + 1),
    }


def parts_of_keys(columns: Columns) -> tuple[Numbers, Numbers, Numbers, Numbers, Numbers]:
    """The reverse: device, stream, batch, task, context."""
    first, second = (columns[key] for key in KEYS)
    return first >> 52, (first >> 32) & 0xFFFFF, first & 0xFFFFFFFF, second >> 33, (second & ((1 << 33) - 1)) - 1


class HostTasks:
    """`tasks`: one row a task of the host, sorted by `KEYS`; `operators` and `small_ops`: what they are, by `row`."""

    def __init__(self, run: RawRun, names: Names, calls: CallPart, graphs: GraphPart, describer: Describer) -> None:
        self._run = run
        self._names = names
        self._calls = calls
        self._graphs = graphs
        self.tasks = SortedRows([*KEYS, "row"], run.spill)
        self.operators = SortedRows(["row"], run.spill)
        self.small_ops = SortedRows(["row"], run.spill)
        self.has_copies = "compact.memcpy_info" in run.files.host
        self._describer = describer
        self.has_details = describer.has_details
        self._copies = SortedRows(["time", "thread", "row"], run.spill)
        self._flips = Flips(is_inclusive=False)
        self._launched = SortedRows(["outer", "row"], run.spill)  # kernels launched in a node
        self._in_comm = SortedRows(["comm", "row"], run.spill)
        self._by_call: dict[str, SortedRows] = {}
        self._next_row = 0
        self._points = {stream: SortedRows(["time", "row"], run.spill) for stream in _POINTS}
        self._repeated = 0
        self.first_streams: dict[int, int] = {}  # graph -> stream of its first captured task

    def load_points(self) -> None:
        """Decode what is to be located in the tree of calls."""
        for stream, fields in _POINTS.items():
            row = 0
            for kind, is_unaging, batch in self._run.host_stream(stream):
                if kind == "tensor_list":
                    self._describer.add_tensor_lists(batch)
                    continue
                count = batch.num_rows
                columns: dict[str, Any] = dict(zip(fields, map(as_bits, numbers(batch, *fields)), strict=True))
                (thread,) = numbers(batch, "thread")
                self._points[stream].add_columns(
                    count, time=self._calls.ns(batch.column("time")), thread=thread, row=np.arange(row, row + count),
                    is_unaging=int(is_unaging), **columns,
                )  # fmt: skip
                row += count
        self._load_copies()
        self._find_flips()

    def _load_copies(self) -> None:
        row = 0
        for _, _, batch in self._run.host_stream("compact.memcpy_info"):
            thread, size, most, direction = numbers(batch, "thread", "size", "max_size", "direction")
            number = np.arange(row, row + len(size))
            row += len(size)
            time = self._calls.ns(batch.column("time"))
            self._copies.add_columns(
                len(size), time=time, thread=thread, size=size, most=most, direction=direction, row=number
            )

    def _find_flips(self) -> None:
        version = self._run.config.host.info.get("drvVersion")
        if not isinstance(version, int) or version < _BATCH_IDS_SINCE:
            self._graphs.complete(self._flips)
            return
        for late in (False, True):
            for columns in self._points["compact.task_track"].columns(_FLIP_FIELDS):
                device, stream, time, task, number, kind = (columns[name] for name in _FLIP_FIELDS)
                flip = kind == _FLIP
                if late:
                    task_only = ~flip & (kind != _MAINTENANCE)
                    self._flips.see(*(column[task_only] for column in (device, stream, time, task)))
                elif flip.any():
                    self._flips.add(*(column[flip] for column in (device, stream, time, task, number)))
            if not late:
                self._graphs.complete(self._flips)
            if not self._flips.has_late:
                break

    def load(self) -> None:
        """Locate the tasks, sort them out and describe them."""
        tracks = self._calls.located(self._points.pop("compact.task_track"), _TRACK_LINKS)
        for found, (copies,) in aligned(tracks, [self._copies], ("time",)):
            self._sort_out(found, copies)
        if self._repeated:
            text = "tasks that were reported more than once; they count once"
            self._run.ledger.note(INFO, "repeated", text, table="task_track", count=self._repeated)
        self._take_launched()
        self._take_small_ops()

    def by_call(self, stream: str) -> SortedRows:
        """Records of a stream, sorted by the call they lie in (`outer` or `comm`); those in none are left out."""
        if stream not in self._by_call:
            links = _LINKS[stream]
            ordered = self._by_call[stream] = SortedRows([links[0], "time", "row"], self._run.spill)
            for found in self._calls.located(self._points.pop(stream), links):
                ordered.add_columns(len(found["time"]), found[links[0]] != NONE, **found)
        return self._by_call[stream]

    def _sort_out(self, found: Columns, copies: Columns | None) -> None:
        found = self._once(found)
        device, stream, time, kind = (found[name] for name in ("device", "stream", "time", "task_type"))
        # the batch slot of a task holds nothing of use: it is replaced by the computed one
        found["batch"] = self._flips.batches(device, stream, time)
        is_outside = found["model"] == NONE  # of models of the graph engine
        graph = found["graph"] = np.where(is_outside, self._graphs.graphs(device, stream, time), NONE)
        found["model"] = np.where(is_outside, self._graphs.models(graph), found["model_item"])
        type_ = found["type"] = self._names.of_types(RUNTIME, kind)
        is_copy = self._names.types_named(type_, ("MEMCPY_ASYNC",))
        found["copy_size"], found["copy_direction"] = self._copy_facts(found, copies, is_copy)
        node, comm = found["node"], found["comm"]
        is_task = (kind != _FLIP) & (kind != _MAINTENANCE) & (found["device_kind"] == 0)
        is_kernel = self._names.types_beginning(type_, "KERNEL") | self._names.types_named(type_, ("STARS_COMMON",))
        is_kernel |= self._names.types_named(type_, ("FFTS_PLUS",)) & (comm == NONE)
        self._note_first_streams(graph[is_task], stream[is_task])
        launched = is_task & is_kernel & (node != NONE) & self._is_launching(found)
        in_comm = is_task & ~launched & (comm != NONE)
        count = len(time)
        self._launched.add_columns(count, launched, **{name: found[name] for name in _LAUNCHED_FIELDS})
        self._in_comm.add_columns(count, in_comm, **{name: found[name] for name in _COMM_FIELDS})
        self._take_others(chosen(found, is_task & ~launched & ~in_comm))

    def _once(self, found: Columns) -> Columns:
        """The tracks without those that are reported again, as those of a captured graph may be."""
        time = found["time"]
        if not (time[1:] == time[:-1]).any():
            return found
        columns = np.stack([found[name] for name in _TRACK_FIELDS])
        _, first = np.unique(columns, axis=1, return_index=True)
        self._repeated += len(time) - len(first)
        return found if len(first) == len(time) else chosen(found, np.sort(first))

    def _note_first_streams(self, graph: Numbers, stream: Numbers) -> None:
        """Tracks come in the order in which they were captured."""
        for each in np.unique(graph[graph != NONE]).tolist():
            self.first_streams.setdefault(each, int(stream[graph == each][0]))

    def _is_launching(self, found: Columns) -> Mask:
        """Whether the node around a task launches it: `step_info` and operators of the LCCL library do not."""
        is_step = self._names.types_named(self._names.of_types(10000, found["node_type"]), ("step_info",))
        launching: Mask = ~(is_step | self._describer.is_lccl(found["node_item"]))
        return launching

    def _copy_facts(self, tracks: Columns, copies: Columns | None, is_copy: Mask) -> tuple[Numbers, Numbers]:
        """Size and direction of each copy: of the n-th task with one stamp and thread the n-th part of the call's
        size."""
        time, thread = tracks["time"], tracks["thread"]
        size, direction = np.full(len(time), NONE, np.int64), np.full(len(time), NONE, np.int64)
        if copies is None:
            return size, direction
        total, most, way = (copies[name] for name in ("size", "most", "direction"))
        calls = zip(copies["time"].tolist(), copies["thread"].tolist(), strict=True)
        known = {key: place for place, key in enumerate(calls)}
        seen: dict[int, int] = {}
        for place in np.flatnonzero(is_copy & np.isin(time, copies["time"])).tolist():
            found = known.get((int(time[place]), int(thread[place])))
            if found is not None:
                done = seen.get(found, 0)
                size[place] = max(0, min(int(total[found]) - done, int(most[found]) or int(total[found])))
                seen[found] = done + int(size[place])
                direction[place] = way[found]
        return size, direction

    def _take_others(self, tracks: Columns) -> None:
        """Tasks outside nodes.  Kernels among them, of captured graphs above all, have a cached description or at
        least a name (aclgraph.md 4, step 5)."""
        type_ = tracks["type"]
        if not len(type_):
            return
        is_kernel = self._names.types_named(type_, _KERNELS)
        place, facts = self._graphs.describe(*(tracks[name] for name in ("graph", "stream", "task")))
        described = is_kernel & ((place != NONE) | (tracks["kernel_name"] != 0))
        context = np.where(self._names.types_named(type_, _MIX), 0, NONE)
        row = self._add(tracks, np.where(described, COMPUTE, OTHER), context, tracks["parent"])
        self._add_operators(
            self._describer.outside(chosen(tracks, described), row[described], place[described], facts)
        )

    def _add_operators(self, described: Columns) -> None:
        self.operators.add_columns(len(described["row"]), **described)

    def _add(self, tracks: Columns, class_: Numbers | int, context: Numbers, connection: Numbers) -> Numbers:
        """Take tasks; returns their rows."""
        count = len(context)
        row = np.arange(self._next_row, self._next_row + count)
        self._next_row += count
        keys = task_keys(tracks["device"], tracks["stream"], tracks["batch"], tracks["task"], context)
        kept = {name: tracks[name] for name in ("model", "graph", "type", "copy_size", "copy_direction")}
        self.tasks.add_columns(count, **keys, row=row, connection=connection, class_=class_, **kept)
        return row

    def _take_launched(self) -> None:
        """Kernels launched in a node: a row an operator and context."""
        others: list[SortedRows | None] = [self.by_call(stream) for stream in _OF_NODES]
        launched = self._launched.columns(together=["outer"])
        for columns, found in aligned(launched, others, ("outer",)):
            node = self._describer.node(*found)
            task, operator = node.operators_of(columns)
            outer = columns["outer"][task]
            has_contexts = self._names.types_named(columns["type"], _WITH_CONTEXTS)[task]
            context_count = node.context_counts(outer, operator) * has_contexts
            # with contexts, one more row stands for the task as a whole and describes nothing
            row, part = expanded(np.where(context_count > 0, context_count + 1, 1))
            has = context_count[row] > 0
            is_whole = has & (part == context_count[row])
            context = np.full(len(row), NONE, np.int64)
            listed = has & ~is_whole
            context[listed] = node.contexts(outer[row][listed], operator[row][listed], part[listed])
            context[context == NO_CONTEXT] = NONE
            # a task has one operator in a context
            first = Lookup(task[row], context).first(task[row], context) == np.arange(len(row))
            row, context, is_whole = row[first], context[first], is_whole[first]
            tracks = chosen(columns, task[row])
            numbered = self._add(tracks, np.where(is_whole, WHOLE, COMPUTE), context, tracks["node"])
            kept = ~is_whole
            self._add_operators(node.described(chosen(tracks, kept), numbered[kept], operator[row][kept]))

    def _take_small_ops(self) -> None:
        """Tasks of collectives: a row an operation and context."""
        tracks = self._in_comm.columns(together=["comm"])
        for columns, (infos,) in aligned(tracks, [self.by_call("additional.hccl_info")], ("comm",)):
            comm, outer, parent, type_ = (columns[name] for name in ("comm", "outer", "parent", "comm_type"))
            master = self._names.types_named(self._names.of_types(5500, type_), ("master",))
            info = _HcclInfos(infos)
            row, place = info.of(comm)
            context = info.column("context", place)
            context[context == NO_CONTEXT] = NONE
            connection = np.where(outer == NONE, parent, outer)
            numbered = self._add(chosen(columns, row), SMALL_OP, context, connection[row])
            facts = {name: info.column(name, place) for name in _POINTS["additional.hccl_info"] if name != "context"}
            self.small_ops.add_columns(
                len(row), row=numbered, op=outer[row], is_master=master[row].astype(np.int64), **facts
            )


class _HcclInfos:
    """Records of hccl_info, found by the call they lie in."""

    def __init__(self, infos: Columns | None) -> None:
        self._infos = infos
        if infos is not None:  # of several with one context the last counts
            comm, context = infos["comm"], infos["context"]
            order = np.lexsort((context, comm))
            last = np.r_[(np.diff(comm[order]) != 0) | (np.diff(context[order]) != 0), True]
            self._infos = chosen(infos, order[last])
        self._comm = np.empty(0, np.int64) if self._infos is None else self._infos["comm"]

    def of(self, comm: Numbers) -> tuple[Numbers, Numbers]:
        """(task, place of the record) for every record of a task's call; place NONE for a task without any."""
        left = np.searchsorted(self._comm, comm)
        count = np.searchsorted(self._comm, comm, side="right") - left
        row, part = expanded(np.maximum(count, 1))
        return row, np.where(count[row] > 0, left[row] + part, NONE)

    def column(self, name: str, place: Numbers) -> Numbers:
        found = np.full(len(place), NONE, np.int64)
        if self._infos is not None:
            has = place != NONE
            found[has] = self._infos[name][place[has]]
        return found
