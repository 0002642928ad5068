"""What a recording says of the host: its samples as series of counters (`host_sys`, framework-files.md 6.5).

Families and names are those of the vendor's databases (ascend-db.md 7) where they have such a series; of the recorded
process alone are those that begin with `process`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from warehouse.readers.issues import WARNING
from warehouse.readers.raw_run import RawRun
from warehouse.readers.raw_series import Reals, SeriesKey, SeriesRows
from warehouse.readers.recorded import Recording
from warehouse.readers.sorted_rows import Numbers

# what becomes of a sample: a share of the whole; a change a second, or as a share of time or of what is possible; or
# the amount itself
_SHARE, _CHANGE_SHARE, _RATE, _TIME_SHARE, _CAPACITY_SHARE, _AMOUNT = range(6)
_KIB = 1 / 1024
# series -> (family, name, unit, what becomes of it, factor) of each counter that is made of it; `cpu` is that of a
# processor, whose number follows
_SERIES: dict[str, list[tuple[str, str, str, int, float]]] = {
    "cpu": [("CPU_USAGE", "usage", "percent", _CHANGE_SHARE, 100)],
    "cpu process": [("CPU_USAGE", "process usage", "percent", _TIME_SHARE, 100)],
    "memory system": [("HOST_MEM_USAGE", "usage", "percent", _SHARE, 100)],
    "memory process": [("HOST_MEM_USAGE", "process resident", "bytes", _AMOUNT, 1)],
    "disk read": [("HOST_DISK_USAGE", "readRate", "KB/s", _RATE, _KIB)],
    "disk write": [("HOST_DISK_USAGE", "writeRate", "KB/s", _RATE, _KIB)],
    "disk busy": [("HOST_DISK_USAGE", "usage", "percent", _TIME_SHARE, 100)],
    "disk process read": [("HOST_DISK_USAGE", "process readRate", "KB/s", _RATE, _KIB)],
    "disk process write": [("HOST_DISK_USAGE", "process writeRate", "KB/s", _RATE, _KIB)],
    "network receive": [("HOST_NETWORK_USAGE", "receive speed", "KB/s", _RATE, _KIB)],
    "network send": [("HOST_NETWORK_USAGE", "send speed", "KB/s", _RATE, _KIB)],
    "network all": [
        ("HOST_NETWORK_USAGE", "speed", "KB/s", _RATE, _KIB),
        ("HOST_NETWORK_USAGE", "usage", "percent", _CAPACITY_SHARE, 100),
    ],
}  # fmt: skip


class RecordedHost:
    """`counter_series` and `counter` of a recording.

    A value that is a change stands at the beginning of the time in which it came about, as tracks show it: until the
    next sample.
    """

    def __init__(self, run: RawRun, first_series: int) -> None:
        self._run = run
        self._series = SeriesRows(run.spill, run.ledger, first_series)
        self._last: dict[int, tuple[int, int, int]] = {}  # series -> its last sample: ns, value, whole
        self._known: dict[int, str] = {}
        self._unknown = 0

    def load(self) -> None:
        """Read the samples."""
        recording = self._run.recording
        if recording is None:
            return
        for batch in recording.read("host"):
            self._add(recording, batch)
        if self._unknown:
            text = "samples of the host of an unknown kind"
            self._run.ledger.note(WARNING, "unknown-series", text, count=self._unknown)

    def batches(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """`counter_series` and `counter` batches with their kinds, a series before its values."""
        return self._series.batches()

    def _add(self, recording: Recording, batch: pa.RecordBatch) -> None:
        number = batch.column("series").to_numpy().astype(np.int64)
        distinct = np.unique(number).tolist()
        self._known |= recording.texts_by_number(set(distinct) - set(self._known))
        time = recording.clock.ns(batch.column("time_ticks").to_numpy())
        value, whole, begins = (batch.column(name).to_numpy() for name in ("value", "whole", "begins"))
        for series in distinct:
            name, processor = _name_of(self._known.get(series, ""))
            own = number == series
            if name not in _SERIES:
                self._unknown += int(own.sum())
                continue
            times, values, wholes, is_first = time[own], value[own], whole[own], begins[own] != 0
            last = self._last.get(series)
            if last is None:
                is_first[0] = True
                last = (times[0], values[0], wholes[0])
            self._last[series] = (times[-1], values[-1], wholes[-1])
            before = [np.concatenate([[old], new[:-1]]) for old, new in zip(last, (times, values, wholes), strict=True)]
            change = [new - old for new, old in zip((times, values, wholes), before, strict=True)]
            for family, counter, unit, what, factor in _SERIES[name]:
                key = SeriesKey(None, family, processor, counter, unit)
                if what in (_SHARE, _AMOUNT):
                    good, divisor = (wholes > 0, wholes) if what == _SHARE else (wholes >= 0, np.ones_like(wholes))
                    self._series.add(key, times[good], values[good] / divisor[good] * factor)
                    continue
                divisor = _divisor(what, change[0], change[2], wholes)
                good = ~is_first & (change[0] > 0) & (divisor > 0) & (change[1] >= 0)
                found = change[1][good] / divisor[good] * factor
                if name in ("cpu", "disk busy"):  # one thing cannot be at work for more than all of the time
                    found = np.minimum(found, 100.0)
                self._series.add(key, before[0][good], found)


def _divisor(what: int, time_ns: Numbers, whole: Numbers, capacity: Numbers) -> Reals:
    """What a change is divided by: the change of the whole, ns, seconds, or what is possible in that time."""
    if what == _CHANGE_SHARE:
        return whole.astype(float)
    if what == _TIME_SHARE:
        return time_ns.astype(float)
    seconds: Reals = time_ns / 1e9
    return seconds if what == _RATE else seconds * capacity


def _name_of(text: str) -> tuple[str, int | None]:
    """Name of a series, and which processor it is of.

    >>> _name_of("cpu 12"), _name_of("cpu process")
    (('cpu', 12), ('cpu process', None))
    """
    name, _, number = text.partition(" ")
    if name == "cpu" and number.isascii() and number.isdigit() and len(number) < 9:
        return name, int(number)
    return text, None
