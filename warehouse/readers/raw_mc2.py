"""Collectives that the AI CPU drives while a kernel computes (cann-files.md 6.5, MC2).

Every task on the kernel stream of a group is an operation with the task's time; tasks on its other streams are what the
operation is made of, and belong to that in whose time they start.  What was captured on the kernel stream runs on the
stream of its graph instead (aclgraph.md 4, step 7).  The AI CPU's records tell stream and task: the n-th
record of a number is the n-th execution, where there are as many.

Source: the vendor's public parser (github.com/Ascend/msprof; facts of analysis/mscalculate/hccl/kfc_calculator.py).
Read, not proven, as no run that was at hand has such collectives.
"""

from __future__ import annotations

import numpy as np

from warehouse.readers.issues import INFO
from warehouse.readers.raw_aicpu import COMM_OP, COMM_TASK, AicpuPart
from warehouse.readers.raw_comm import CommPart
from warehouse.readers.raw_device import DevicePart
from warehouse.readers.raw_dictionary import Names
from warehouse.readers.raw_graphs import GraphPart
from warehouse.readers.raw_rows import NONE, Numbers, aligned, aligned_whole, numbers, pair_codes, rows
from warehouse.readers.raw_run import RawRun
from warehouse.readers.raw_tasks import HostTasks
from warehouse.readers.sorted_rows import SortedRows

_U64 = 1 << 64
_STREAM_BITS = 20
_AICPU = "AicpuKernel"
_GROUP = ("stream_key", "task")
_OF_TASK = ("device", "start", "end", "task_row", "row", "descriptor", "occurrence", "connection", "type", "model")


