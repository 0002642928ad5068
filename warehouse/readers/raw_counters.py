"""Samples of the devices: memory of each device and of its modules, and series of counters (cann-files.md 5.7)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from warehouse.errors import InputError
from warehouse.readers.raw_config import FolderConfig, host_clock
from warehouse.readers.raw_device import DevicePart
from warehouse.readers.raw_files import DeviceFiles
from warehouse.readers.raw_frequency import Frequencies
from warehouse.readers.raw_link_counters import load_link_counters
from warehouse.readers.raw_memory_counters import load_memory_counters, sample_times
from warehouse.readers.raw_rows import numbers, record, rows
from warehouse.readers.raw_run import RawRun
from warehouse.readers.raw_series import SeriesRows
from warehouse.readers.raw_soc_counters import SocCounters
from warehouse.readers.sorted_rows import SortedRows

# ENUM_MODULE of databases (ascend-db.md 3); a point stands for a number without a module
_MODULE_NAMES = (
    "SLOG IDEDD SCC HCCL FMK CCU DVPP RUNTIME CCE HDC DRV NET . . . . . . . . . . DEVMM KERNEL LIBMEDIA CCECPU . ROS "
    "HCCP ROCE TEFUSION PROFILING DP APP TS TSDUMP AICPU LP TDT FE MD MB ME IMU IMP GE . CAMERA ASCENDCL TEEOS ISP SIS "
    "HSM DSS PROCMGR BBOX AIVECTOR TBE FV . TUNE HSS FFTS OP UDF HICAID TSYNC AUDIO TPRT ASCENDCKERNEL ASYS ATRACE RTC "
    "SYSMONITOR AMP ADETECT MBUFF CUSTOM"
)
_MODULES = {number: name for number, name in enumerate(_MODULE_NAMES.split()) if name != "."}


class CounterPart:
    """Series of counters, memory of the devices and of modules."""

    def __init__(self, run: RawRun, device: DevicePart, frequencies: Frequencies) -> None:
        self._run = run
        self._tasks = device
        self._modules = SortedRows(["place", "row"], run.spill)
        self._memory = SortedRows(["place", "row"], run.spill)
        self._series = SeriesRows(run.spill, run.ledger)
        frequencies.add_to(self._series)

    def load(self) -> None:
        """Decode the counters of all devices."""
        for place, device in enumerate(self._run.files.devices):
            folder = self._run.config.devices[device.device_id]
            for load in (self._load_modules, self._load_memory, self._load_series):
                try:
                    load(place, device, folder)
                except InputError as error:
                    self._run.note_no_clock(
                        f"counters of device {device.device_id} are not read", error, [device.path]
                    )
            if device.device_id in self._tasks.clocks:
                self._load_soc(device, folder)

    def _load_series(self, _place: int, device: DeviceFiles, folder: FolderConfig) -> None:
        load_memory_counters(self._run, device, folder, self._series)
        load_link_counters(self._run, device, folder, self._series)

    def _load_soc(self, device: DeviceFiles, folder: FolderConfig) -> None:
        counters = SocCounters(self._run, device, folder, self._tasks.clocks[device.device_id], self._series)
        counters.load()
        of_tasks = self._tasks.accelerators.get(device.device_id)
        for batch in () if of_tasks is None else of_tasks.batches():
            counters.add_accelerators(batch)

    def _load_modules(self, place: int, device: DeviceFiles, folder: FolderConfig) -> None:
        row = 0
        for _, batch in self._run.device_stream(device, "npu_module_mem"):
            clock = host_clock(folder)  # the one stream of a device in ticks of the host
            module, size = numbers(batch, "module", "reserved_bytes")
            time = np.asarray(clock.column_ns(batch.column("time")))
            number = np.arange(row, row + len(time))
            row += len(time)
            distinct, at = np.unique(module, return_inverse=True)
            words = np.array([self._run.strings.own(_MODULES.get(each, "UNKNOWN")) for each in distinct.tolist()])
            self._modules.add(
                rows(
                    len(time),
                    place=place,
                    row=number,
                    device=device.device_id,
                    module=words[at.reshape(-1)],
                    time=time,
                    size=size,
                )
            )

    def _load_memory(self, place: int, device: DeviceFiles, folder: FolderConfig) -> None:
        row = 0
        scopes = np.array([self._run.strings.own("app"), self._run.strings.own("device")])
        for _, batch in self._memory_samples(device):
            event, ddr, hbm = numbers(batch, "event", "ddr_bytes", "hbm_bytes")
            time = sample_times(batch, folder)
            number = np.arange(row, row + len(time))
            row += len(time)
            self._memory.add(
                rows(
                    len(time),
                    place=place,
                    row=number,
                    device=device.device_id,
                    scope=scopes[event & 1],
                    time=time,
                    ddr=ddr,
                    hbm=hbm,
                )
            )

    def _memory_samples(self, device: DeviceFiles) -> Iterator[tuple[str, pa.RecordBatch]]:
        for stream in ("npu_mem", "npu_mem.app"):
            yield from self._run.device_stream(device, stream)

    def module_memory(self) -> Iterator[pa.RecordBatch]:
        """`module_memory` batches in the order of the files."""
        for batch in self._modules.batches():
            device, module, time, size = numbers(batch, "device", "module", "time", "size")
            yield record("module_memory", len(time), device_id=device, module=module, time_ns=time, reserved_bytes=size)

    def device_memory(self) -> Iterator[pa.RecordBatch]:
        """`device_memory` batches in the order of the files."""
        for batch in self._memory.batches():
            device, scope, time, ddr, hbm = numbers(batch, "device", "scope", "time", "ddr", "hbm")
            yield record(
                "device_memory", len(time), device_id=device, scope=scope, time_ns=time, ddr_bytes=ddr, hbm_bytes=hbm
            )

    @property
    def series_end(self) -> int:
        """The number behind that of the last series."""
        return self._series.end

    def series(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """`counter_series` and `counter` batches with their kinds, a series before its values."""
        return self._series.batches()
