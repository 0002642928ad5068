"""Memory of the framework's allocator and of the graph engine (framework-files.md 5.11, cann-files.md 4.3,
ascend-db.md 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from warehouse.batches.records import HOST_ALLOCATION
from warehouse.readers.raw_framework import FrameworkPart
from warehouse.readers.raw_names import AllocationNames
from warehouse.readers.raw_rows import NONE, Numbers, Until, expanded, numbers, or_null, record, rows
from warehouse.readers.raw_run import RawRun
from warehouse.readers.sorted_rows import SortedRows

_NPU = 20
_MALLOC, _FREE, _BLOCK_FREE = range(3)
_TORCH_ALLOCATOR, _WORKSPACE = 0, 1
_BATCH = 8192
_COLUMNS = "time address pid tid size allocated reserved active stream device action component"


class MemoryPart:
    """Allocations and totals over time.  Fill `engine` (records of the graph engine: see raw_prof_memory) before
    reading."""

    def __init__(self, run: RawRun, framework: FrameworkPart, host_events: SortedRows) -> None:
        self._run = run
        self._framework = framework
        self._events = host_events
        self._words = {name: run.strings.own(name) for name in ("PTA", "GE", "PTA+GE", "WORKSPACE")}
        self._totals = SortedRows(["time", "component", "row"], run.spill)
        self._allocations = SortedRows(["start_ns", "row"], run.spill)
        self._engine: list[pa.RecordBatch] = []
        self._names = AllocationNames(run.strings)

    def load(self) -> None:
        """Decode torch.memory_usage, pair and name its allocations."""
        by_address = SortedRows(["pid", "address", "time", "row"], self._run.spill)
        row = 0
        device_no = self._only_device()
        for _, batch in self._run.framework("memory_usage"):
            (kind,) = numbers(batch, "device_type")
            chosen = batch.filter(pa.array(kind == _NPU))
            time = self._framework.ns(chosen.column("tick"))
            found = dict(zip(_MEMORY, numbers(chosen, *_MEMORY), strict=True))
            number = np.arange(row, row + len(time))
            row += len(time)
            device = found["device_no"] if device_no is None else device_no
            columns = {
                "time": time, "address": found["address"], "pid": found["pid"], "tid": found["tid"],
                "size": found["size_bytes"], "allocated": found["total_allocated_bytes"],
                "reserved": found["total_reserved_bytes"], "active": found["total_active_bytes"],
                "stream": found["stream_ptr"], "device": device, "action": found["action"],
                "component": found["component"], "row": number,
            }  # fmt: skip
            every = rows(len(time), **columns)
            self._totals.add(every)
            by_address.add(every.filter(pa.array(found["allocator"] == _TORCH_ALLOCATOR)))
        blocks = SortedRows(["time", "row"], self._run.spill)
        for batch in by_address.batches(together=["pid", "address"]):
            blocks.add(_blocks(batch))
        self._name(blocks)

    def _only_device(self) -> int | None:
        devices = self._run.files.devices
        return devices[0].device_id if len(devices) == 1 else None

    def _name(self, blocks: SortedRows) -> None:
        """Order by time of the malloc, number, and name after the operator that asked for it."""
        moments, row = self._framework.moments, 0
        for batch in blocks.batches():
            time, pid, tid = numbers(batch, "time", "pid", "tid")
            number = np.arange(row, row + batch.num_rows)
            row += batch.num_rows
            moments.add(rows(len(time), time=time, kind=3, row=number, end=NONE, name=NONE, pid=pid, tid=tid, key=NONE))
        if not row:
            return
        names = SortedRows(["row"], self._run.spill)
        for place, name in self._names.find(moments):
            names.add(rows(len(place), row=place, name=name))
        first, named = 0, Until(names.batches(), ("row",))
        for batch in blocks.batches():
            last = first + batch.num_rows
            name = np.full(batch.num_rows, NONE, np.int64)
            found = named.up_to((last - 1,))
            if found is not None:
                place, number = numbers(found, "row", "name")
                name[place - first] = number
            self._add_allocations(batch, name, first)
            first = last

    def _add_allocations(self, batch: pa.RecordBatch, name: Numbers, first: int) -> None:
        count = batch.num_rows
        found = dict(zip(batch.schema.names, numbers(batch, *batch.schema.names), strict=True))
        number = np.arange(first, first + count)
        released = found["free"] != NONE
        blocked = found["block_free"] != NONE
        other = np.where(released, 0, 1)  # the totals at the release: of the free, else of the other record
        at_end = {
            each: np.where(other == 0, found[f"free_{each}"], found[f"block_{each}"])
            for each in ("allocated", "reserved", "active")
        }
        gone = ~released & ~blocked
        self._allocations.add(
            record(
                "allocation",
                count,
                component=self._words["PTA"],
                device_id=found["device"],
                name=or_null(name),
                size_bytes=found["size"],
                start_ns=found["time"],
                release_ns=or_null(found["free"]),
                active_release_ns=or_null(found["block_free"]),
                start_allocated_bytes=found["allocated"],
                start_reserved_bytes=found["reserved"],
                start_active_bytes=found["active"],
                **{f"release_{each}_bytes": pa.array(values, mask=gone) for each, values in at_end.items()},
                stream_ptr=found["stream"],
                address=found["address"],
                row=number,
            )
        )
        named = name != NONE
        start = found["time"][named]
        self._events.add(
            record(
                "host_event",
                len(start),
                kind=HOST_ALLOCATION,
                start_ns=start,
                end_ns=start,
                pid=0,
                tid=0,
                name=name[named],
                row=number[named],
            )
        )

    def add_engine(self, batch: pa.RecordBatch) -> None:
        """Take `memory_event` rows of the graph engine, in the order of their files."""
        self._engine.append(batch)
        time, allocated, reserved, device = numbers(
            batch, "time_ns", "total_allocated_bytes", "total_reserved_bytes", "device_id"
        )
        count = batch.num_rows
        columns: dict[str, Any] = dict.fromkeys(_COLUMNS.split(), 0)
        columns |= {"time": time, "allocated": allocated, "reserved": reserved, "device": device, "component": _ENGINE}
        self._totals.add(rows(count, **columns, row=np.arange(count)))

    def events(self) -> Iterator[pa.RecordBatch]:
        """`memory_event` batches: the graph engine's records."""
        yield from self._engine

    def allocations(self) -> Iterator[pa.RecordBatch]:
        """`allocation` batches: the framework's by time, then the graph engine's by release, what was not released
        last."""
        yield from self._allocations.batches()
        yield from self._engine_allocations()

    def _engine_allocations(self) -> Iterator[pa.RecordBatch]:
        """Paired by operator, address and device (ascend-db.md 5); a release without allocation is dropped."""
        open_: dict[tuple[int, int, int], tuple[int, ...]] = {}
        done: list[tuple[int, ...]] = []
        for batch in self._engine:
            names = (
                "name",
                "address",
                "device_id",
                "size_bytes",
                "time_ns",
                "total_allocated_bytes",
                "total_reserved_bytes",
            )
            for name, address, device, size, time, allocated, reserved in zip(
                *(column.tolist() for column in numbers(batch, *names)), strict=True
            ):
                key = (name, address, device)
                if size > 0:
                    open_[key] = (size, time, allocated, reserved)
                elif key in open_:
                    done.append((*key, *open_.pop(key), time, allocated, reserved))
        done += [(*key, *start, NONE, NONE, NONE) for key, start in open_.items()]
        first = self._allocations.rows
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
        for batch in self._totals.batches():
            yield self._with_sums(batch, latest)

    def _with_sums(self, batch: pa.RecordBatch, latest: dict[tuple[int, int], Numbers]) -> pa.RecordBatch:
        time, device, component, *own = numbers(
            batch, "time", "device", "component", "allocated", "reserved", "active", "stream"
        )
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
        words = np.array([self._words[name] for name in ("PTA", "WORKSPACE", "GE")])[np.clip(component, 0, _ENGINE)]
        row, part = expanded(np.where(component == _WORKSPACE, 1, 2))
        return record(
            "memory_record",
            len(row),
            component=np.where(part == 1, self._words["PTA+GE"], words[row]),
            device_id=device[row],
            time_ns=time[row],
            **{
                name: np.where(part == 1, both[row], single[row])
                for name, single, both in zip(_TOTALS, own[:3], sums[:3], strict=True)
            },
            stream_ptr=or_null(np.where(part == 1, sums[3][row], own[3][row])),
        )


