"""Collectives: operations from the tasks they are made of (cann-files.md 6.5)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from warehouse.batches.records import DEVICE_COMM_OP, RECORDS
from warehouse.readers.issues import INFO
from warehouse.readers.raw_device import DevicePart
from warehouse.readers.raw_dictionary import Names
from warehouse.readers.raw_rows import NONE, aligned, chosen
from warehouse.readers.raw_run import RawRun
from warehouse.readers.raw_tasks import HostTasks
from warehouse.readers.sorted_rows import Columns, Numbers, SortedRows

_U64 = 1 << 64
_NO_RANK = 0xFFFFFFFF
_DATA_TYPES = (
    "INT8", "INT16", "INT32", "FP16", "FP32", "INT64", "UINT64", "UINT8", "UINT16", "UINT32", "FP64", "BFP16",
    "INT128", None, "HIF8", "FP8E4M3", "FP8E5M2", "FP8E8M0",
)  # fmt: skip
_LINKS = ("ON_CHIP", "HCCS", "PCIE", "ROCE", "SIO", "HCCS_SW", "STANDARD_ROCE", "UB", "UBoE")
_TRANSPORTS = ("SDMA", "RDMA", "LOCAL", "UB", "ROCE")
_RDMA = ("RDMA_SEND_NOTIFY", "RDMA_SEND_PAYLOAD")
_AICPU = "AicpuKernel"
# columns in which NONE is a null
_SPARSE = (
    "name", "type", "plane_no", "group", "notify_no", "rdma_type", "src_rank_no", "dst_rank_no", "transport",
    "link_type", "data_type", "size_bytes", "op_row", "op_type", "algorithm", "element_count", "rank_count",
    "is_relay", "is_retry", "model_no",
)  # fmt: skip


class CommPart:
    """Operations and tasks of collectives; `load` puts the operations among the device events and launches."""

    def __init__(self, run: RawRun, names: Names, host: HostTasks, device: DevicePart) -> None:
        self._run = run
        self._names = names
        self._host = host
        self._device = device
        self._tasks = SortedRows(["op", "occurrence", "start"], run.spill)
        self._found = SortedRows(["start_ns", "-end_ns", "task_row"], run.spill, RECORDS["comm_task"])
        self._ops: dict[str, Numbers] = {}
        self._next_row = 0

    def load(self) -> None:
        """Find the operations, name them, and put tasks to them."""
        ran = self._device.small_ops.columns(together=["row"])
        for columns, (infos,) in aligned(ran, [self._host.small_ops], ("row",)):
            if infos is not None:
                self._tasks.add_columns(len(columns["row"]), **_beside(columns, infos))
        self._find_operations()
        if len(self._ops["op"]):
            self._name_operations()
            self.add_operations(self._ops)
        self._add_tasks()

    def _find_operations(self) -> None:
        """Operations: from the first start to the last end of their master tasks."""
        found, lost = [], 0
        fields = ("op", "occurrence", "start", "end", "device", "is_master", "group", "rank_count", "model")
        for batch in self._tasks.columns(fields, together=["op", "occurrence"]):
            op, occurrence, start, end, device, master, group, ranks, model = batch.values()
            first = np.flatnonzero(np.r_[True, (op[1:] != op[:-1]) | (occurrence[1:] != occurrence[:-1])])
            latest = np.iinfo(np.int64).max
            begin = np.minimum.reduceat(np.where(master == 1, start, latest), first)
            finish = np.maximum.reduceat(np.where(master == 1, end, NONE), first)
            ranks = np.maximum.reduceat(ranks, first)
            kept = (finish != NONE) & (op[first] != NONE)
            lost += int((~kept & (op[first] != NONE)).sum())
            columns = (op[first], occurrence[first], begin, finish, device[first], group[first], ranks, model[first])
            found.append(np.stack([column[kept] for column in columns]))
        names = ("op", "occurrence", "start", "end", "device", "group", "rank_count", "model")
        table = np.concatenate([np.empty((len(names), 0), np.int64), *found], axis=1)
        self._ops = dict(zip(names, table, strict=True))
        if lost:
            text = "collectives without a task on their main stream have no interval of their own and are left out"
            self._run.ledger.note(INFO, "no-master", text, count=lost)

    def _name_operations(self) -> None:
        """Facts of each operation, and its name: `<name>_<last digits of the group>_<number in the
        group>_<occurrence>`."""
        ops = self._ops
        self._take_facts("compact.hccl_op_info", "outer", "relay retry data_type algorithm count group outer_item")
        self._take_facts("compact.node_basic_info", "node", "op_type")
        self._ops["group"] = np.where(ops["info_group"] != NONE, ops["info_group"], ops["group"])
        item = self._names.of_hashes(np.where(ops["outer_item"] == NONE, 0, ops["outer_item"]))
        texts = self._run.strings.texts_of(set(item.tolist()))
        counts: dict[tuple[int, bool], int] = {}
        numbered: dict[int, int] = {}
        names = []
        for op, occurrence, group, name in zip(
            *(column.tolist() for column in (ops["op"], ops["occurrence"], ops["group"], item)), strict=True
        ):
            text = texts.get(name, "")
            if op not in numbered:
                key = (group, _AICPU in text)
                numbered[op] = counts.get(key, 0)
                counts[key] = numbered[op] + 1
            digits = str(group % _U64)[-3:] if group != NONE else ""
            names.append(self._run.strings.own(f"{text}_{digits}_{numbered[op]}_{occurrence + 1}"))
        ops["name"] = np.array(names, dtype=np.int64)
        ops["group_name"] = self._names.of_hashes(np.where(ops["group"] == NONE, 0, ops["group"]))

    def group_hashes(self) -> dict[str, str]:
        """Name of an operation -> its group's hash as text, for the first operation of each group."""
        if not len(self._ops["op"]):
            return {}
        groups, first = np.unique(self._ops["group"], return_index=True)
        names = self._ops["name"][first].tolist()
        texts = self._run.strings.texts_of(set(names))
        return {
            texts[name]: str(group % _U64) for name, group in zip(names, groups.tolist(), strict=True) if group != NONE
        }

    def _take_facts(self, stream: str, call: str, fields: str) -> None:
        """Columns of the records that lie in each operation's node; NONE where there is none."""
        names = fields.split()
        wanted = np.unique(self._ops["op"])
        facts = {name: np.full(len(wanted), NONE, np.int64) for name in names}
        for found in self._host.by_call(stream).columns((call, *names)):
            mine = np.flatnonzero(np.isin(found[call], wanted))
            place = np.searchsorted(wanted, found[call][mine])
            for name in names:
                facts[name][place] = found[name][mine]
        place = np.searchsorted(wanted, self._ops["op"])
        for name in names:
            self._ops["info_group" if name == "group" else name] = facts[name][place]

    def add_operations(self, ops: Columns) -> Numbers:
        """Put operations among the device events and launches; returns their rows."""
        count = len(ops["op"])
        number = np.arange(self._next_row, self._next_row + count)
        self._next_row += count
        details = self._host.has_details
        op_type = self._names.of_hashes(np.where(ops["op_type"] == NONE, 0, ops["op_type"]))
        algorithm = self._names.of_hashes(np.where(ops["algorithm"] == NONE, 0, ops["algorithm"]))
        ranks = ops["rank_count"] if details else np.maximum(ops["rank_count"], 0)
        self._device.events.add_columns(
            count, None, _SPARSE, kind=DEVICE_COMM_OP, start_ns=ops["start"], end_ns=ops["end"],
            device_id=ops["device"], connection_no=ops["op"], descriptor_no=number, is_covered=0, name=ops["name"],
            group=ops["group_name"], op_type=op_type, data_type=self._words(_DATA_TYPES, ops["data_type"]),
            algorithm=algorithm, element_count=ops["count"], rank_count=ranks, is_relay=ops["relay"],
            is_retry=ops["retry"], model_no=ops["model"], row=number,
        )  # fmt: skip
        self._device.launches.add_columns(
            count, ops["op"] != NONE, connection_no=ops["op"], start_ns=ops["start"], end_ns=ops["end"],
            device_id=ops["device"], **{"class": 0},
        )  # fmt: skip
        return number

    def _words(self, names: tuple[str | None, ...], column: Numbers) -> Numbers:
        words = [self._run.strings.own(name) if name else NONE for name in names]
        known = (column >= 0) & (column < len(words))
        return np.where(known, np.array(words)[np.where(known, column, 0)], NONE)

    def _add_tasks(self) -> None:
        """Tasks of collectives in order of time, with the operation they are part of."""
        ops = self._ops
        code = (ops["op"] << 20) + ops["occurrence"]
        order = np.argsort(code)
        for found in self._tasks.columns():
            wanted = (found["op"] << 20) + found["occurrence"]
            place = np.searchsorted(code[order], wanted)
            has = place < len(code)
            op = np.where(has, order[np.where(has, place, 0)], NONE) if len(code) else np.full(len(wanted), NONE)
            op = np.where((op != NONE) & (code[op] == wanted), op, NONE) if len(code) else op
            self.add_tasks(found, op, ops)

    def add_tasks(self, found: Columns, op: Numbers, ops: Columns, first_row: int = 0) -> None:
        """Take tasks of collectives; op: place of the operation in `ops`, whose rows begin at `first_row`."""
        count = len(op)
        in_op = op != NONE
        group_hash = np.where(found["group"] == NONE, 0, found["group"])
        group = self._names.of_hashes(group_hash)
        name = np.full(count, NONE, np.int64)
        if in_op.any():
            name[in_op] = ops["name"][op[in_op]]
            group[in_op & (group == NONE)] = ops["group_name"][op[in_op & (group == NONE)]]
        duration = found["end"] - found["start"]
        size = found["size"]
        with np.errstate(divide="ignore", invalid="ignore"):
            bandwidth = np.where((size >= 0) & (duration > 0), size / duration * 1e9, np.nan)
        estimated = found["duration_estimated"].view(np.float64)
        ranks = {
            name: np.where(found[field] == _NO_RANK, NONE, found[field])
            for name, field in (("src_rank_no", "local_rank"), ("dst_rank_no", "remote_rank"))
        }
        self._found.add_columns(
            count, None, _SPARSE, task_row=found["task_row"], start_ns=found["start"], end_ns=found["end"], name=name,
            type=self._names.of_hashes(np.where(found["item"] == NONE, 0, found["item"])), plane_no=found["plane"],
            group=group, notify_no=found["notify"], rdma_type=self._words(_RDMA, found["rdma_type"]), **ranks,
            transport=self._words(_TRANSPORTS, found["transport_type"]),
            link_type=self._words(_LINKS, found["link_type"]),
            data_type=self._words(_DATA_TYPES, found["data_type"]), size_bytes=size,
            op_row=np.where(in_op, op + first_row, NONE), is_master=found["is_master"],
            bandwidth=pa.array(bandwidth, mask=np.isnan(bandwidth)),
            estimated_us=pa.array(estimated, mask=np.isnan(estimated)),
        )  # fmt: skip

    def tasks(self) -> Iterator[pa.RecordBatch]:
        """`comm_task` batches sorted by start."""
        yield from self._found.batches()


def _beside(ran: Columns, infos: Columns) -> Columns:
    """Runs of tasks with what the host says of them; every row of the host's stands once in `infos`."""
    place = np.searchsorted(infos["row"], ran["row"])
    return {**chosen(infos, place), **ran}