class Mc2Part:
    """Operations and tasks of these collectives, handed to `comm`."""

    def __init__(
        self, run: RawRun, names: Names, host: HostTasks, graphs: GraphPart, device: DevicePart, comm: CommPart
    ) -> None:
        self._run = run
        self._names = names
        self._graphs = graphs
        self._host = host
        self._device = device
        self._comm = comm
        self._groups: dict[int, tuple[int, int]] = {}  # kernel stream -> group, number of ranks
        self._others: dict[int, int] = {}  # other stream -> kernel stream
        self._captured: dict[int, int] = {}  # graph and its stream in one -> kernel stream
        self._ops: dict[str, Numbers] = {}

    def load_streams(self) -> None:
        """Decode which streams the groups use; the device part then keeps their tasks."""
        for _, _, batch in self._run.host_stream("additional.mc2_comm_info"):
            for kernel, group, ranks, other in zip(
                *(column.tolist() for column in numbers(batch, "kernel_stream", "group", "rank_count", "comm_stream")),
                strict=True,
            ):
                self._groups[kernel] = group, ranks
                self._others[other] = kernel
        watched = {*self._groups, *self._others}
        for kernel in self._groups:
            for graph, stream in self._graphs.streams_of(kernel):
                self._captured[(graph << _STREAM_BITS) | stream] = kernel
                watched.add(stream)
        self._device.watched_streams = np.array(sorted(watched), dtype=np.int64)

    def load(self, aicpu: AicpuPart) -> Numbers:
        """Find the operations and their tasks; returns the descriptors of the kernels that are operations."""
        if not self._device.watched.rows:
            return np.empty(0, np.int64)
        self._ops = self._operations()
        if len(self._ops["op"]):
            self._take_facts(aicpu)
            self._name_operations()
        first = self._comm.add_operations(self._ops)
        self._add_tasks(aicpu, int(first[0]) if len(first) else 0)
        return np.unique(self._ops["descriptor"])

    def _operations(self) -> dict[str, Numbers]:
        """Tasks on kernel streams with a name, in order of time; `kernel` is the stream for which they count."""
        found, unnamed = [], 0
        watched = self._device.watched.columns(together=["row"])
        for tasks, (operators,) in aligned(watched, [self._host.operators], ("row",)):
            kernel = self._kernel_streams(tasks["graph"], tasks["stream"])
            mine = (kernel != NONE) & ~self._names.types_named(tasks["type"], ("NOTIFY_WAIT",))
            name = np.full(len(mine), NONE, np.int64)
            if operators is not None:
                known = operators["row"]
                place = np.minimum(np.searchsorted(known, tasks["row"]), len(known) - 1)
                name = np.where(known[place] == tasks["row"], operators["name"][place], NONE)
            unnamed += int((mine & (name == NONE)).sum())
            mine &= name != NONE
            columns = [tasks["stream"], tasks["task"], name, *(tasks[each] for each in _OF_TASK), kernel]
            found.append(np.stack([column[mine] for column in columns]))
        names = ("stream", "task", "base", *_OF_TASK, "kernel")
        table = np.concatenate([np.empty((len(names), 0), np.int64), *found], axis=1)
        order = np.lexsort((table[5], table[4], table[3]))
        ops = {name: column[order] for name, column in zip(names, table, strict=True)}
        if unnamed:
            text = "tasks on the kernel stream of a group that no description names; they are no operations"
            self._run.ledger.note(INFO, "no-name", text, table="mc2_comm_info", count=unnamed)
        ops["op"] = ops["connection"]
        ops["stream_key"] = (ops["device"] << _STREAM_BITS) | ops["stream"]
        ops["group"] = np.array([self._groups[each][0] for each in ops["kernel"].tolist()], dtype=np.int64)
        ops["rank_count"] = np.array([self._groups[each][1] for each in ops["kernel"].tolist()], dtype=np.int64)
        return ops

    def _kernel_streams(self, graph: Numbers, stream: Numbers) -> Numbers:
        """The kernel stream that each task runs on, or was captured on; NONE for others."""
        kernel = np.where(np.isin(stream, list(self._groups)), stream, NONE)
        codes, place = np.unique((graph << _STREAM_BITS) | stream, return_inverse=True)
        captured = np.array([self._captured.get(code, NONE) for code in codes.tolist()], dtype=np.int64)
        return np.where(graph == NONE, kernel, captured[place.reshape(-1)])

    def _take_facts(self, aicpu: AicpuPart) -> None:
        """What the AI CPU says of the operations; NONE where it says nothing."""
        ops = self._ops
        count = len(ops["op"])
        ops |= {name: np.full(count, NONE, np.int64) for name in (*COMM_OP[:5], "op_type")}
        tasks = SortedRows([*_GROUP, "start"], self._run.spill)
        tasks.add(rows(count, place=np.arange(count), **{name: ops[name] for name in (*_GROUP, "start")}))
        for batch, records in aligned_whole(tasks.batches(together=list(_GROUP)), aicpu.comm_ops, _GROUP):
            if batch is None:
                continue
            at = executions(*pair_codes([(numbers(batch, key)[0], numbers(records, key)[0]) for key in _GROUP]))
            known = at != NONE
            place = numbers(batch, "place")[0][at[known]]
            for name in COMM_OP[:5]:
                ops[name][place] = numbers(records, name)[0][known]

    def _name_operations(self) -> None:
        """`<name>_<last digits of the group>_<number in the group>_<occurrence>`."""
        ops = self._ops
        texts = self._run.strings.texts_of(set(ops["base"].tolist()))
        counts: dict[tuple[int, bool], int] = {}
        numbered: dict[int, int] = {}
        names = []
        for descriptor, occurrence, group, base in zip(
            *(ops[name].tolist() for name in ("descriptor", "occurrence", "group", "base")), strict=True
        ):
            text = texts.get(base, "")
            if descriptor not in numbered:
                key = (group, _AICPU in text)
                numbered[descriptor] = counts.get(key, 0)
                counts[key] = numbered[descriptor] + 1
            digits = str(group % _U64)[-3:]
            names.append(self._run.strings.own(f"{text}_{digits}_{numbered[descriptor]}_{occurrence + 1}"))
        ops["name"] = np.array(names, dtype=np.int64)
        ops["group_name"] = self._names.of_hashes(ops["group"])

    def group_hashes(self) -> dict[str, str]:
        """Name of an operation -> its group's hash as text, for the first operation of each group."""
        if not self._ops or not len(self._ops["op"]):
            return {}
        groups, first = np.unique(self._ops["group"], return_index=True)
        names = self._ops["name"][first].tolist()
        texts = self._run.strings.texts_of(set(names))
        return {texts[name]: str(group % _U64) for name, group in zip(names, groups.tolist(), strict=True)}

    def _add_tasks(self, aicpu: AicpuPart, first_row: int) -> None:
        """Tasks on the other streams, with what the AI CPU says of them."""
        executed = SortedRows([*_GROUP, "start"], self._run.spill)
        others = np.array(sorted(self._others), dtype=np.int64)
        for batch in self._device.watched.batches():
            device, stream, task, start, end, task_row = numbers(
                batch, "device", "stream", "task", "start", "end", "task_row"
            )
            mine = np.isin(stream, others)
            columns = {"stream_key": (device << _STREAM_BITS) | stream, "task": task, "start": start, "end": end}
            columns |= {"task_row": task_row, "stream": stream}
            executed.add(rows(int(mine.sum()), **{name: column[mine] for name, column in columns.items()}))
        unlinked = 0
        tasks = executed.batches(together=list(_GROUP))
        for batch, records in aligned_whole(tasks, aicpu.comm_tasks, _GROUP):
            if batch is None:
                unlinked += records.num_rows
                continue
            at = executions(*pair_codes([(numbers(batch, key)[0], numbers(records, key)[0]) for key in _GROUP]))
            known = at != NONE
            unlinked += int((~known).sum())
            found = {name: numbers(records, name)[0][known] for name in COMM_TASK}
            found |= {name: numbers(batch, name)[0][at[known]] for name in ("start", "end", "task_row", "stream")}
            found["is_master"] = np.zeros(int(known.sum()), np.int64)
            self._comm.add_tasks(found, self._op_at(found), self._ops, first_row)
        if unlinked:
            text = "records of tasks that did not run as often as they were told of; they are linked to none"
            self._run.ledger.note(INFO, "no-task", text, table="aicpu", count=unlinked)

    def _op_at(self, found: dict[str, Numbers]) -> Numbers:
        """Place of the operation of the same group in whose time each task starts, NONE where there is none."""
        ops = self._ops
        result = np.full(len(found["start"]), NONE, np.int64)
        kernel = np.array([self._others[stream] for stream in found["stream"].tolist()], dtype=np.int64)
        for stream in np.unique(kernel).tolist():
            mine = np.flatnonzero(ops["kernel"] == stream)
            wanted = kernel == stream
            if len(mine):
                place = np.searchsorted(ops["start"][mine], found["start"][wanted], side="right") - 1
                at = mine[np.maximum(place, 0)]
                result[wanted] = np.where((place >= 0) & (found["start"][wanted] <= ops["end"][at]), at, NONE)
        return result


def executions(task: Numbers, record: Numbers) -> Numbers:
    """Place of the task that each record tells of: the n-th record of a number is its n-th task where there are as many
    of both, else NONE.  Both are sorted.

    >>> executions(np.array([4, 4, 7]), np.array([4, 4, 7, 7])).tolist()
    [0, 1, -1, -1]
    """
    left = np.searchsorted(task, record)
    count = np.searchsorted(task, record, side="right") - left
    first = np.searchsorted(record, record)
    number = np.arange(len(record)) - first
    same = np.searchsorted(record, record, side="right") - first == count
    return np.where(same, left + number, NONE)