_TOTALS = ("allocated_bytes", "reserved_bytes", "active_bytes")
_ENGINE = 2  # component of the graph engine's rows; they come after the allocator's of the same time
_MEMORY = (
    "address", "size_bytes", "total_allocated_bytes", "total_reserved_bytes", "total_active_bytes", "stream_ptr",
    "device_no", "component", "action", "allocator", "tid", "pid",
)  # fmt: skip


def _blocks(batch: pa.RecordBatch) -> pa.RecordBatch:
    """Blocks from records sorted by address and time, an address in one batch: a malloc and up to two records after it,
    each of another kind (5.11, step 2).  Of free and block free the time and the totals, NONE without."""
    names = _COLUMNS.split()
    found = dict(zip(names, numbers(batch, *names), strict=True))
    action = found["action"]
    malloc = np.flatnonzero(action == _MALLOC)
    last = batch.num_rows - 1
    first, second = np.minimum(malloc + 1, last), np.minimum(malloc + 2, last)

    def follows(row: Numbers, distance: int) -> np.ndarray:
        same = (found["address"][row] == found["address"][malloc]) & (found["pid"][row] == found["pid"][malloc])
        belongs: np.ndarray = same & (row == malloc + distance) & (action[row] != _MALLOC)
        return belongs

    has_first = follows(first, 1)
    has_second = has_first & follows(second, 2) & (action[first] != action[second])
    columns = {name: found[name][malloc] for name in names}
    for prefix, kind in (("free", _FREE), ("block", _BLOCK_FREE)):
        row = np.where(has_first & (action[first] == kind), first, NONE)
        row = np.where(has_second & (action[second] == kind), second, row)
        has = row != NONE
        for name, column in (("", "time"), ("allocated", "allocated"), ("reserved", "reserved"), ("active", "active")):
            values = np.full(len(malloc), NONE, np.int64)
            values[has] = found[column][row[has]]
            columns[f"{prefix}_{name}" if name else "free" if prefix == "free" else "block_free"] = values
    return rows(len(malloc), **columns, row=np.arange(len(malloc)))
