"""Memory of the framework's allocator and of the graph engine (framework-files.md 5.11, cann-files.md 4.3,
ascend-db.md 5)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.batches.records import HOST_ALLOCATION, RECORDS
from warehouse.readers.host_totals import HostTotals
from warehouse.readers.raw_framework import FrameworkPart
from warehouse.readers.raw_names import AllocationNames
from warehouse.readers.raw_rows import NONE, chosen, expanded, numbers, or_null, record
from warehouse.readers.raw_run import RawRun
from warehouse.readers.sorted_rows import Columns, Numbers, SortedRows

_NPU, _HOST = 20, 0
_TORCH_ALLOCATOR, _WORKSPACE = 0, 1
_BATCH = 8192


class MemoryPart:
    """Allocations and totals over time.  Fill `engine` (records of the graph engine: see raw_prof_memory) before
    reading."""

    def __init__(self, run: RawRun, framework: FrameworkPart, host_events: SortedRows) -> None:
        self._run = run
        self._framework = framework
        self._events = host_events
        self._words = {name: run.strings.own(name) for name in ("PTA", "GE", "PTA+GE", "WORKSPACE", "CPU")}
        self._takes_host = run.recording is not None  # the framework's own files tell it, but nobody shows it
        self._records = SortedRows(["time", "component", "row"], run.spill)
        self._engine_totals = SortedRows(["time", "row"], run.spill)
        self._totals: SortedRows | None = None
        self._allocations = SortedRows(["start_ns", "row"], run.spill, RECORDS["allocation"])
        self._engine = SortedRows([], run.spill, RECORDS["memory_event"])  # as they come
        self._names = AllocationNames(run.strings)

    def load(self) -> None:
        """Decode torch.memory_usage, pair and name its allocations."""
        row = 0
        device_no = self._only_device()
        for _, batch in self._run.framework("memory_usage"):
            found = dict(zip(_MEMORY, numbers(batch, *_MEMORY), strict=True))
            count = batch.num_rows
            is_host = found["device_type"] == _HOST
            device = found["device_no"] if device_no is None else np.full(count, device_no)
            self._records.add_columns(
                count, (found["device_type"] == _NPU) | (is_host & self._takes_host),
                time=self._framework.ns(batch.column("tick")), device=np.where(is_host, NONE, device),
                row=np.arange(row, row + count),
                **{name: found[field] for name, field in _RECORDS.items()}
                | {"component": np.where(is_host, _HOST_ALLOCATOR, found["component"])},
            )  # fmt: skip
            row += count
        blocks = SortedRows(["time", "row"], self._run.spill)
        sweep, host_sweep = _native.BlockSweep(), _native.BlockSweep()
        for columns in _with_host_totals(self._records.columns()):
            is_host = columns["component"] == _HOST_ALLOCATOR
            is_torch = (columns["allocator"] == _TORCH_ALLOCATOR) & ~is_host
            self._add_blocks(blocks, sweep.feed(columns if is_torch.all() else chosen(columns, is_torch)), is_host=0)
            if is_host.any():
                self._add_blocks(blocks, host_sweep.feed(chosen(columns, is_host)), is_host=1)
        self._add_blocks(blocks, sweep.finish(), is_host=0)
        self._add_blocks(blocks, host_sweep.finish(), is_host=1)
        self._name(blocks)

    def _add_blocks(self, blocks: SortedRows, found: dict[str, _native.Int64Column], is_host: int) -> None:
        blocks.add_columns(len(found["time"]), **found, is_host=is_host)

    def _only_device(self) -> int | None:
        devices = self._run.files.devices
        return devices[0].device_id if len(devices) == 1 else None

    def _name(self, blocks: SortedRows) -> None:
        """Order by time of the malloc, number, and name after the operator that asked for it."""
        names = SortedRows(["row"], self._run.spill)
        allocations = _numbered(blocks.columns(["time", "pid", "tid"]))
        for place, name in self._names.find(self._framework.ops, self._framework.queue, allocations):
            names.add_columns(len(place), row=place, name=name)
        first, named = 0, names.between()
        for columns in blocks.columns():
            last = first + len(columns["time"])
            name = np.full(last - first, NONE, np.int64)
            known = named.rows([first], [last - 1])
            if known is not None:
                name[known["row"] - first] = known["name"]
            self._add_allocations(columns, name, first)
            first = last

    def _add_allocations(self, found: Columns, name: Numbers, first: int) -> None:
        count = len(name)
        number = np.arange(first, first + count)
        self._allocations.add_columns(
            count, None, _SPARSE, component=np.where(found["is_host"] == 1, self._words["CPU"], self._words["PTA"]),
            device_id=found["device"], name=name, size_bytes=found["size"], start_ns=found["time"],
            release_ns=found["free"], active_release_ns=found["block_free"],
            start_allocated_bytes=found["allocated"], start_reserved_bytes=found["reserved"],
            start_active_bytes=found["active"],
            release_allocated_bytes=found["end_allocated"], release_reserved_bytes=found["end_reserved"],
            release_active_bytes=found["end_active"], stream_ptr=found["stream"], address=found["address"], row=number,
        )  # fmt: skip
        start = found["time"]
        self._events.add_columns(
            count, name != NONE, kind=HOST_ALLOCATION, start_ns=start, end_ns=start, pid=0, tid=0, name=name, row=number
        )

    def add_engine(self, batch: pa.RecordBatch) -> None:
        """Take `memory_event` rows of the graph engine, in the order of their files."""
        fields = ("time_ns", "total_allocated_bytes", "total_reserved_bytes", "device_id")
        time, allocated, reserved, device = numbers(batch, *fields)
        row = np.arange(self._engine.rows, self._engine.rows + batch.num_rows)
        self._engine_totals.add_columns(
            batch.num_rows, time=time, allocated=allocated, reserved=reserved, active=0, stream=NONE, device=device,
            component=_ENGINE, row=row,
        )  # fmt: skip
        self._engine.add(batch)

    def events(self) -> Iterator[pa.RecordBatch]:
        """`memory_event` batches: the graph engine's records."""
        yield from self._engine.batches()

    def allocations(self) -> Iterator[pa.RecordBatch]:
        """`allocation` batches: the framework's by time, then the graph engine's by release, what was not released
        last."""
        yield from self._allocations.batches()
        yield from self._engine_allocations()

    def _engine_allocations(self) -> Iterator[pa.RecordBatch]:
        """Paired by operator, address and device (ascend-db.md 5); a release without allocation is dropped."""
        open_: dict[tuple[int, int, int], tuple[int, ...]] = {}
        done: list[tuple[int, ...]] = []
        first = self._allocations.rows
        for columns in self._engine.columns(_ENGINE_FIELDS):
            for name, address, device, size, *facts in zip(
                *(column.tolist() for column in columns.values()), strict=True
            ):
                key = (name, address, device)
                if size > 0:
                    open_[key] = (size, *facts)
                elif key in open_:
                    done.append((*key, *open_.pop(key), *facts))
            yield from self._engine_blocks(done, first)
            first += len(done)
            done = []
        yield from self._engine_blocks([(*key, *start, NONE, NONE, NONE) for key, start in open_.items()], first)

    def _engine_blocks(self, done: list[tuple[int, ...]], first: int) -> Iterator[pa.RecordBatch]:
        for place in range(0, len(done), _BATCH):
            columns = np.array(done[place : place + _BATCH], dtype=np.int64).T
            name, address, device, size, time, allocated, reserved, release, at_end, reserved_at_end = columns
            yield record(
                "allocation", columns.shape[1], component=self._words["GE"], device_id=device, name=or_null(name),
                size_bytes=size, start_ns=time, release_ns=or_null(release), start_allocated_bytes=allocated,
                start_reserved_bytes=reserved, release_allocated_bytes=pa.array(at_end, mask=release == NONE),
                release_reserved_bytes=pa.array(reserved_at_end, mask=release == NONE), address=address,
                row=np.arange(first + place, first + place + columns.shape[1]),
            )  # fmt: skip

    def records(self) -> Iterator[pa.RecordBatch]:
        """`memory_record` batches: each record's totals, and beside those of the allocator and of the graph engine
        their sums with the latest of the other on the same device (5.11, step 6)."""
        latest: dict[tuple[int, int], Numbers] = {}
        source = self._all_totals()
        if source is self._records:
            batches = _with_host_totals(source.columns([*_TOTAL_FIELDS, "address", "size"]))
        else:
            batches = source.columns(_TOTAL_FIELDS)  # with the graph engine, of which no recording tells
        for columns in batches:
            yield self._with_sums({name: columns[name] for name in _TOTAL_FIELDS}, latest)

    def _all_totals(self) -> SortedRows:
        """Totals of the allocator and, after them at equal times, of the graph engine."""
        if not self._engine_totals.rows:
            return self._records
        if self._totals is None:
            self._totals = SortedRows(["time", "component", "row"], self._run.spill)
            for source in (self._records, self._engine_totals):
                for columns in source.columns([*_TOTAL_FIELDS, "row"]):
                    self._totals.add_columns(len(columns["row"]), **columns)
        return self._totals

    def _with_sums(self, columns: Columns, latest: dict[tuple[int, int], Numbers]) -> pa.RecordBatch:
        time, device, component, *own = columns.values()
        is_engine = component == _ENGINE
        own[3] = np.where(is_engine, NONE, own[3])
        count = len(time)
        other = np.stack([np.zeros(count, np.int64)] * 3 + [np.full(count, NONE)])
        for each in np.unique(device).tolist():
            for mine, theirs in ((_TORCH_ALLOCATOR, _ENGINE), (_ENGINE, _TORCH_ALLOCATOR)):
                where = np.flatnonzero((device == each) & (component == mine))
                seen = np.flatnonzero((device == each) & (component == theirs))
                if len(where):
                    place = np.searchsorted(seen, where) - 1
                    before = latest.get((each, theirs))
                    if before is not None:
                        other[:, where] = before[:, None]
                    has = place >= 0
                    other[:, where[has]] = np.stack([column[seen[place[has]]] for column in own])
            for kind in (_TORCH_ALLOCATOR, _ENGINE):
                where = np.flatnonzero((device == each) & (component == kind))
                if len(where):
                    latest[each, kind] = np.array([column[where[-1]] for column in own])
        sums = [one + two for one, two in zip(own[:3], other[:3], strict=True)]
        sums.append(np.where(is_engine, other[3], own[3]))
        names = ("PTA", "WORKSPACE", "GE", "CPU")
        words = np.array([self._words[name] for name in names])[np.clip(component, 0, _HOST_ALLOCATOR)]
        row, part = expanded(np.where((component == _WORKSPACE) | (component == _HOST_ALLOCATOR), 1, 2))
        return record(
            "memory_record",
            len(row),
            component=np.where(part == 1, self._words["PTA+GE"], words[row]),
            device_id=or_null(device[row]),
            time_ns=time[row],
            **{
                name: np.where(part == 1, both[row], single[row])
                for name, single, both in zip(_TOTALS, own[:3], sums[:3], strict=True)
            },
            stream_ptr=or_null(np.where(part == 1, sums[3][row], own[3][row])),
        )


