"""Sums over the events of a rank, found while they stream by and stored: what daily questions would else add up again.

A group is written when its rank is done, or in parts where there are very many: the rows of one key add up.
"""

from __future__ import annotations

import tempfile
from collections.abc import Mapping, Sequence
from types import TracebackType

import numpy as np

from warehouse import _native
from warehouse.batches.records import DEVICE_COMM_OP
from warehouse.ingest.link import NONE, Numbers, in_temporary_files
from warehouse.ingest.link_rule import VENDOR_RULES
from warehouse.ingest.rank_load import RankLoad
from warehouse.ingest.strings import is_one_of, nullable
from warehouse.store import TABLES
from warehouse.store.loader import Column

_MOST_GROUPS = 50_000
_MOST_HELD = 60_000  # records of what operators launched, 64 bytes each


class _Sums:
    """One table of sums: columns of keys, and of each value what is stored of it."""

    def __init__(self, table: str, keys: Sequence[str], *values: Mapping[str, str]) -> None:
        self.table = table
        self._keys = keys
        self._values = values
        self._sums = _native.KeyedSums(len(keys), len(values))

    def add(self, load: RankLoad, keys: list[Numbers], values: list[Numbers]) -> None:
        self._sums.feed([np.ascontiguousarray(key) for key in keys], [np.ascontiguousarray(value) for value in values])
        self.write(load, _MOST_GROUPS)

    def write(self, load: RankLoad, least: int = 0) -> None:
        groups = self._sums.take(least)
        if not len(groups.counts[0]):
            return
        columns = {name: np.asarray(key) for name, key in zip(self._keys, groups.keys, strict=True)}
        for place, stored in enumerate(self._values):
            found = {
                "counts": groups.counts[place],
                "sums": groups.sums[place],
                "least": groups.least[place],
                "most": groups.most[place],
            }
            columns |= {column: np.asarray(found[what]) for column, what in stored.items()}
        load.write(self.table, _stored(self.table, columns))


def _stored(table: str, columns: Mapping[str, Numbers]) -> dict[str, Column]:
    """What is missing is 0 in columns that must have a value, else null."""
    required = {column.name for column in TABLES[table].columns if column.is_required}
    return {
        name: np.where(column == NONE, 0, column) if name in required else nullable(column)
        for name, column in columns.items()
    }


