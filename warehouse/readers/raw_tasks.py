"""Tasks as the host handed them to the devices, with what they are: operators, parts of collectives, others
(cann-files.md 6.3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from warehouse.readers.raw_calls import RUNTIME, CallPart
from warehouse.readers.raw_describe import Describer
from warehouse.readers.raw_dictionary import Names
from warehouse.readers.raw_flips import Flips
from warehouse.readers.raw_graphs import GraphPart
from warehouse.readers.raw_rows import (
    NONE,
    Lookup,
    Numbers,
    aligned,
    as_bits,
    expanded,
    numbers,
    rows,
    with_columns,
)
from warehouse.readers.raw_run import RawRun
from warehouse.readers.sorted_rows import SortedRows

COMPUTE, SMALL_OP, OTHER = range(3)  # class of a task
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


def task_keys(device: Numbers, stream: Numbers, batch: Numbers, task: Numbers, context: Numbers) -> dict[str, Numbers]:
    """What both sides know a task by, as two numbers; context NONE: the task as a whole."""
    return {
        KEYS[0]: (device << 52) | (stream << 32) | batch,
        KEYS[1]: (task << 33) | np.where(context == NONE, 0, context + 1),
    }


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
        self._next_row = 0
        graphs.tensor_lists = self._describer.add_tensor_lists  # type: ignore[method-assign]

    def load_points(self) -> None:
        """Decode what is to be located in the tree of calls, and hand it to the calls."""
        for stream, fields in _POINTS.items():
            row = 0
            for kind, is_unaging, batch in self._run.host_stream(stream):
                if kind == "tensor_list":
                    self._describer.add_tensor_lists(batch)
                    continue
                count = batch.num_rows
                columns: dict[str, Any] = dict(zip(fields, map(as_bits, numbers(batch, *fields)), strict=True))
                (thread,) = numbers(batch, "thread")
                points = rows(
                    count, time=self._calls.ns(batch.column("time")), thread=thread, row=np.arange(row, row + count),
                    is_unaging=int(is_unaging), **columns,
                )  # fmt: skip
                row += count
                self._calls.add_points(stream, points)
        self._load_copies()
        self._find_flips()

    def _load_copies(self) -> None:
        row = 0
        for _, _, batch in self._run.host_stream("compact.memcpy_info"):
            thread, size, most, direction = numbers(batch, "thread", "size", "max_size", "direction")
            number = np.arange(row, row + len(size))
            row += len(size)
            time = self._calls.ns(batch.column("time"))
            self._copies.add(
                rows(len(size), time=time, thread=thread, size=size, most=most, direction=direction, row=number)
            )

    def _find_flips(self) -> None:
        version = self._run.config.host.info.get("drvVersion")
        if not isinstance(version, int) or version < _BATCH_IDS_SINCE:
            return
        for late in (False, True):
            for batch in self._calls.points("compact.task_track"):
                device, stream, time, task, number, kind = numbers(
                    batch, "device", "stream", "time", "task", "batch", "task_type"
                )
                flip = kind == _FLIP
                if late:
                    task_only = ~flip & (kind != _MAINTENANCE)
                    self._flips.see(*(column[task_only] for column in (device, stream, time, task)))
                elif flip.any():
                    self._flips.add(*(column[flip] for column in (device, stream, time, task, number)))
            if not self._flips.has_late:
                break

    def load(self) -> None:
        """Sort out the located tasks and describe them."""
        located = self._calls.located("compact.task_track")
        if located is None:
            return
        tracks = located.batches(together=["time"])
        for batch, (copies,) in aligned(tracks, [self._copies.batches()], ("time",)):
            self._sort_out(batch, copies)
        self._take_launched()
        self._take_small_ops()

    def _sort_out(self, batch: pa.RecordBatch, copies: pa.RecordBatch | None) -> None:
        device, stream, time, kind = numbers(batch, "device", "stream", "time", "task_type")
        track_batch = self._flips.batches(device, stream, time)
        model = np.where(
            batch.column("model").to_numpy() != NONE,
            batch.column("model_item").to_numpy(),
            self._graphs.models(device, stream, track_batch, time),
        )
        type_ = self._names.of_types(RUNTIME, kind)
        size, direction = self._copy_facts(batch, copies, self._names.types_named(type_, ("MEMCPY_ASYNC",)))
        # the batch slot of a task holds nothing of use: it is replaced by the computed one
        kept = [name for name in batch.schema.names if name not in ("batch", "model")]
        whole = with_columns(
            batch.select(kept),
            {"batch": track_batch, "model": model, "type": type_, "copy_size": size, "copy_direction": direction},
        )
        node, comm = numbers(batch, "node", "comm")
        is_task = (kind != _FLIP) & (kind != _MAINTENANCE) & (batch.column("device_kind").to_numpy() == 0)
        is_kernel = self._names.types_beginning(type_, "KERNEL") | self._names.types_named(type_, ("STARS_COMMON",))
        is_kernel |= self._names.types_named(type_, ("FFTS_PLUS",)) & (comm == NONE)
        launched = is_task & is_kernel & (node != NONE) & self._is_launching(batch)
        in_comm = is_task & ~launched & (comm != NONE)
        self._launched.add(whole.filter(pa.array(launched)))
        self._in_comm.add(whole.filter(pa.array(in_comm)))
        self._take_others(whole.filter(pa.array(is_task & ~launched & ~in_comm)))

    def _is_launching(self, batch: pa.RecordBatch) -> np.ndarray:
        """Whether the node around a task launches it: `step_info` and operators of the LCCL library do not."""
        item, type_ = numbers(batch, "node_item", "node_type")
        is_step = self._names.types_named(self._names.of_types(10000, type_), ("step_info",))
        found: np.ndarray = ~(is_step | self._describer.is_lccl(item))
        return found

    def _copy_facts(
        self, batch: pa.RecordBatch, copies: pa.RecordBatch | None, is_copy: np.ndarray
    ) -> tuple[Numbers, Numbers]:
        """Size and direction of each copy: of the n-th task with one stamp and thread the n-th part of the call's
        size."""
        count = batch.num_rows
        size, direction = np.full(count, NONE, np.int64), np.full(count, NONE, np.int64)
        if copies is None:
            return size, direction
        time, thread = numbers(batch, "time", "thread")
        when, where, total, most, way = numbers(copies, "time", "thread", "size", "most", "direction")
        known = {key: place for place, key in enumerate(zip(when.tolist(), where.tolist(), strict=True))}
        seen: dict[int, int] = {}
        for place in np.flatnonzero(is_copy & np.isin(time, when)).tolist():
            found = known.get((int(time[place]), int(thread[place])))
            if found is not None:
                done = seen.get(found, 0)
                size[place] = max(0, min(int(total[found]) - done, int(most[found]) or int(total[found])))
                seen[found] = done + int(size[place])
                direction[place] = way[found]
        return size, direction

    def _take_others(self, batch: pa.RecordBatch) -> None:
        """Tasks outside nodes.  Kernels among them, of captured graphs above all, have a cached description or at
        least a name (aclgraph.md 4, step 5)."""
        count = batch.num_rows
        if not count:
            return
        device, stream, task, model, type_, kernel = numbers(
            batch, "device", "stream", "task", "model", "type", "kernel_name"
        )
        is_kernel = self._names.types_named(type_, _KERNELS)
        place, facts = self._graphs.describe(device, stream, task, model)
        described = is_kernel & ((place != NONE) | (kernel != 0))
        context = np.where(self._names.types_named(type_, _MIX), 0, NONE)
        row = self._add(batch, np.where(described, COMPUTE, OTHER), context, batch.column("parent").to_numpy())
        self.operators.add(
            self._describer.outside(batch.filter(pa.array(described)), row[described], place[described], facts)
        )

    def _add(self, batch: pa.RecordBatch, class_: Numbers | int, context: Numbers, connection: Numbers) -> Numbers:
        """Take tasks; returns their rows."""
        count = batch.num_rows
        row = np.arange(self._next_row, self._next_row + count)
        self._next_row += count
        device, stream, batch_no, task = numbers(batch, "device", "stream", "batch", "task")
        model, type_, size, direction = numbers(batch, "model", "type", "copy_size", "copy_direction")
        self.tasks.add(
            rows(
                count,
                **task_keys(device, stream, batch_no, task, context),
                row=row,
                connection=connection,
                model=model,
                type=type_,
                class_=class_,
                copy_size=size,
                copy_direction=direction,
            )
        )
        return row

    def _take_launched(self) -> None:
        """Kernels launched in a node: a row an operator and context."""
        streams = (
            "compact.node_basic_info",
            "additional.tensor_info",
            "compact.node_attr_info",
            "additional.context_id_info",
        )
        others = [self._by("outer", stream) for stream in streams]
        launched = self._launched.batches(together=["outer"])
        for batch, found in aligned(launched, others, ("outer",)):
            node = self._describer.node(*found)
            task, operator = node.operators_of(batch)
            tracks = batch.take(pa.array(task))
            type_, outer = numbers(tracks, "type", "outer")
            context_count = node.context_counts(outer, operator) * self._names.types_named(type_, _WITH_CONTEXTS)
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
            tracks = tracks.take(pa.array(row))
            numbered = self._add(tracks, np.where(is_whole, OTHER, COMPUTE), context, tracks.column("node").to_numpy())
            kept = pa.array(~is_whole)
            self.operators.add(node.described(tracks.filter(kept), numbered[~is_whole], operator[row][~is_whole]))

    def _take_small_ops(self) -> None:
        """Tasks of collectives: a row an operation and context."""
        tracks = self._in_comm.batches(together=["comm"])
        for batch, (infos,) in aligned(tracks, [self._by("comm", "additional.hccl_info")], ("comm",)):
            comm, outer, parent, type_ = numbers(batch, "comm", "outer", "parent", "comm_type")
            master = self._names.types_named(self._names.of_types(5500, type_), ("master",))
            info = _HcclInfos(infos)
            row, place = info.of(comm)
            context = info.column("context", place)
            context[context == NO_CONTEXT] = NONE
            connection = np.where(outer == NONE, parent, outer)
            numbered = self._add(batch.take(pa.array(row)), SMALL_OP, context, connection[row])
            columns = {name: info.column(name, place) for name in _POINTS["additional.hccl_info"] if name != "context"}
            self.small_ops.add(
                rows(len(row), row=numbered, op=outer[row], is_master=master[row].astype(np.int64), **columns)
            )

    def _by(self, call: str, stream: str) -> Iterator[pa.RecordBatch]:
        """Located records of a stream, sorted by the call of that kind they lie in; those in none are left out."""
        located = self._calls.located(stream)
        if located is None:
            return
        ordered = SortedRows([call, "time", "row"], self._run.spill)
        for batch in located.batches():
            ordered.add(batch.filter(pa.array(batch.column(call).to_numpy() != NONE)))
        yield from ordered.batches()


class _HcclInfos:
    """Records of hccl_info, found by the call they lie in."""

    def __init__(self, infos: pa.RecordBatch | None) -> None:
        if infos is not None:  # of several with one context the last counts
            comm, context = numbers(infos, "comm", "context")
            order = np.lexsort((context, comm))
            last = np.r_[(np.diff(comm[order]) != 0) | (np.diff(context[order]) != 0), True]
            infos = infos.take(pa.array(order[last]))
        self._infos = infos
        self._comm = np.empty(0, np.int64) if infos is None else infos.column("comm").to_numpy()

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
            found[has] = self._infos.column(name).to_numpy()[place[has]]
        return found
