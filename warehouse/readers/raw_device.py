"""Tasks as the devices ran them, joined with what the host knows of them (cann-files.md 5.2, 6.4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.batches.records import DEVICE_TASK, RECORDS
from warehouse.errors import InputError
from warehouse.readers.issues import INFO, WARNING
from warehouse.readers.raw_config import device_clock
from warehouse.readers.raw_dictionary import Names
from warehouse.readers.raw_files import DeviceFiles
from warehouse.readers.raw_flips import Flips
from warehouse.readers.raw_graph_nodes import GraphNodes
from warehouse.readers.raw_graph_runs import GraphRuns
from warehouse.readers.raw_graphs import GraphPart
from warehouse.readers.raw_rows import NONE, aligned, chosen, numbers, pair_codes, record
from warehouse.readers.raw_run import RawRun
from warehouse.readers.raw_tasks import COMPUTE, KEYS, NO_CONTEXT, SMALL_OP, HostTasks, task_keys
from warehouse.readers.sorted_rows import Columns, Numbers, SortedRows

DEVICE_ORDER = ("start_ns", "-end_ns", "kind", "row")
ACCELERATOR = ("acc", "time", "read_bandwidth", "write_bandwidth", "read_outstanding", "write_outstanding")
_BATCH_IDS_SINCE = 467473  # drvVersion
_SQE_TYPES = (
    "AI_CORE", "AI_CPU", "AIV_SQE", "PLACE_HOLDER_SQE", "EVENT_RECORD_SQE", "EVENT_WAIT_SQE", "NOTIFY_RECORD_SQE",
    "NOTIFY_WAIT_SQE", "WRITE_VALUE_SQE", "VQ6_SQE", "TOF_SQE", "SDMA_SQE", "VPC_SQE", "JPEGE_SQE", "JPEGD_SQE",
    "DSA_SQE", "ROCCE_SQE", "PCIE_DMA_SQE", "HOST_CPU_SQE", "CDQM_SQE", "C_CORE_SQE",
)  # fmt: skip
_SUB_TASK_TYPES = {
    0: "AI_CORE", 1: "AIV", 3: "Notify Wait", 4: "Notify Record", 5: "Write Value", 6: "MIX_AIC", 7: "MIX_AIV",
    8: "SDMA", 9: "Data Context", 10: "Invalidate Data Context", 11: "Writeback Data Context", 12: "AI_CPU",
    13: "Load Context", 15: "DSA",
}  # fmt: skip
_KEY_FIELDS = ("device", "stream", "task", "context", "start")
_SPARSE = ("connection_no", "context_no", "model_no", "graph_no")  # columns in which NONE is a null
_COPY = "MEMCPY_ASYNC"
_BATCH_BITS = (1 << 32) - 1  # of a key
_UNKNOWN_DIRECTION = 65535
_DIRECTIONS = {
    0: "host to host", 1: "host to device", 2: "device to host", 3: "device to device", 4: "managed memory",
    5: "addr device to device", 6: "host to device ex", 7: "device to host ex", _UNKNOWN_DIRECTION: "other",
}  # fmt: skip


class DevicePart:
    """Device tasks joined with host tasks.

    `operators` and `small_ops` tell what ran of which row of the host's; `joined` has every task with its keys, for
    whatever else is known by them (PMU records).
    """

    def __init__(self, run: RawRun, names: Names, host: HostTasks, graphs: GraphPart) -> None:
        self._run = run
        self._names = names
        self._host = host
        self._graphs = graphs
        self.flips = Flips(is_inclusive=True)
        self.clocks: dict[int, _native.TickClock] = {}
        self._tasks = SortedRows(["start", "row"], run.spill)
        self._keyed = SortedRows([KEYS[0], "task", KEYS[1], "start", "row"], run.spill)
        self.events = SortedRows(DEVICE_ORDER, run.spill, RECORDS["device_event"])
        self.launches = SortedRows(["connection_no", "class", "start_ns", "-end_ns"], run.spill, RECORDS["launch"])
        self.joined = SortedRows([*KEYS, "start"], run.spill)
        self.operators = SortedRows(["row"], run.spill)
        self.small_ops = SortedRows(["row", "start"], run.spill)
        self.watched_streams = np.empty(0, np.int64)  # their tasks are kept in `watched`, too
        self.watched = SortedRows(["row", "start"], run.spill)
        self.accelerators: dict[int, SortedRows] = {}  # `acc_pmu` records by device
        self._copies = SortedRows(["start", "task_row"], run.spill)
        self.runs = GraphRuns(run.spill)
        self.nodes = GraphNodes()
        self._next_descriptor = 0
        self._ambiguous = self._early = 0
        self._direction_words = {number: run.strings.own(text) for number, text in _DIRECTIONS.items()}
        self._sqe_words = np.array([run.strings.own(name) for name in _SQE_TYPES])

    def load(self) -> None:
        """Decode all devices, then join."""
        for device in self._run.files.devices:
            if not device.streams:
                continue
            try:
                self.clocks[device.device_id] = device_clock(self._run.config.devices[device.device_id])
            except InputError as error:
                self._run.note_no_clock(f"no tasks of device {device.device_id} are read", error, [device.path])
                continue
            self._load_flips(device)
            self._load_tasks(device)
        self._graphs.complete(self.flips)
        if self.flips.has_late:
            for columns in self._tasks.columns(["device", "stream", "start", "task"]):
                self.flips.see(*columns.values())
        for columns in self._tasks.columns():
            device_id, stream, task, context, start = (columns[name] for name in _KEY_FIELDS)
            batch_no = self.flips.batches(device_id, stream, start)
            keys = task_keys(device_id, stream, batch_no, task, context)
            self._keyed.add_columns(len(start), **columns, **keys)
        self._join()
        self.runs.find(self._host.first_streams)
        self.nodes.collect(self._host, self._next_descriptor, self.operators)

    def ns(self, device_id: int, ticks: pa.Array) -> Numbers:
        """Ticks of a device as ns of the wall clock."""
        return np.asarray(self.clocks[device_id].column_ns(ticks))

    def _load_flips(self, device: DeviceFiles) -> None:
        version = self._run.config.devices[device.device_id].info.get("drvVersion")
        for kind, batch in self._run.device_stream(device, "ts_track"):
            if kind == "task_flip" and isinstance(version, int) and version >= _BATCH_IDS_SINCE:
                stream, task, number = numbers(batch, "stream", "task", "flip")
                time = self.ns(device.device_id, batch.column("time"))
                self.flips.add(np.full(len(time), device.device_id), stream, time, task, number)

    def _load_tasks(self, device: DeviceFiles) -> None:
        begin_ns = self._run.config.devices[device.device_id].begin_ns or 0
        row = lone = 0
        for kind, batch in self._run.device_stream(device, "stars_soc"):
            if kind != "device_task":
                lone += batch.num_rows if kind == "lone_task_record" else 0
                if kind == "acc_pmu":
                    self._keep_accelerators(device.device_id, batch)
                continue
            count = batch.num_rows
            fields = ("stream", "task", "context", "is_sub_task", "sqe_type", "sub_task_type")
            columns = dict(zip(fields, numbers(batch, *fields), strict=True))
            columns["context"] = np.where(columns["context"] == NO_CONTEXT, NONE, columns["context"])
            start = self.ns(device.device_id, batch.column("start"))
            end = self.ns(device.device_id, batch.column("end"))
            kept = (end >= begin_ns) & (end >= start)
            self._early += int((~kept).sum())
            number = np.arange(row, row + count)
            row += count
            self._tasks.add_columns(
                count, kept, device=device.device_id, start=start, end=end, row=number, **columns
            )
        if lone:
            text = "starts of device tasks without their ends, or the reverse; the tasks are lost"
            self._run.ledger.note(WARNING, "lone-task", text, table="stars_soc", count=lone)

    def _keep_accelerators(self, device_id: int, batch: pa.RecordBatch) -> None:
        found = self.accelerators.setdefault(device_id, SortedRows(["time"], self._run.spill))
        found.add_columns(batch.num_rows, **dict(zip(ACCELERATOR, numbers(batch, *ACCELERATOR), strict=True)))

    def _join(self) -> None:
        first_row = 0
        tasks = self._keyed.columns(together=[KEYS[0], "task"])
        for found, (host,) in aligned(tasks, [self._host.tasks], KEYS):
            self._take(found, host, first_row)
            first_row += len(found["start"])
        if self._ambiguous:
            text = "device tasks that several tasks of the host may have been, so that they are linked to none"
            self._run.ledger.note(WARNING, "ambiguous-task", text, table="task_track", count=self._ambiguous)
        if self._early:
            text = "device tasks that ended before the recording began, or before they started; they were left out"
            self._run.ledger.note(INFO, "early", text, table="stars_soc", count=self._early)

    def _take(self, found: Columns, host: Columns | None, first_row: int) -> None:
        count = len(found["start"])
        place = self._partners(found, host)
        has_partner = place != NONE
        partner = place[has_partner]

        def of_host(name: str) -> Numbers:
            values = np.full(count, NONE, np.int64)
            if host is not None:
                values[has_partner] = host[name][partner]
            return values

        is_first = np.r_[
            True, (found[KEYS[0]][1:] != found[KEYS[0]][:-1]) | (found[KEYS[1]][1:] != found[KEYS[1]][:-1])
        ]
        group = np.cumsum(is_first) - 1
        occurrence = np.arange(count) - np.flatnonzero(is_first)[group]
        descriptor = self._next_descriptor + group
        self._next_descriptor += int(group[-1]) + 1
        row = np.arange(first_row, first_row + count)
        connection, model, graph, host_row, class_ = (
            of_host(name) for name in ("connection", "model", "graph", "row", "class_")
        )
        covered = _covered(found)
        type_ = self._types(found, of_host("type"))
        start, end, device = found["start"], found["end"], found["device"]
        self.events.add_columns(
            count, None, _SPARSE, kind=DEVICE_TASK, start_ns=start, end_ns=end, device_id=device,
            connection_no=connection, descriptor_no=descriptor, type=type_, context_no=found["context"],
            stream_no=found["stream"], task_no=found["task"], model_no=model, is_covered=covered.astype(np.int64),
            batch_no=found[KEYS[0]] & _BATCH_BITS, graph_no=graph, row=row,
        )  # fmt: skip
        self.launches.add_columns(
            count, connection != NONE, connection_no=connection, start_ns=start, end_ns=end, device_id=device,
            type=type_, **{"class": 1 + covered.astype(np.int64)},
        )  # fmt: skip
        keys = {key: found[key] for key in KEYS}
        self.joined.add_columns(
            count, **keys, start=start, end=end, row=host_row, class_=class_, task_row=row, descriptor=descriptor
        )
        if (watched := np.isin(found["stream"], self.watched_streams)).any():
            kept = {name: found[name] for name in ("device", "stream", "task", "start", "end")}
            kept |= {"row": host_row, "task_row": row, "descriptor": descriptor, "occurrence": occurrence}
            self.watched.add_columns(
                count, watched, **kept, connection=connection, type=type_, graph=graph, model=model
            )
        is_operator = (class_ == COMPUTE) & (occurrence == 0)
        self.operators.add_columns(count, is_operator, row=host_row, descriptor=descriptor)
        self.small_ops.add_columns(
            count, class_ == SMALL_OP, row=host_row, start=start, end=end, task_row=row, occurrence=occurrence,
            device=device, model=model,
        )  # fmt: skip
        copy = self._names.types_named(type_, (_COPY,))
        if copy.any():
            size, direction = of_host("copy_size")[copy], of_host("copy_direction")[copy]
            engine = self._device_types(chosen(found, copy))
            self._copies.add_columns(
                len(size), start=start[copy], task_row=row[copy], size=size, direction=direction, engine=engine
            )
        in_graph = model != NONE
        if in_graph.any():
            tasks = {name: found[name] for name in ("device", "stream", "context", "start", "end")}
            tasks |= {"graph": graph, "model": model, "task": found["task"], "row": row}
            tasks["batch"] = found[KEYS[0]] & _BATCH_BITS
            self.runs.add(chosen(tasks, in_graph))
        first_of_node = (graph != NONE) & (occurrence == 0)
        self.nodes.ran(host_row[first_of_node], descriptor[first_of_node])

    def _partners(self, found: Columns, host: Columns | None) -> Numbers:
        """Place of each device task's host task, NONE where there is none or not exactly one."""
        if host is None:
            return np.full(len(found["start"]), NONE, np.int64)
        mine, theirs = pair_codes([(found[key], host[key]) for key in KEYS])
        left = np.searchsorted(theirs, mine)
        count = np.searchsorted(theirs, mine, side="right") - left
        self._ambiguous += int((count > 1).sum())
        return np.where(count == 1, left, NONE)

    def _types(self, found: Columns, host_type: Numbers) -> Numbers:
        """The host's type of a task, or if it says nothing of use the device's."""
        of_no_use = (host_type == NONE) | self._names.types_named(host_type, ("FFTS_PLUS",))
        return np.where(of_no_use, self._device_types(found), host_type)

    def _device_types(self, found: Columns) -> Numbers:
        sqe = found["sqe_type"]
        known = sqe < len(self._sqe_words)
        device_type = np.where(known, self._sqe_words[np.where(known, sqe, 0)], NONE)
        for number in np.unique(sqe[~known]).tolist():
            device_type[sqe == number] = self._run.strings.own(str(number))
        sub = found["sub_task_type"]
        for number in np.unique(sub[found["is_sub_task"] == 1]).tolist():
            text = _SUB_TASK_TYPES.get(number, str(number))
            device_type[(found["is_sub_task"] == 1) & (sub == number)] = self._run.strings.own(text)
        return device_type

    def memory_copies(self) -> Iterator[pa.RecordBatch]:
        """`memory_copy` batches in the order of their tasks.  Where sizes were recorded at all, one that is missing is
        0."""
        words = self._direction_words
        for columns in self._copies.columns(["task_row", "size", "direction", "engine"]):
            task, size, direction, engine = columns.values()
            facts: dict[str, Any] = {}
            if self._host.has_copies:
                text = [words.get(number, words[_UNKNOWN_DIRECTION]) for number in direction.tolist()]
                facts = {"size_bytes": np.maximum(size, 0), "direction": text}
            yield record("memory_copy", len(task), task_row=task, engine=engine, **facts)


def _covered(found: Columns) -> np.ndarray:
    """Whether a task is drawn by its sub-tasks instead: one of the same task starts in it."""
    covered = np.zeros(len(found["start"]), bool)
    sub = np.flatnonzero(found["context"] != NONE)
    whole = np.flatnonzero(found["context"] == NONE)
    if not len(sub) or not len(whole):
        return covered
    groups, _ = pair_codes([(found[KEYS[0]], found[KEYS[0]][:0]), (found["task"], found["task"][:0])])
    order = sub[np.lexsort((found["start"][sub], groups[sub]))]
    times, merged = pair_codes([(groups[order], groups[whole]), (found["start"][order], found["start"][whole])])
    place = np.searchsorted(times, merged)
    has = place < len(order)
    at = order[np.where(has, place, 0)]
    covered[whole] = has & (groups[at] == groups[whole]) & (found["start"][at] <= found["end"][whole])
    return covered
