"""Series of counters of a raw profile, however many samples they have."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from warehouse.readers.issues import WARNING, Ledger
from warehouse.readers.plausible import LATEST_NS
from warehouse.readers.raw_rows import Numbers, numbers, record, rows
from warehouse.readers.sorted_rows import SortedRows, SpillFolder

Reals = npt.NDArray[np.float64]


@dataclass(frozen=True)
class SeriesKey:
    """What a series counts: the columns of `counter` (warehouse/store/column_meanings.py)."""

    device_id: int | None
    family: str
    instance_no: int | None
    name: str
    unit: str


class SeriesRows:
    """Samples in, by series; `batches` gives each series before its samples, these in order of time.

    >>> series = SeriesRows(SpillFolder(), Ledger())
    >>> series.add(SeriesKey(0, "HBM", 1, "read", "bytes/s"), np.array([20, 10]), np.array([2.0, 1.0]))
    >>> [(kind, batch.num_rows) for kind, batch in series.batches()]
    [('counter_series', 1), ('counter', 2)]
    """

    def __init__(self, folder: SpillFolder, ledger: Ledger, first: int = 0) -> None:
        """`first`: number of the first series."""
        self._first = first
        self._numbers: dict[SeriesKey, int] = {}
        self._samples = SortedRows(["series", "time", "row"], folder)
        self._row = 0
        self._ledger = ledger

    @property
    def end(self) -> int:
        """The number behind that of the last series."""
        return self._first + len(self._numbers)

    def add(self, key: SeriesKey, time: Numbers, value: Reals | Numbers) -> None:
        """Take samples of one series; those at no time that can be meant are left out and noted."""
        good = (time > 0) & (time <= LATEST_NS)
        lost = len(time) - int(good.sum())
        if lost:
            text = "samples before 1970 or after 2200; they were left out"
            self._ledger.note(WARNING, "time-order", text, table=key.family, count=lost)
            time, value = time[good], value[good]
        count = len(time)
        if count:
            series = self._numbers.setdefault(key, self.end)
            bits = np.ascontiguousarray(value, dtype=np.float64).view(np.int64)
            number = np.arange(self._row, self._row + count)
            self._samples.add(rows(count, series=series, time=time, row=number, bits=bits))
            self._row += count

    def batches(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """`counter_series` and `counter` batches with their kinds."""
        for key, number in self._numbers.items():
            yield (
                "counter_series",
                record(
                    "counter_series", 1, series=number, device_id=key.device_id, family=key.family,
                    instance_no=key.instance_no, name=key.name, unit=key.unit,
                ),
            )  # fmt: skip
        for batch in self._samples.batches():
            series, time, bits = numbers(batch, "series", "time", "bits")
            value = np.ascontiguousarray(bits).view(np.float64)
            yield "counter", record("counter", len(time), series=series, time_ns=time, value=value)


def by_value(column: Numbers) -> Iterator[tuple[int, npt.NDArray[np.bool_]]]:
    """Each distinct value of a column, and where it stands.

    >>> [(value, where.tolist()) for value, where in by_value(np.array([5, 3, 5]))]
    [(3, [False, True, False]), (5, [True, False, True])]
    """
    for value in np.unique(column).tolist():
        yield value, column == value
