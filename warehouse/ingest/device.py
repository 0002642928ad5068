"""Third pass: everything the devices did, linked to its launch, in order of time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.batches.records import DEVICE_COMM_OP, DEVICE_TASK
from warehouse.ingest.comm import Groups
from warehouse.ingest.graphs import Graphs
from warehouse.ingest.host import Steps
from warehouse.ingest.kernels import COMPUTING, UNCOUNTED
from warehouse.ingest.launches import Windows
from warehouse.ingest.link import NONE, LinkTable, Numbers
from warehouse.ingest.link_rule import CAPTURE, CAPTURE_MORE, HOST, HOST_MORE, QUEUE, QUEUE_MORE, REPLAY
from warehouse.ingest.pairs import Pairs
from warehouse.ingest.rank_load import RankLoad
from warehouse.ingest.strings import IS_RECEIVE, filled, is_one_of, nullable
from warehouse.ingest.summaries import Summaries
from warehouse.ingest.task_parts import TaskParts
from warehouse.store.loader import Column

# host types of tasks that do not widen the range in which idle time is free (deliverables.md 1.6)
_SILENT_TYPES = (
    "KERNEL_AICORE", "KERNEL_AIVEC", "FFTS_PLUS", "KERNEL_MIX_AIC", "KERNEL_MIX_AIV", "PROFILING_ENABLE",
    "PROFILING_DISABLE",
)  # fmt: skip
_WIDENING, _SILENT, _COMMUNICATION, _RECEIVE, _COPY = 0, 3, 2, 5, 6
_COVERED_TRACK = 1 << 40  # parents of drawn sub-tasks have tracks of their own, so that they push nothing into a lane


@dataclass
class DeviceLinks:
    """What later passes look up: device_task by row of the task, comm_op by row of the operation."""

    tasks: LinkTable
    operations: LinkTable


class DevicePass:
    """Streams `device_event` batches into device_task, comm_op and busy_interval."""

    def __init__(
        self,
        load: RankLoad,
        steps: Steps,
        windows: Windows,
        launches: LinkTable,
        kernels: LinkTable,
        graphs: Graphs,
        groups: Groups,
        device_id: int | None,
        summaries: Summaries,
    ) -> None:
        self._load = load
        self._summaries = summaries
        self._launches = launches
        self._kernels = kernels
        self._graphs = graphs
        self._parts = TaskParts()
        self._groups = groups
        self._device = NONE if device_id is None else device_id
        self._sweep = _native.DeviceSweep(
            steps.ids, windows.text_starts, windows.text_ends, windows.task_starts, windows.task_ends
        )
        self._silent = load.strings.text_ids(*_SILENT_TYPES)
        self._copies = load.strings.text_ids("MEMCPY_ASYNC")
        self._open: dict[int, list[int]] = {}  # launches of several records: [seen, next number, first one met]
        self._streams = Pairs()  # (device, stream)
        self._stream_counts: Numbers = np.empty(0, np.int64)
        self.links = DeviceLinks(load.links.table("device_task"), load.links.table("comm_op comm_group"))

    def run(self) -> DeviceLinks:
        """Read, sweep, link and write everything."""
        for batch in self._load.reader.read("device_event"):
            self._take(batch)
        self._write_intervals(self._sweep.finish())
        self._write_step_times()
        if len(self._streams):
            device, stream = self._streams.columns()
            columns: dict[str, Column] = {"device_id": device, "stream_no": stream, "task_count": self._stream_counts}
            self._load.write("stream", columns)
        return self.links

    def _take(self, batch: pa.RecordBatch) -> None:
        rows = {name: filled(batch.column(name)) for name in _NUMBERS}
        is_op = rows["kind"] == DEVICE_COMM_OP
        launch = dict(zip(_LAUNCH, self._launches.find(rows["connection_no"]), strict=True))
        kernel, counts_as, kernel_name, core = self._kernels.find(rows["descriptor_no"])
        for column in (kernel, counts_as, kernel_name, core):
            column[is_op] = NONE
        type_id = self._load.strings.required(batch.column("type"))
        # older files do not say where a collective ran: where all its tasks ran, else the rank's device
        known = np.where(launch["device"] != NONE, launch["device"], self._device)
        rows["device_id"] = np.where(is_op & (rows["device_id"] == NONE), known, rows["device_id"])
        group = self._groups.ids(batch.column("group"))
        name_forms = self._load.strings.forms(batch.column("name"))

        sweep_kind = np.where(is_one_of(type_id, self._silent), _SILENT, _WIDENING)
        sweep_kind[is_one_of(type_id, self._copies)] = _COPY
        sweep_kind = np.where((counts_as == COMPUTING) | (counts_as == UNCOUNTED), counts_as, sweep_kind)
        sweep_kind[is_op] = np.where((name_forms[is_op] & IS_RECEIVE) > 0, _RECEIVE, _COMMUNICATION)
        track = np.where(rows["is_covered"] == 1, rows["stream_no"] + _COVERED_TRACK, rows["stream_no"])
        track[is_op] = -2 - group[is_op]
        swept = self._sweep.feed(sweep_kind, rows["start_ns"], rows["end_ns"], rows["device_id"], track)
        found = {name: np.asarray(getattr(swept, name)) for name in ("wait", "step", "task_step", "lane")}
        self._write_intervals(self._sweep.take_intervals())

        found["launch_no"] = self._launch_numbers(rows, launch)
        found |= self._linked(rows, launch, found["launch_no"], kernel)
        self._parts.link(rows, found)
        drawn = (found["replay"] != NONE) & (rows["is_covered"] != 1)
        if drawn.any():
            node, replay, start, end = found["node"], found["replay"], rows["start_ns"], rows["end_ns"]
            self._graphs.add(*(column[drawn] for column in (node, replay, start, end)))
        found |= {"type": type_id, "kernel": kernel}
        self._summaries.add_device(rows, {**found, "kernel_name": kernel_name, "core": core})
        self._write_tasks(rows, ~is_op, found)
        if is_op.any():
            self._write_operations(batch, rows, is_op, {**found, "group": group})

    def _launch_numbers(self, rows: dict[str, Numbers], launch: dict[str, Numbers]) -> Numbers:
        """0 for the record of a launch that the vendor's tools keep, then 1, 2 ... in order of time."""
        number = np.where(launch["count"] == 1, 0, NONE)
        class_ = np.where(rows["kind"] == DEVICE_COMM_OP, 0, 1 + rows["is_covered"])
        for place in np.flatnonzero(launch["count"] > 1).tolist():
            connection = int(rows["connection_no"][place])
            state = self._open.setdefault(connection, [0, 1, 0])
            state[0] += 1
            if not state[2] and class_[place] == launch["head"][place]:
                state[2] = 1
                number[place] = 0
            else:
                number[place] = state[1]
                state[1] += 1
            if state[0] == launch["count"][place]:
                del self._open[connection]
        return number

    def _linked(
        self, rows: dict[str, Numbers], launch: dict[str, Numbers], launch_no: Numbers, kernel: Numbers
    ) -> dict[str, Numbers]:
        """api_call, op, rule, graph_node and graph_replay of each row."""
        is_kept = (launch_no == 0) & (launch["is_flow"] == 1)
        op, rule, api_call = launch["op"].copy(), launch["rule"], launch["api_call"].copy()
        rule = np.where((rule == QUEUE) & ~is_kept, QUEUE_MORE, np.where((rule == HOST) & ~is_kept, HOST_MORE, rule))
        node, replay = np.full(len(op), NONE, np.int64), np.full(len(op), NONE, np.int64)
        in_graph = np.flatnonzero((rows["model_no"] != NONE) & (rows["kind"] == DEVICE_TASK))
        if len(in_graph):
            graph, (replay_, call, call_op, _) = self._graphs.replays(
                *(rows[name][in_graph] for name in ("graph_no", "device_id", "model_no", "run_no"))
            )
            # the number leads to the captured launch; or to the launching call, or nowhere, and then the replay tells
            is_captured = (op[in_graph] != NONE) & (launch["is_replay"][in_graph] != 1)
            vendors = is_kept[in_graph] & np.isin(launch["rule"][in_graph], (QUEUE, HOST))
            capture = np.where(vendors, CAPTURE, CAPTURE_MORE)
            rule[in_graph] = np.where(is_captured, capture, REPLAY)
            op[in_graph] = np.where(is_captured, op[in_graph], call_op)
            facts = {name: rows[name][in_graph] for name in ("stream_no", "task_no", "context_no", "batch_no")}
            facts |= {"graph_id": graph, "kernel_id": kernel[in_graph]}
            is_told = (rows["graph_no"][in_graph] != NONE) | (rows["is_covered"][in_graph] == 1)
            descriptor, connection = (rows[name][in_graph] for name in ("descriptor_no", "connection_no"))
            node[in_graph] = self._graphs.nodes(descriptor, connection, is_told, facts)
            replay[in_graph] = replay_
            api_call[in_graph] = np.where(api_call[in_graph] != NONE, api_call[in_graph], call)
        rule = np.where(op == NONE, NONE, rule)
        return {"op": op, "rule": rule, "api_call": api_call, "node": node, "replay": replay}

    def _write_tasks(self, rows: dict[str, Numbers], mask: np.ndarray, found: dict[str, Numbers]) -> None:
        row = {name: column[mask] for name, column in rows.items()}
        link = {name: column[mask] for name, column in found.items() if len(column) == len(mask)}
        count = len(row["kind"])
        if not count:
            return
        first = self._load.loader.reserve("device_task", count)
        ids = np.arange(first, first + count, dtype=np.int64)
        columns: dict[str, Column] = {
            "id": ids,
            "type_id": link["type"],
            "lane": link["lane"],
            "is_covered": np.maximum(row["is_covered"], 0),
            **{name: row[name] for name in ("device_id", "start_ns", "end_ns", "stream_no", "task_no")},
            **{name: nullable(row[name]) for name in ("context_no", "batch_no", "model_no", "connection_no")},
            **{name: nullable(link[source]) for name, source in _TASK_LINKS.items()},
        }
        self._load.write("device_task", columns, (row["start_ns"], row["end_ns"]))
        self.links.tasks.add(row["row"], ids)
        streams = self._streams.ids(row["device_id"], row["stream_no"])
        counts = np.bincount(streams, minlength=len(self._streams))
        counts[: len(self._stream_counts)] += self._stream_counts
        self._stream_counts = counts

    def _write_operations(
        self, batch: pa.RecordBatch, rows: dict[str, Numbers], mask: np.ndarray, found: dict[str, Numbers]
    ) -> None:
        strings = self._load.strings
        row = {name: column[mask] for name, column in rows.items()}
        link = {name: column[mask] for name, column in found.items()}
        texts = {
            column: nullable(strings.ids_unless_missing(batch.column(name))[mask])
            for column, name in (
                ("op_type_id", "op_type"),
                ("data_type_id", "data_type"),
                ("algorithm_id", "algorithm"),
            )
        }
        first = self._load.loader.reserve("comm_op", len(row["kind"]))
        ids = np.arange(first, first + len(row["kind"]), dtype=np.int64)
        name_id = strings.required(batch.column("name"))[mask]
        columns: dict[str, Column] = {
            "id": ids,
            "name_id": name_id,
            "lane": link["lane"],
            "start_ns": row["start_ns"],
            "end_ns": row["end_ns"],
            "comm_group_id": nullable(link["group"]),
            "operation_no": nullable(row["descriptor_no"]),
            **texts,
            **{name: nullable(row[name]) for name in ("device_id", "connection_no", "element_count", "rank_count")},
            **{name: nullable(row[name]) for name in ("is_relay", "is_retry", "model_no")},
            **{name: nullable(link[source]) for name, source in _OPERATION_LINKS.items()},
        }
        self._load.write("comm_op", columns, (row["start_ns"], row["end_ns"]))
        self.links.operations.add(row["row"], ids, link["group"])
        self._groups.note_operations(name_id, link["group"])

    def _write_intervals(self, intervals: _native.BusyIntervals) -> None:
        start, end = np.asarray(intervals.start), np.asarray(intervals.end)
        if len(start):
            columns: dict[str, Column] = {
                "device_id": np.asarray(intervals.device),
                "kind": np.asarray(intervals.kind),
                "start_ns": start,
                "end_ns": end,
                "step_id": nullable(np.asarray(intervals.step)),
                "copy_count": nullable(np.asarray(intervals.copies)),
                "copy_ns": nullable(np.asarray(intervals.copy_ns)),
            }
            self._load.write("busy_interval", columns, (start, end))
            self._summaries.add_intervals(intervals)

    def _write_step_times(self) -> None:
        totals = self._sweep.step_totals()
        if len(totals.step):
            columns: dict[str, Column] = {column: np.asarray(getattr(totals, name)) for column, name in _TOTALS.items()}
            columns["step_id"] = nullable(np.asarray(totals.step))
            self._load.write("step_time", columns)


