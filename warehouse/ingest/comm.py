"""Communication: groups, and the tasks of collectives."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.ingest.link import NONE, LinkTable, Numbers
from warehouse.ingest.rank_load import RankLoad
from warehouse.ingest.strings import filled, nullable
from warehouse.ingest.summaries import Summaries
from warehouse.readers.facts import Group
from warehouse.store.loader import Column


class Groups:
    """The communication groups of a rank: given ids as they are met, written at the end."""

    def __init__(self, load: RankLoad, described: dict[str, Group], hashes: dict[str, str]) -> None:
        """`described`: what the profiler's metadata says of a group name; `hashes`: name of an operation -> the number
        that stands for its group in analysis.db."""
        self._load = load
        self._described = described
        names = load.strings.text_ids(*hashes)
        self._hash_of_operation = dict(zip(names.tolist(), hashes.values(), strict=True))
        self._hash_names = names
        self._ids: dict[int, int] = {}  # string id of the name -> comm_group
        self._hashes: dict[int, str] = {}
        self._planes: dict[int, int] = {}

    def ids(self, column: pa.Array) -> Numbers:
        """comm_group of each name, NONE where there is none."""
        name = self._load.strings.ids(column)
        result = np.full(len(name), NONE, np.int64)
        for each in np.unique(name[name != NONE]).tolist():
            result[name == each] = self._id(each)
        return result

    def _id(self, name_id: int) -> int:
        if name_id not in self._ids:
            self._ids[name_id] = self._load.loader.reserve("comm_group", 1)
        return self._ids[name_id]

    def note_operations(self, name_id: Numbers, group: Numbers) -> None:
        """Learn the numbers of groups from the names of operations."""
        for place in np.flatnonzero(np.isin(name_id, self._hash_names) & (group != NONE)).tolist():
            self._hashes.setdefault(int(group[place]), self._hash_of_operation[int(name_id[place])])

    def note_planes(self, group: Numbers, plane: Numbers) -> None:
        for each in np.unique(group[(group != NONE) & (plane != NONE)]).tolist():
            highest = int(plane[group == each].max()) + 1
            self._planes[each] = max(self._planes.get(each, 0), highest)

    def write(self) -> None:
        """Groups that operations named and groups that only the metadata names, with their members."""
        load = self._load
        described = dict(zip(load.strings.text_ids(*self._described).tolist(), self._described.values(), strict=True))
        for name_id in described:
            self._id(name_id)
        if not self._ids:
            return
        groups = [described.get(name_id, Group()) for name_id in self._ids]
        ids = list(self._ids.values())
        columns: dict[str, Column] = {
            "id": ids,
            "name_id": list(self._ids),
            "group_hash": [self._hashes.get(id_) for id_ in ids],
            "alias": [group.alias for group in groups],
            "rank_count": [len(group.ranks) or None for group in groups],
            "plane_count": [self._planes.get(id_) for id_ in ids],
        }
        load.write("comm_group", columns)
        members = [
            (id_, place, rank) for id_, group in zip(ids, groups, strict=True) for place, rank in enumerate(group.ranks)
        ]
        if members:
            names = ("comm_group_id", "group_rank", "rank_no")
            load.write("comm_group_rank", dict(zip(names, map(list, zip(*members, strict=True)), strict=True)))


def load_comm_tasks(
    load: RankLoad, groups: Groups, tasks: LinkTable, operations: LinkTable, summaries: Summaries
) -> None:
    """Stream `comm_task` batches; lanes are within group and plane."""
    sweep = _native.LaneSweep()
    lost = 0
    for records in load.reader.read("comm_task"):
        (task,) = tasks.find(records.column("task_row").to_numpy())
        summaries.take_back_copies(records.column("task_row").to_numpy())
        lost += int((task == NONE).sum())
        batch, task = records.filter(pa.array(task != NONE)), task[task != NONE]
        if not batch.num_rows:
            continue
        operation, group_of_op = operations.find(filled(batch.column("op_row")))
        named = groups.ids(batch.column("group"))
        group = np.where(group_of_op != NONE, group_of_op, named)
        plane = filled(batch.column("plane_no"))
        groups.note_planes(group, plane)
        start, end = batch.column("start_ns").to_numpy(), batch.column("end_ns").to_numpy()
        lane = np.asarray(sweep.feed((group << 16) + plane, start, end))
        texts = {
            column: nullable(load.strings.ids_unless_missing(batch.column(name))) for column, name in _TEXTS.items()
        }
        columns: dict[str, Column] = {
            "device_task_id": task,
            "comm_op_id": nullable(operation),
            "comm_group_id": nullable(group),
            "plane_no": nullable(plane),
            "lane": lane,
            **texts,
            **{
                name: batch.column(name)
                for name in ("notify_no", "src_rank_no", "dst_rank_no", "size_bytes", "is_master")
            },
            "bandwidth": batch.column("bandwidth"),
            "estimated_us": batch.column("estimated_us"),
        }
        load.write("comm_task", columns, (start, end))
    load.ledger.take_back(
        "COMMUNICATION_TASK_INFO", lost, "no-task", "belongs to a task that was not loaded"
    ) if lost else None


_TEXTS = {
    "name_id": "name", "type_id": "type", "rdma_type_id": "rdma_type", "transport_id": "transport",
    "link_type_id": "link_type", "data_type_id": "data_type",
}  # fmt: skip
