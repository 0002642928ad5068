"""What the AI CPUs of the devices report: their tasks, and what they did with the queues of input data
(cann-files.md 5.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.readers.issues import INFO
from warehouse.readers.plausible import LATEST_NS, LONGEST_NS
from warehouse.readers.raw_device import DevicePart
from warehouse.readers.raw_files import DeviceFiles
from warehouse.readers.raw_rows import (
    NONE,
    Numbers,
    aligned_whole,
    as_bits,
    numbers,
    or_null,
    pair_codes,
    record,
    rows,
    with_columns,
)
from warehouse.readers.raw_run import RawRun
from warehouse.readers.raw_tasks import KEYS, task_keys
from warehouse.readers.sorted_rows import SortedRows

_PARTS = {
    "compute": "compute_ns",
    "copy": "copy_ns",
    "task_time": "task_ns",
    "dispatch": "dispatch_ns",
    "total": "total_ns",
}
COMM_TASK = (
    "item", "group", "local_rank", "remote_rank", "rank_count", "notify", "duration_estimated", "size", "plane",
    "data_type", "link_type", "transport_type", "rdma_type",
)  # fmt: skip
COMM_OP = ("relay", "retry", "data_type", "algorithm", "count", "group", "rank_count")
# phases of a turn: name, the stamps where it begins and ends
_COMM_PHASES = (
    ("wait for message", "wait_message_start", "algorithm_start"),
    ("algorithm", "algorithm_start", "send_task_start"),
    ("send tasks", "send_task_start", "send_sqe_end"),
    ("run tasks", "send_sqe_end", "queue_end"),
    ("server", "server_start", "server_end"),
)
_COMPUTE_PHASES = (
    ("wait for computing", "wait_compute_start", "compute_start"),
    ("computing", "compute_start", "compute_end"),
)
# tag of a queue -> name of the node that waits for it; source: the vendor's public parser (github.com/Ascend/msprof,
# analysis/msparser/add_info/aicpu_add_info_bean.py)
_QUEUE_NODES = {1: "GetNext_dequeue_wait"}


class AicpuPart:
    """`aicpu_task` and `data_queue` rows; and what the AI CPU says of the collectives that it drives: `comm_tasks`,
    `comm_ops`, in the order of the files."""

    def __init__(self, run: RawRun, device: DevicePart) -> None:
        self._run = run
        self._device = device
        self._nodes = SortedRows([*KEYS, "end", "row"], run.spill)
        self._tasks = SortedRows(["device", "time", "row"], run.spill)
        self._queues = SortedRows(["device", "time", "row"], run.spill)
        self.comm_tasks = SortedRows(["stream_key", "task", "number"], run.spill)
        self.comm_ops = SortedRows(["stream_key", "task", "number"], run.spill)
        self._turns = SortedRows(["device", "start", "row"], run.spill)
        self._row = 0
        self._left_out = 0

    def load(self) -> None:
        """Decode the records of all devices and find the device tasks that the AI CPU's tasks belong to."""
        take = {
            "aicpu_node": self._add_nodes,
            "aicpu_preprocess": self._add_preprocess,
            "aicpu_queue": self._add_queue,
            "device_hccl_task": self._add_comm_tasks,
            "device_hccl_op": self._add_comm_ops,
            "kfc_comm_turn": self._add_turns,
            "kfc_compute_turn": self._add_turns,
        }
        unkept: Counter[str] = Counter()
        for device in self._run.files.devices:
            clock = self._device.clocks.get(device.device_id)
            if clock is None:
                continue
            for kind, batch in self._run.device_stream(device, "aicpu"):
                if kind in take:
                    take[kind](device, clock, batch)
                else:
                    unkept[kind] += batch.num_rows
        for kind, count in sorted(unkept.items()):
            text = f"records {kind} are decoded, but no table holds them"
            self._run.ledger.note(INFO, "not-kept", text, table="aicpu", count=count)
        if self._left_out:
            text = "AI CPU tasks without start or end, or before the recording began; they were left out"
            self._run.ledger.note(INFO, "early", text, table="aicpu", count=self._left_out)
        self._join()

    def _numbered(self, count: int) -> Numbers:
        self._row += count
        return np.arange(self._row - count, self._row)

    def _add_nodes(self, device: DeviceFiles, clock: _native.TickClock, batch: pa.RecordBatch) -> None:
        begin_ns = self._run.config.devices[device.device_id].begin_ns or 0
        stream, task, run_start, run_end = numbers(batch, "stream", "task", "run_start", "run_end")
        submit, after = numbers(batch, "submit", "after_run")
        compute_us, copy_us, copied_us, dispatch_us = numbers(
            batch, "compute_start_us", "copy_start_us", "copy_end_us", "dispatch_us"
        )
        start, end, submit_ns, after_ns = (
            np.asarray(clock.column_ns(pa.array(ticks))) for ticks in (run_start, run_end, submit, after)
        )
        kept = (run_start != 0) & (run_end != 0) & (start >= begin_ns) & (end <= LATEST_NS)
        self._left_out += int((~kept).sum())
        count = len(stream)
        device_no = np.full(count, device.device_id)
        keys = task_keys(
            device_no, stream, self._device.flips.batches(device_no, stream, end), task, np.full(count, NONE)
        )
        found = rows(
            count, **keys, end=end, row=self._numbered(count), device=device.device_id, time=start, stream=stream,
            task=task, compute=_microseconds(copy_us - compute_us), copy=_microseconds(copied_us - copy_us),
            task_time=_duration(end - start), dispatch=_microseconds(dispatch_us),
            total=_duration(after_ns - submit_ns),
        )  # fmt: skip
        self._nodes.add(found.filter(pa.array(kept)))

    def _add_preprocess(self, device: DeviceFiles, clock: _native.TickClock, batch: pa.RecordBatch) -> None:
        action, source, index, size = numbers(batch, "action", "source", "index", "size")
        self._add_uses(device, clock, batch, name=action, source=source, index=index, size=size)

    def _add_queue(self, device: DeviceFiles, clock: _native.TickClock, batch: pa.RecordBatch) -> None:
        tag, size, start_us, end_us = numbers(batch, "tag", "queue_size", "start_us", "end_us")
        name = np.full(len(tag), NONE, np.int64)
        for number, text in _QUEUE_NODES.items():
            name[tag == number] = self._run.strings.own(text)
        self._add_uses(device, clock, batch, name=name, index=tag, size=size, start_us=start_us, end_us=end_us)

    def _add_uses(
        self, device: DeviceFiles, clock: _native.TickClock, batch: pa.RecordBatch, **columns: Numbers
    ) -> None:
        time = np.asarray(clock.column_ns(batch.column("time")))
        count = len(time)
        empty: dict[str, Any] = dict.fromkeys(("name", "source", "index", "size", "start_us", "end_us"), NONE)
        found = rows(count, device=device.device_id, time=time, row=self._numbered(count), **(empty | columns))
        self._queues.add(found)

    def _add_comm_tasks(self, device: DeviceFiles, _clock: _native.TickClock, batch: pa.RecordBatch) -> None:
        item, group = numbers(batch, "item", "group")
        used = batch.filter(pa.array((item != 0) | (group != 0)))  # a record has room for two
        self.comm_tasks.add(self._of_comm(device, used, COMM_TASK))

    def _add_comm_ops(self, device: DeviceFiles, _clock: _native.TickClock, batch: pa.RecordBatch) -> None:
        self.comm_ops.add(self._of_comm(device, batch, COMM_OP))

    def _of_comm(self, device: DeviceFiles, batch: pa.RecordBatch, fields: tuple[str, ...]) -> pa.RecordBatch:
        stream, task = numbers(batch, "stream", "task")
        columns = dict(zip(fields, map(as_bits, numbers(batch, *fields)), strict=True))
        key, number = (device.device_id << 20) | stream, self._numbered(len(stream))
        return rows(len(stream), stream_key=key, task=task, number=number, **columns)

    def _add_turns(self, device: DeviceFiles, clock: _native.TickClock, batch: pa.RecordBatch) -> None:
        """Phases of a turn: from each of its stamps to the next; those without either are left out."""
        names = batch.schema.names
        phases = _COMM_PHASES if "server_start" in names else _COMPUTE_PHASES
        stream, task, turn, turns, size = numbers(batch, "stream", "task", "turn", "turn_count", "size")
        for name, first, last in phases:
            begin, finish = numbers(batch, first, last)
            start, end = (np.asarray(clock.column_ns(pa.array(ticks))) for ticks in (begin, finish))
            good = (begin > 0) & (finish >= begin)
            found = rows(
                len(stream), device=device.device_id, start=start, end=end, row=self._numbered(len(stream)),
                stream=stream, task=task, turn=turn, turns=turns, size=size, name=self._run.strings.own(name),
            )  # fmt: skip
            self._turns.add(found.filter(pa.array(good)))

    def turns(self) -> Iterator[pa.RecordBatch]:
        """`comm_turn` batches by device, in order of time."""
        for batch in self._turns.batches():
            device, start, end, stream, task = numbers(batch, "device", "start", "end", "stream", "task")
            turn, turns, size, name = numbers(batch, "turn", "turns", "size", "name")
            yield record(
                "comm_turn", batch.num_rows, device_id=device, start_ns=start, end_ns=end, stream_no=stream,
                task_no=task, turn_no=turn, turn_count=turns, size_bytes=size, name=name,
            )  # fmt: skip

    def _join(self) -> None:
        """Each record to the task with its keys in whose time it ended."""
        tasks = self._device.joined.batches(together=list(KEYS))
        for batch, nodes in aligned_whole(tasks, self._nodes, KEYS):
            if batch is None:
                self._take(nodes, np.full(nodes.num_rows, NONE))
                continue
            found = dict(zip(batch.schema.names, numbers(batch, *batch.schema.names), strict=True))
            task, wanted = pair_codes([(found[key], nodes.column(key).to_numpy()) for key in KEYS])
            (end,) = numbers(nodes, "end")
            starts, ends = pair_codes([(task, wanted), (found["start"], end)])
            place = np.searchsorted(starts, ends, side="right") - 1
            at = np.maximum(place, 0)
            good = (place >= 0) & (task[at] == wanted) & (end <= found["end"][at])
            self._take(nodes, np.where(good, found["task_row"][at], NONE))

    def _take(self, nodes: pa.RecordBatch, task_row: Numbers) -> None:
        kept = nodes.select(["device", "time", "row", "stream", "task", *_PARTS])
        self._tasks.add(with_columns(kept, {"task_row": task_row}))

    def tasks(self) -> Iterator[pa.RecordBatch]:
        """`aicpu_task` batches by device, in order of time."""
        for batch in self._tasks.batches():
            device, time, stream, task, task_row = numbers(batch, "device", "time", "stream", "task", "task_row")
            parts = dict(zip(_PARTS.values(), map(or_null, numbers(batch, *_PARTS)), strict=True))
            yield record(
                "aicpu_task", batch.num_rows, device_id=device, time_ns=time, stream_no=stream, task_no=task,
                task_row=or_null(task_row), **parts,
            )  # fmt: skip

    def queues(self) -> Iterator[pa.RecordBatch]:
        """`data_queue` batches by device, in order of time."""
        for batch in self._queues.batches():
            device, time, name, source, index = numbers(batch, "device", "time", "name", "source", "index")
            size, start, end = numbers(batch, "size", "start_us", "end_us")
            yield record(
                "data_queue", batch.num_rows, device_id=device, time_ns=time, name=or_null(name),
                source=or_null(source), index_no=or_null(index), size=or_null(size), start_us=or_null(start),
                end_us=or_null(end),
            )  # fmt: skip


def _duration(value_ns: Numbers) -> Numbers:
    """NONE for what cannot be a duration."""
    return np.where((value_ns < 0) | (value_ns > LONGEST_NS), NONE, value_ns)


def _microseconds(value: Numbers) -> Numbers:
    """us as ns; NONE for what cannot be a duration."""
    return _duration(np.where(np.abs(value) > LONGEST_NS, NONE, value) * 1000)
