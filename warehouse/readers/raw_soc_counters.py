"""Counters that the scheduler of a device reports: accelerators, links between chips and dies, quality of service,
power (cann-files.md 5.3, 5.7).  Values are kept as they are; of low power samples nothing says what they mean."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.readers.counter_families import values_of
from warehouse.readers.issues import WARNING
from warehouse.readers.raw_config import FolderConfig
from warehouse.readers.raw_files import DeviceFiles
from warehouse.readers.raw_link_counters import DieLinks
from warehouse.readers.raw_rows import Numbers, numbers
from warehouse.readers.raw_run import RawRun
from warehouse.readers.raw_series import SeriesKey, SeriesRows, by_value

_MEGABYTE = 1048576
_ACCELERATOR = ("read_bandwidth", "write_bandwidth", "read_outstanding", "write_outstanding")
# link type -> family, names of the two values
_TRANSMISSIONS = {0: ("PA_LINK", ("rx", "tx")), 1: ("CHIP_PCIE", ("writeBandwidth", "readBandwidth"))}
_LOW_POWER_SAMPLES = 20
_MOST_QOS_EVENTS = 10


class SocCounters:
    """Counters of one device, whose ticks are `clock`'s, into `series`."""

    def __init__(
        self, run: RawRun, device: DeviceFiles, folder: FolderConfig, clock: _native.TickClock, series: SeriesRows
    ) -> None:
        self._run = run
        self._device = device
        self._clock = clock
        self._series = series
        self._qos_events = [event for event in str(folder.sample.get("qosEvents", "")).split(",") if event.strip()]

    def load(self) -> None:
        """Decode the streams of the scheduler."""
        links = DieLinks(self._run, self._device.device_id, self._clock)
        take = {
            "acc_pmu": self.add_accelerators,
            "chip_transmission": self._add_transmissions,
            "inter_soc": self._add_levels,
            "low_power": self._add_low_power,
            "qos": self._add_qos,
            "sio": links.add,
        }
        for kind, batch in self._run.device_stream(self._device, "stars_soc_profile"):
            take[kind](batch)
        links.finish(self._series)
        if "qos" in self._device.streams and self._has_qos_events():
            for _, batch in self._run.device_stream(self._device, "qos"):
                self._add_qos(batch)
        for kind, batch in self._run.device_stream(self._device, "lpmInfoConv"):
            if kind == "low_power_state":
                self._add_power_states(batch)

    def add_accelerators(self, batch: pa.RecordBatch) -> None:
        """`acc_pmu` records, which stars_soc may have, too."""
        (accelerator,) = numbers(batch, "acc")
        time = self._ns(batch)
        for number, mine in by_value(accelerator):
            for column, (name, unit) in zip(_ACCELERATOR, values_of("ACC_PMU"), strict=True):
                self._add("ACC_PMU", number, name, unit, time[mine], numbers(batch, column)[0][mine])

    def _add_transmissions(self, batch: pa.RecordBatch) -> None:
        link_type, link = numbers(batch, "link_type", "link")
        values = numbers(batch, "value_0", "value_1")
        time = self._ns(batch)
        for kind, of_kind in by_value(link_type):
            if kind not in _TRANSMISSIONS:
                text = f"transmissions of link type {kind}; they were left out"
                self._run.ledger.note(
                    WARNING, "unknown-type", text, table="stars_soc_profile", count=int(of_kind.sum())
                )
                continue
            family, names = _TRANSMISSIONS[kind]
            for number, of_link in by_value(link):
                mine = of_kind & of_link
                for name, value in zip(names, values, strict=True):
                    self._add(family, number, name, "level", time[mine], value[mine])

    def _add_levels(self, batch: pa.RecordBatch) -> None:
        time = self._ns(batch)
        columns = zip(("buffer_level", "mata_level"), values_of("SOC_BANDWIDTH_LEVEL"), strict=True)
        for column, (name, unit) in columns:
            self._add("SOC_BANDWIDTH_LEVEL", None, name, unit, time, numbers(batch, column)[0])

    def _add_low_power(self, batch: pa.RecordBatch) -> None:
        (die,) = numbers(batch, "die")
        time = self._ns(batch)
        for number, mine in by_value(die):
            for place in range(_LOW_POWER_SAMPLES):
                value = numbers(batch, f"sample_{place}")[0][mine]
                self._add("LOW_POWER", number, f"sample {place}", "-", time[mine], value)

    def _add_power_states(self, batch: pa.RecordBatch) -> None:
        (kind,) = numbers(batch, "kind")
        time = self._ns(batch)
        for number, mine in by_value(kind):
            self._add("LOW_POWER_STATE", None, f"kind {number}", "-", time[mine], numbers(batch, "value")[0][mine])

    def _has_qos_events(self) -> bool:
        if not self._qos_events:
            text = "QoS counters cannot be told apart: sample.json has no qosEvents"
            self._run.ledger.note(WARNING, "no-formula", text, table="qos")
        return bool(self._qos_events)

    def _add_qos(self, batch: pa.RecordBatch) -> None:
        if not self._has_qos_events():
            return
        time = self._ns(batch)
        die = numbers(batch, "die")[0] if "die" in batch.schema.names else np.full(len(time), -1)
        for number, mine in by_value(die):
            for place, event in enumerate(self._qos_events[:_MOST_QOS_EVENTS]):
                value = numbers(batch, f"bandwidth_{place}")[0][mine] * _MEGABYTE
                instance = None if number < 0 else number
                self._add("QOS", instance, f"QoS {event.strip()}", "bytes/s", time[mine], value)

    def _ns(self, batch: pa.RecordBatch) -> Numbers:
        return np.asarray(self._clock.column_ns(batch.column("time")))

    def _add(self, family: str, instance: int | None, name: str, unit: str, time: Numbers, value: Numbers) -> None:
        self._series.add(SeriesKey(self._device.device_id, family, instance, name, unit), time, value)