class Summaries:
    """The sums of one rank; fed by the passes, written by `finish`."""

    def __init__(self, load: RankLoad) -> None:
        self._load = load
        self._spill = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the block that this object manages
        self._ops = _native.OpTotals(load.loader.reserve("op", 0), self._spill.fileno(), _MOST_HELD)
        self._copies = load.links.table("op ns")
        (self._copy_type, self._ai_core) = load.strings.text_ids("MEMCPY_ASYNC", "AI_CORE").tolist()
        self._kernels = _Sums(
            "kernel_total",
            ["kernel_id"],
            {"call_count": "counts", "total_ns": "sums", "shortest_ns": "least", "longest_ns": "most"},
            {"wait_ns": "sums"},
        )
        self._step_kernels = _Sums(
            "step_kernel_total", ["step_id", "name_id"], {"call_count": "counts", "total_ns": "sums"}
        )
        self._streams = _Sums(
            "stream_total",
            ["device_id", "stream_no", "type_id"],
            {"task_count": "counts", "total_ns": "sums", "longest_ns": "most"},
        )
        self._intervals = _Sums(
            "busy_total",
            ["device_id", "kind", "step_id"],
            {"interval_count": "counts", "total_ns": "sums", "longest_ns": "most"},
        )
        self._calls = _Sums(
            "api_total",
            ["level_id", "name_id"],
            {"call_count": "counts", "total_ns": "sums", "longest_ns": "most"},
            {"inner_ns": "sums"},
        )

    def __enter__(self) -> Summaries:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._spill.close()

    def add_host(
        self,
        kind: Numbers,
        start: Numbers,
        end: Numbers,
        name: Numbers,
        key: Numbers,
        module: Numbers,
        links: _native.HostLinks,
    ) -> None:
        """What the host sweep was fed, and what it found."""
        with in_temporary_files():
            self._ops.add_host(kind, start, end, name, key, module, links)

    def add_calls(self, level: Numbers, name: Numbers, ns: Numbers, outer_level: Numbers, outer_name: Numbers) -> None:
        """CANN calls, with level and name of the call around each."""
        none = np.full(len(ns), NONE, np.int64)
        is_inner = outer_name != NONE
        self._calls.add(self._load, [level, name], [ns, none])
        self._calls.add(self._load, [outer_level[is_inner], outer_name[is_inner]], [none[is_inner], ns[is_inner]])

    def add_intervals(self, intervals: _native.BusyIntervals) -> None:
        """Busy intervals of the devices."""
        keys = [np.asarray(intervals.device), np.asarray(intervals.kind), np.asarray(intervals.step)]
        self._intervals.add(self._load, keys, [np.asarray(intervals.end) - np.asarray(intervals.start)])

    def add_device(self, rows: Mapping[str, Numbers], found: Mapping[str, Numbers]) -> None:
        """Records of the device, in order of time; aligned columns, NONE for missing.

        `rows`: kind, start_ns, end_ns, device_id, stream_no, is_covered and row of `device_event` records.  `found`:
        type, kernel, kernel_name (string.id, SCHEDULING), core, op, rule, step and wait.
        """
        is_op = rows["kind"] == DEVICE_COMM_OP
        ns = rows["end_ns"] - rows["start_ns"]
        is_kernel = found["kernel"] != NONE
        is_copy = ~is_kernel & ~is_op & (found["type"] == self._copy_type)
        core = np.where(is_kernel & (found["core"] != NONE), found["core"], found["type"])
        flags = (
            _native.COUNTED * (is_kernel | is_copy)
            + _native.VENDOR_LINK * is_one_of(found["rule"], np.array(VENDOR_RULES))
            + _native.AI_CORE * (~is_op & (core == self._ai_core))
            + _native.COMMUNICATION * is_op
        )
        with in_temporary_files():
            self._ops.add_work(found["op"], found["kernel_name"], ns, flags)
        self._write_kernel_ops(_MOST_GROUPS)
        launched_copy = is_copy & (found["op"] != NONE)
        self._copies.add(rows["row"][launched_copy], found["op"][launched_copy], ns[launched_copy])

        load = self._load
        self._kernels.add(load, [found["kernel"][is_kernel]], [ns[is_kernel], found["wait"][is_kernel]])
        named = found["kernel_name"] >= 0
        self._step_kernels.add(load, [found["step"][named], found["kernel_name"][named]], [ns[named]])
        is_drawn = ~is_op & (rows["is_covered"] != 1)
        place = [rows["device_id"][is_drawn], rows["stream_no"][is_drawn], found["type"][is_drawn]]
        self._streams.add(load, place, [ns[is_drawn]])

    def take_back_copies(self, task_row: Numbers) -> None:
        """Tasks of collectives, by row of their device record: those that were counted as copies of an operator are
        none."""
        op, ns = self._copies.find(task_row)
        known = op != NONE
        none = np.full(int(known.sum()), NONE, np.int64)
        with in_temporary_files():
            self._ops.add_work(op[known], none, ns[known], np.full(len(none), _native.TAKEN_BACK, np.int64))

    def finish(self) -> None:
        """Add up what lies in each operator and write everything."""
        is_left = True
        while is_left:
            with in_temporary_files():
                is_left = self._ops.walk()
            least = _MOST_GROUPS if is_left else 0
            self._write("op_total", _OP_TOTAL, self._ops.take_names(least))
            self._write("module_total", _MODULE_TOTAL, self._ops.take_modules(least))
            self._write_kernel_ops(least)
        while self._write("op_work", _OP_WORK, self._ops.take_ops()):
            pass
        for sums in (self._kernels, self._step_kernels, self._streams, self._intervals, self._calls):
            sums.write(self._load)

    def _write_kernel_ops(self, least: int) -> None:
        self._write("kernel_op_total", _KERNEL_OP_TOTAL, self._ops.take_kernels(least))

    def _write(self, table: str, names: Mapping[str, str], found: object) -> int:
        """Rows of a table from the columns of a native result; how many there are."""
        columns = {column: np.asarray(getattr(found, name)) for column, name in names.items()}
        count = len(next(iter(columns.values())))
        if count:
            self._load.write(table, _stored(table, columns))
        return count


_OP_WORK = {
    "id": "id", "inner_ns": "inner", "work_count": "count", "device_ns": "device", "device_total_ns": "device_total",
    "communication_ns": "communication", "vendor_ns": "vendor", "vendor_total_ns": "vendor_total",
    "ai_core_ns": "ai_core", "ai_core_total_ns": "ai_core_total",
}  # fmt: skip
_OP_TOTAL = {
    "name_id": "name", "call_count": "calls", "host_total_ns": "host", "inner_ns": "inner", "longest_ns": "longest",
    "work_count": "count", "device_ns": "device", "device_total_ns": "device_total",
    "communication_ns": "communication",
}  # fmt: skip
_MODULE_TOTAL = {
    "name_id": "name", "is_frame": "is_frame", "call_count": "calls", "host_total_ns": "host", "op_count": "ops",
    "kernel_count": "kernels", "device_total_ns": "device",
}  # fmt: skip
_KERNEL_OP_TOTAL = {
    "name_id": "kernel", "op_name_id": "op", "framework_name_id": "framework", "module_name_id": "module",
    "call_count": "count", "total_ns": "device", "longest_ns": "longest",
}  # fmt: skip
