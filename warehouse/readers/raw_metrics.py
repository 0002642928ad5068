"""PMU records: joined with the tasks they were counted in, and evaluated (cann-files.md 5.4)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from warehouse import _native
from warehouse.readers.issues import INFO, WARNING
from warehouse.readers.raw_config import FolderConfig
from warehouse.readers.raw_device import DevicePart
from warehouse.readers.raw_files import DeviceFiles
from warehouse.readers.raw_frequency import Frequencies
from warehouse.readers.raw_rows import NONE, aligned, numbers, pair_codes
from warehouse.readers.raw_run import RawRun
from warehouse.readers.raw_tasks import COMPUTE, KEYS, HostTasks, task_keys
from warehouse.readers.sorted_rows import Columns, Numbers, SortedRows

Reals = npt.NDArray[np.float64]
_COUNTERS = tuple(f"counter_{place}" for place in range(8))
_FFTS_PLUS, _SUB_MIX_AIC, _SUB_MIX_AIV, _SUB_AIC = 4, 6, 7, 0
_AIC, _AIV = 0, 1
_CORES = ("aic", "aiv")


@dataclass
class _Core:
    """How the counters of one kind of core are read; 0: not told."""

    metrics: Any
    names: list[str]
    core_count: int
    mhz: float


class MetricPart:
    """`task_metrics` rows: for every task with a PMU record the metrics of both kinds of cores, 0 for one that did
    not work."""

    def __init__(self, run: RawRun, host: HostTasks, device: DevicePart, frequencies: Frequencies) -> None:
        self._run = run
        self._host = host
        self._device = device
        self._cores: dict[tuple[int, int], _Core] = {}  # (device, kind of core)
        self._records = SortedRows([*KEYS, "end", "row"], run.spill)
        self._counted = SortedRows(["row", "task_row", "number"], run.spill)
        self._frequencies = frequencies
        self._names: list[str] = []
        self._numbers: Numbers = np.empty(0, np.int64)

    def load(self) -> None:
        """Decode the PMU records and find their tasks."""
        for device in self._run.files.devices:
            if "ffts_profile" in device.streams and device.device_id in self._device.clocks and self._configure(device):
                self._load_records(device)
        for core in self._cores.values():
            self._names += [name for name in core.names if name not in self._names]
        self._numbers = np.array([self._run.strings.own(name) for name in self._names], dtype=np.int64)
        self._join()

    def _configure(self, device: DeviceFiles) -> bool:
        """Metrics of a device's cores; what cannot be evaluated is noted and left out."""
        folder = self._run.config.devices[device.device_id]
        for kind, prefix in enumerate(("ai_core", "aiv")):
            group = str(folder.sample.get(f"{prefix}_metrics", ""))
            text = str(folder.sample.get(f"{prefix}_profiling_events", ""))
            try:
                metrics = _native.PmuMetrics(group, [int(event, 16) for event in text.split(",") if event.strip()])
            except ValueError as error:
                self._run.ledger.note(
                    WARNING, "no-metrics", f"PMU counters of {_CORES[kind]} cores are not evaluated: {error}"
                )
                return False
            names = [f"{_CORES[kind]}_{vendor_name(name)}" for name in metrics.names]
            count, mhz = _cores_of(folder, kind)
            self._cores[device.device_id, kind] = _Core(metrics, names, count or 0, mhz or 0.0)
        return True

    def _load_records(self, device: DeviceFiles) -> None:
        row = 0
        worked: set[int] = set()
        for kind, batch in self._run.device_stream(device, "ffts_profile"):
            is_block = kind == "pmu_block"
            if kind != "pmu_context" and not is_block:
                continue
            stream, task, sub, context, ffts, cycles = numbers(
                batch, "stream", "task", "sub_task_type", "context", "ffts_type", "total_cycles"
            )
            count = len(stream)
            in_ffts = ffts == _FFTS_PLUS
            is_mix = in_ffts & ((sub == _SUB_MIX_AIC) | (sub == _SUB_MIX_AIV))
            main = np.where(in_ffts & ((sub == _SUB_MIX_AIC) | (sub == _SUB_AIC)) | (ffts == 0), _AIC, _AIV)
            core = numbers(batch, "core_type")[0] if is_block else main
            worked.update(np.unique(core).tolist())
            end = self._device.ns(device.device_id, batch.column("end"))
            device_id = np.full(count, device.device_id)
            keys = task_keys(
                device_id,
                stream,
                self._device.flips.batches(device_id, stream, end),
                task,
                np.where(in_ffts, context, NONE),
            )
            counters = dict(zip(_COUNTERS, numbers(batch, *_COUNTERS), strict=True))
            number = np.arange(row, row + count)
            row += count
            # blocks count the other kind of core of a mixed kernel
            self._records.add_columns(
                count, is_mix & (core != main) if is_block else None, **keys, end=end, row=number,
                device=device.device_id, core=core, is_block=int(is_block), cycles=cycles, **counters,
            )  # fmt: skip

        for each in sorted(worked & {_AIC, _AIV}):
            self._note_untold(device, each)

    def _note_untold(self, device: DeviceFiles, kind: int) -> None:
        """Note what the description of the device should tell to evaluate its counters, and does not."""
        folder = self._run.config.devices[device.device_id]
        told = zip(("number", "clock"), _cores_of(folder, kind), strict=True)
        if lacking := [name for name, value in told if value is None]:
            text = f"info.json{folder.suffix} tells no {' and no '.join(lacking)} of {_CORES[kind]} cores that can be"
            text += ": metrics that need it are left out"
            self._run.ledger.note(WARNING, "no-metrics", text, table="ffts_profile")

    def _join(self) -> None:
        """Each record to the task with its keys in whose time it ended."""
        lost = 0
        tasks = self._device.joined.columns(together=KEYS)
        for found, (records,) in aligned(tasks, [self._records], KEYS):
            if records is None:
                continue
            task, wanted = pair_codes([(found[key], records[key]) for key in KEYS])
            end = records["end"]
            starts, ends = pair_codes([(task, wanted), (found["start"], end)])
            place = np.searchsorted(starts, ends, side="right") - 1
            at = np.maximum(place, 0)
            good = (place >= 0) & (task[at] == wanted) & (end <= found["end"][at]) & (found["class_"][at] == COMPUTE)
            lost += int((~good).sum())
            kept = {name: records[name] for name in ("device", "core", "is_block", "cycles", "end", *_COUNTERS)}
            mine = {name: found[name][at] for name in ("row", "task_row")}
            self._counted.add_columns(len(end), good, **kept, **mine, number=records["row"])
        if lost:
            text = "PMU records of no operator, or that ended outside its time"
            self._run.ledger.note(INFO, "no-task", text, table="ffts_profile", count=lost)

    def names(self) -> list[int]:
        """String numbers of the metrics."""
        return [int(number) for number in self._numbers]

    def tasks(self) -> Iterator[pa.RecordBatch]:
        """`task_metrics` batches."""
        counted = self._counted.columns(together=["row"])
        for found, (operators,) in aligned(counted, [self._host.operators], ("row",)):
            if operators is not None:
                yield self._evaluated(found, operators)

    def _evaluated(self, found: Columns, operators: Columns) -> pa.RecordBatch:
        place = np.searchsorted(operators["row"], found["row"])
        blocks, mix_blocks = (operators[name][place] for name in ("block_count", "mix_block_count"))
        is_first = np.diff(found["task_row"], prepend=-1) != 0  # records of a task stand together
        table = self._table(found, np.cumsum(is_first) - 1, blocks, mix_blocks)
        columns: dict[str, Any] = {"task_row": found["task_row"][is_first]}
        columns |= {str(place): pa.array(column, from_pandas=True) for place, column in enumerate(table)}
        return pa.RecordBatch.from_pydict(columns)

    def _table(self, found: Columns, place: Numbers, blocks: Numbers, mix_blocks: Numbers) -> Reals:
        """A row a metric, a column a task, those of a record at its place; not a number where something is not told."""
        table = np.zeros((len(self._names), int(place[-1]) + 1))
        columns = {name: column for column, name in enumerate(self._names)}
        for (device, kind), core in self._cores.items():
            mine = (found["device"] == device) & (found["core"] == kind)
            whole = np.flatnonzero(mine & (found["is_block"] == 0))
            self._fill(table, place[whole], columns, core, _Counts.of(found, whole, blocks))
            parts = np.flatnonzero(mine & (found["is_block"] == 1))
            if len(parts):
                parts = parts[_number_in(place[parts]) < mix_blocks[parts]]
                tasks, sums = _Counts.summed(found, parts, mix_blocks, place)
                self._fill(table, tasks, columns, core, sums)
        return table

    def _fill(self, table: Reals, task: Numbers, columns: dict[str, int], core: _Core, counts: _Counts) -> None:
        if not len(task):
            return
        mhz = self._mhz(counts, core)
        values = pa.record_batch(
            core.metrics.evaluate(
                counts.counters,
                counts.cycles,
                counts.blocks,
                mhz,
                cores=core.core_count,
                nominal_mhz=core.mhz,
            )
        )
        for name, column in zip(core.names, values.columns, strict=True):
            value = column.to_numpy()
            if name.endswith("_time"):
                value = np.where((core.core_count == 0) | (mhz <= 0), np.nan, value)
            elif "_bw" in name and core.mhz == 0:
                value = np.full(len(task), np.nan)
            table[columns[name], task] = value

    def _mhz(self, counts: _Counts, core: _Core) -> Numbers:
        """The clock when each task ended: as last changed before it, else the nominal one."""
        found = np.full(len(counts.end), round(core.mhz), np.int64)
        for device in np.unique(counts.device).tolist():
            mine = counts.device == device
            found[mine] = self._frequencies.at(device, counts.end[mine], round(core.mhz))
        return found


