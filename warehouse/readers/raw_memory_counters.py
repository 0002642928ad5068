"""Traffic of a device's memories: HBM, DDR, last level cache (cann-files.md 5.7).

The records hold counts of an interval; what one count stands for, and which interval it is, the specification leaves to
the vendor's public parser (github.com/Ascend/msprof; facts of analysis/msmodel/hardware/{hbm,ddr,llc}_model.py).  What
could be proven is proven with databases of real devices, none of which the rules were made from: there a rate times its
interval has to be a whole number of counts.

* HBM: 32 bytes a count; the interval reaches back by a round of samples, 8 rows where reads and writes of 4 stacks are
  sampled.  4 ranks, 376 samples: all 376 whole (to 0.001 of a count); with 16 rows instead 68 of 344.
* LLC: 4096 bytes of throughput a count.  4 ranks, 94 intervals: all 94 whole, within the 0.001 MB/s to which the vendor
  rounds; with 8192 bytes instead 58.  Hit rates have one decimal place of a percent, as the rule below makes them.
* DDR: 16 bytes a count (32 on chips of generations 2 and 3).  No device that was at hand has DDR: read, not proven.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from warehouse.readers.issues import WARNING
from warehouse.readers.raw_config import FolderConfig, host_ns, sampled_ns, started_ns
from warehouse.readers.raw_files import DeviceFiles
from warehouse.readers.raw_rows import NONE, Numbers, numbers, rows
from warehouse.readers.raw_run import RawRun
from warehouse.readers.raw_series import SeriesKey, SeriesRows, by_value
from warehouse.readers.sorted_rows import SortedRows

_MEGABYTE = 1048576
_KINDS = ("read", "write")
_STACKS = 4  # that a round of HBM samples has at least
_NO_MASTER = 0xFFFFFFFF
_WIDE_DDR = ("1", "2", "3", "4")  # platform_version
_WITHOUT_LLC = ("0", "7", "8", "11")  # chips of generation 1 count other things
# mode -> events in the order of the vendor's table: two of throughput, then those of the hit rate
_LLC_EVENTS = {
    "read": (0x00, 0x01, 0x02, 0x13, 0x20, 0x22, 0x34, 0x36),
    "write": (0x00, 0x01, 0x03, 0x14, 0x21, 0x23, 0x35, 0x37),
}
_THROUGHPUT, _HITS, _LOOKUPS = [0, 1], [2, 3, 5, 7], [4, 6]
_LLC_BYTES = 4096


def load_memory_counters(run: RawRun, device: DeviceFiles, folder: FolderConfig, series: SeriesRows) -> None:
    """Decode the counters of a device's memories; InputError where the files do not tell the wall clock."""
    _load_hbm(run, device, folder, series)
    _load_ddr(run, device, folder, series)
    _load_llc(run, device, folder, series)


def sample_times(batch: pa.RecordBatch, folder: FolderConfig) -> Numbers:
    """Stamps of a sample: us since the device's start log (collection format 1.0), or ns as they are (2.0)."""
    if "time_us" in batch.schema.names:
        return sampled_ns(folder, numbers(batch, "time_us")[0])
    return numbers(batch, "time")[0]


# --- HBM -------------------------------------------------------------------------------------------------------------
def _load_hbm(run: RawRun, device: DeviceFiles, folder: FolderConfig, series: SeriesRows) -> None:
    keys = ["time", "event", "hbm", "count"]
    found = SortedRows(keys, run.spill)
    stacks: set[int] = set()
    for _, batch in run.device_stream(device, "hbm"):
        event, hbm, count = numbers(batch, "event", "hbm", "count")
        stacks.update(np.unique(hbm).tolist())
        found.add(rows(len(event), time=sample_times(batch, folder), event=event, hbm=hbm, count=count))
    # A round: one row a stack and kind.  The vendor takes the stacks to be four; with more it has no rates, later
    # versions of it take what there is.
    sampled = [kind for kind in str(folder.sample.get("hbm_profiling_events", "")).split(",") if kind.strip()]
    distance = max(_STACKS, len(stacks)) * (1 if len(sampled) == 1 else 2)
    before = np.full(distance, NONE, np.int64)
    for batch in _distinct(found.batches(), keys):
        time, event, hbm, count = numbers(batch, *keys)
        seen = np.concatenate([before, time])
        before, previous = seen[-distance:], seen[: len(time)]
        value = _hbm_rate(count, time, previous)
        for stack, of_stack in by_value(hbm):
            for kind, of_kind in by_value(event):
                mine = of_stack & of_kind
                key = SeriesKey(device.device_id, "HBM", stack, _KINDS[kind & 1], "bytes/s")
                series.add(key, time[mine], value[mine])


def _hbm_rate(count: Numbers, time: Numbers, previous: Numbers) -> npt.NDArray[np.float64]:
    """Bytes a second; 0 in the first round, as the vendor has it.  In the vendor's order, 2^-15 MB a count, so that its
    MB/s come out to the last bit: what else is done here are powers of two."""
    elapsed = time - previous
    good = (previous != NONE) & (elapsed > 0) & (count > 0)
    value = np.zeros(len(time))
    value[good] = count[good] * 2.0**-15 / elapsed[good] * 1e9 * _MEGABYTE
    return value