_NUMBERS = (
    "kind", "start_ns", "end_ns", "device_id", "connection_no", "descriptor_no", "context_no", "stream_no", "task_no",
    "batch_no", "model_no", "is_covered", "run_no", "element_count", "rank_count", "is_relay", "is_retry", "row",
    "graph_no",
)  # fmt: skip
_LAUNCH = ("api_call", "op", "rule", "is_flow", "head", "count", "device", "is_replay")
_TASK_LINKS = {
    "kernel_id": "kernel", "api_call_id": "api_call", "op_id": "op", "link_rule_id": "rule", "launch_no": "launch_no",
    "step_id": "step", "wait_ns": "wait", "graph_node_id": "node", "graph_replay_id": "replay",
}  # fmt: skip
_OPERATION_LINKS = {
    "api_call_id": "api_call", "op_id": "op", "link_rule_id": "rule", "step_id": "step", "task_step_id": "task_step",
    "wait_ns": "wait",
}  # fmt: skip
_TOTALS = {
    "step_id": "step", "device_id": "device", "computing_ns": "computing", "communication_ns": "communication",
    "communication_not_overlapped_ns": "not_overlapped", "free_ns": "free", "bubble_ns": "bubble",
    "first_start_ns": "first_start", "last_end_ns": "last_end",
}  # fmt: skip