@dataclass
class _Counts:
    """Counters of some tasks on one kind of core."""

    counters: list[Numbers]
    cycles: Numbers
    blocks: Numbers
    end: Numbers
    device: Numbers

    @classmethod
    def of(cls, found: Columns, rows_: Numbers, blocks: Numbers) -> _Counts:
        counters = [np.ascontiguousarray(found[name][rows_]) for name in _COUNTERS]
        return cls(counters, found["cycles"][rows_], blocks[rows_], found["end"][rows_], found["device"][rows_])

    @classmethod
    def summed(
        cls, found: Columns, rows_: Numbers, blocks: Numbers, place: Numbers
    ) -> tuple[Numbers, _Counts]:
        """Sums over the blocks of each task."""
        order = rows_[np.argsort(place[rows_], kind="stable")]
        tasks, first = np.unique(place[order], return_index=True)
        if not len(tasks):
            return tasks, cls.of(found, order, blocks)
        counters = [np.add.reduceat(found[name][order], first) for name in _COUNTERS]
        cycles = np.add.reduceat(found["cycles"][order], first)
        at = order[first]
        return tasks, cls(counters, cycles, blocks[at], found["end"][at], found["device"][at])


def _number_in(group: Numbers) -> Numbers:
    """Number of each row within its group, from 0."""
    order = np.argsort(group, kind="stable")
    first = np.flatnonzero(np.r_[True, np.diff(group[order]) != 0])
    number = np.empty(len(group), np.int64)
    number[order] = np.arange(len(group)) - np.repeat(first, np.diff(np.r_[first, len(group)]))
    return number


def _cores_of(folder: FolderConfig, kind: int) -> tuple[int | None, float | None]:
    """(how many, nominal clock in MHz) of a kind of core."""
    cores = folder.cores
    if kind == _AIC:
        return cores.aic_core_count, cores.aic_mhz
    return cores.aiv_core_count, cores.aiv_mhz or cores.aic_mhz


def vendor_name(name: str) -> str:
    """The vendor's name of a metric, as databases have it, from the name of a column of kernel_metric.

    >>> vendor_name("mac_time_ns"), vendor_name("icache_miss_ratio"), vendor_name("total_cycles_count")
    ('mac_time', 'icache_miss_rate', 'total_cycles')
    """
    if name == "icache_miss_ratio":
        return "icache_miss_rate"
    return name.removesuffix("_ns").removesuffix("_count")