def _distinct(batches: Iterator[pa.RecordBatch], names: list[str]) -> Iterator[pa.RecordBatch]:
    """Sorted rows without those that are equal to the one before."""
    last: list[int] | None = None
    for batch in batches:
        columns = numbers(batch, *names)
        same = np.ones(batch.num_rows, bool)
        for place, column in enumerate(columns):
            same &= column == np.r_[column[0] - 1 if last is None else last[place], column[:-1]]
        last = [int(column[-1]) for column in columns]
        yield batch.filter(pa.array(~same))


# --- DDR -------------------------------------------------------------------------------------------------------------
def _load_ddr(run: RawRun, device: DeviceFiles, folder: FolderConfig, series: SeriesRows) -> None:
    found = SortedRows(["time_us"], run.spill)
    for _, batch in run.device_stream(device, "ddr"):
        time, count, event, mark = numbers(batch, "time_us", "count", "event", "mark")
        found.add(rows(len(time), time_us=time, count=count, event=event, of_master=(mark != _NO_MASTER) * 1))
    size = 32 if folder.chip in _WIDE_DDR else 16
    before = 0  # us: stamps count from the start of the recording
    for batch in found.batches(together=["time_us"]):
        time, count, event, of_master = numbers(batch, "time_us", "count", "event", "of_master")
        moments, first = np.unique(time, return_index=True)
        elapsed = np.diff(np.r_[before, moments]) * 1000
        before = int(moments[-1])
        wall = host_ns(folder, moments * 1000 + started_ns(folder))
        for master, prefix in ((0, ""), (1, "master ")):
            for kind, name in enumerate(_KINDS):
                mine = (event == kind if kind == 0 else event != 0) & (of_master == master)
                if mine.any():
                    total = np.add.reduceat(np.where(mine, count, 0), first)
                    rate = np.zeros(len(moments))
                    good = elapsed > 0
                    rate[good] = total[good] * size / elapsed[good] * 1e9
                    key = SeriesKey(device.device_id, "DDR", None, prefix + name, "bytes/s")
                    series.add(key, wall, rate)


# --- LLC -------------------------------------------------------------------------------------------------------------
def _load_llc(run: RawRun, device: DeviceFiles, folder: FolderConfig, series: SeriesRows) -> None:
    if "llc" not in device.streams:
        return
    mode = str(folder.sample.get("llc_profiling", ""))
    if mode not in _LLC_EVENTS or folder.chip in _WITHOUT_LLC:
        why = f"sample.json says llc_profiling = {mode!r}" if mode not in _LLC_EVENTS else f"chip {folder.chip}"
        run.ledger.note(WARNING, "no-formula", f"LLC counters cannot be evaluated: {why}", table="llc")
        return
    keys = ["llc", "time", "row"]
    found = SortedRows(keys, run.spill)
    events = np.array(_LLC_EVENTS[mode])
    order = np.argsort(events)
    number = unknown = 0
    for _, batch in run.device_stream(device, "llc"):
        llc, event, count = numbers(batch, "llc", "event", "count")
        place = order[np.minimum(np.searchsorted(events[order], event), len(events) - 1)]
        known = events[place] == event
        unknown += int((~known).sum())
        row = np.arange(number, number + len(llc))
        number += len(llc)
        sample = rows(len(llc), llc=llc, time=sample_times(batch, folder), row=row, place=place, count=count)
        found.add(sample.filter(pa.array(known)))
    if unknown:
        text = f"counts of events that do not belong to the mode {mode!r}; they were left out"
        run.ledger.note(WARNING, "unknown-event", text, table="llc", count=unknown)
    before: tuple[int, int] = (NONE, NONE)
    for batch in found.batches(together=["llc", "time"]):
        before = _add_llc(batch, before, mode, device.device_id, series)


def _add_llc(
    batch: pa.RecordBatch, before: tuple[int, int], mode: str, device_id: int, series: SeriesRows
) -> tuple[int, int]:
    """Rates of the moments in a batch; `before` is (cache, time) of the moment before it, and so is the result."""
    llc, time, place, count = numbers(batch, "llc", "time", "place", "count")
    is_first = np.r_[True, (llc[1:] != llc[:-1]) | (time[1:] != time[:-1])]
    moment = np.cumsum(is_first) - 1
    llc, time = llc[is_first], time[is_first]
    counts = np.zeros((len(llc), len(_LLC_EVENTS[mode])))
    seen = np.zeros(counts.shape, bool)
    counts[moment, place], seen[moment, place] = count, True  # of several counts of an event the last
    previous, earlier = np.r_[before[0], llc[:-1]], np.r_[before[1], time[:-1]]
    elapsed = time - earlier
    has_rate = (previous == llc) & (elapsed > 0) & seen[:, _THROUGHPUT].all(axis=1)
    throughput, hit_rate = np.zeros(len(llc)), np.zeros(len(llc))
    total = counts[:, _THROUGHPUT].sum(axis=1)
    throughput[has_rate] = total[has_rate] * _LLC_BYTES / elapsed[has_rate] * 1e9
    lookups = counts[:, _LOOKUPS].sum(axis=1)
    has_hits = seen[:, _HITS + _LOOKUPS].all(axis=1) & (lookups > 0)
    hit_rate[has_hits] = counts[:, _HITS].sum(axis=1)[has_hits] / lookups[has_hits] * 100
    for cache, mine in by_value(llc):
        for name, unit, value in (("hitRate", "percent", hit_rate), ("throughput", "bytes/s", throughput)):
            series.add(SeriesKey(device_id, "LLC", cache, f"{mode} {name}", unit), time[mine], value[mine])
    return int(llc[-1]), int(time[-1])