_TOTAL_FIELDS = ("time", "device", "component", "allocated", "reserved", "active", "stream")
_TOTALS = ("allocated_bytes", "reserved_bytes", "active_bytes")
_ENGINE_FIELDS = (
    "name", "address", "device_id", "size_bytes", "time_ns", "total_allocated_bytes", "total_reserved_bytes",
)  # fmt: skip
_ENGINE = 2  # component of the graph engine's rows; they come after the allocator's of the same time
_HOST_ALLOCATOR = 3  # and of those of the host's memory
_MEMORY = (
    "address", "size_bytes", "total_allocated_bytes", "total_reserved_bytes", "total_active_bytes", "stream_ptr",
    "device_no", "device_type", "component", "action", "allocator", "tid", "pid",
)  # fmt: skip
_RECORDS = {
    "address": "address", "pid": "pid", "tid": "tid", "size": "size_bytes", "allocated": "total_allocated_bytes",
    "reserved": "total_reserved_bytes", "active": "total_active_bytes", "stream": "stream_ptr", "action": "action",
    "component": "component", "allocator": "allocator",
}  # fmt: skip
# columns of `allocation` in which NONE is a null
_SPARSE = (
    "device_id", "name", "release_ns", "active_release_ns", "release_allocated_bytes", "release_reserved_bytes",
    "release_active_bytes",
)  # fmt: skip


def _with_host_totals(batches: Iterator[Columns]) -> Iterator[Columns]:
    """The rows, those of the host's memory with totals of their own."""
    totals = HostTotals()
    for columns in batches:
        is_host = columns["component"] == _HOST_ALLOCATOR
        if not is_host.any():
            yield columns
            continue
        allocated, reserved = columns["allocated"].copy(), columns["reserved"].copy()
        allocated[is_host] = totals.feed(columns["address"][is_host], columns["size"][is_host])
        reserved[is_host] = 0  # the host's allocator keeps nothing back
        yield {**columns, "allocated": allocated, "reserved": reserved}


def _numbered(batches: Iterator[Columns]) -> Iterator[Columns]:
    """The rows with their numbers."""
    first = 0
    for columns in batches:
        count = len(columns["time"])
        yield {**columns, "row": np.arange(first, first + count)}
        first += count
