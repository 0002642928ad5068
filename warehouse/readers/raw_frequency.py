"""The clock of a device's cores, and its changes (cann-files.md 5.7, ascend-db.md 2)."""

from __future__ import annotations

import numpy as np

from warehouse import _native
from warehouse.readers.raw_config import FolderConfig
from warehouse.readers.raw_rows import Numbers, numbers
from warehouse.readers.raw_run import RawRun
from warehouse.readers.raw_series import SeriesKey, SeriesRows

_EMPTY = np.empty(0, np.int64)


class Frequencies:
    """Device -> its changes of clock, in order of time; `clocks` make ns of a device's ticks."""

    def __init__(self, run: RawRun, clocks: dict[int, _native.TickClock]) -> None:
        self._run = run
        self._clocks = clocks
        self._changes: dict[int, tuple[Numbers, Numbers]] = {}

    def load(self) -> None:
        """Decode the changes of all devices."""
        for device in self._run.files.devices:
            clock = self._clocks.get(device.device_id)
            if clock is None:
                continue
            times, values = [_EMPTY], [_EMPTY]
            for kind, batch in self._run.device_stream(device, "lpmFreqConv"):
                if kind == "frequency":
                    times.append(np.asarray(clock.column_ns(batch.column("time"))))
                    values.append(numbers(batch, "mhz")[0])
            time, value = np.concatenate(times), np.concatenate(values)
            order = np.argsort(time, kind="stable")
            self._changes[device.device_id] = time[order], value[order]

    def at(self, device_id: int, time: Numbers, nominal: int) -> Numbers:
        """MHz at these times: as last changed, before the first change the nominal clock."""
        when, value = self._changes.get(device_id, (_EMPTY, _EMPTY))
        place = np.searchsorted(when, time, side="right") - 1
        return np.asarray(np.r_[value, nominal][place])  # -1: the last

    def add_to(self, series: SeriesRows) -> None:
        """The clock at the session's start and end and at each change between; where changes are recorded, also at the
        tick from which on they were, as the vendor has it."""
        host = self._run.config.host
        for device_id, folder in self._run.config.devices.items():
            changed, value = self._changes.get(device_id, (_EMPTY, _EMPTY))
            nominal = folder.cores.aic_mhz
            if nominal is None and not len(value):
                continue
            before = round(nominal) if nominal is not None else int(value[0])
            begin = host.begin_ns or folder.begin_ns
            known = [
                at for at in (begin, host.end_ns, self._recorded_from_ns(device_id, folder, changed)) if at is not None
            ]
            within = changed[(begin is None) | (changed > (begin or 0))]
            time = np.unique(np.concatenate([np.array(known, np.int64), within]))
            key = SeriesKey(device_id, "AICORE_FREQ", None, "freq", "MHz")
            series.add(key, time, self.at(device_id, time, before))

    def _recorded_from_ns(self, device_id: int, folder: FolderConfig, changed: Numbers) -> int | None:
        """Time of the device's start log, where there are changes."""
        tick = folder.device_start.tick
        return self._clocks[device_id].ns(tick) if len(changed) and tick is not None else None
