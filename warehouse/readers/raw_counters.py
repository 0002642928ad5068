"""Sampled counters of the devices, and user marks (cann-files.md 5.7, 4.3 msproftx)."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from warehouse.errors import InputError
from warehouse.readers.issues import WARNING
from warehouse.readers.raw_calls import CallPart
from warehouse.readers.raw_config import FolderConfig, host_clock, sampled_ns, sampling_start_ns
from warehouse.readers.raw_dictionary import Names
from warehouse.readers.raw_files import DeviceFiles
from warehouse.readers.raw_metrics import MetricPart
from warehouse.readers.raw_rows import NONE, Numbers, numbers, or_null, record, rows
from warehouse.readers.raw_run import RawRun
from warehouse.readers.sorted_rows import SortedRows

_HBM_BYTES = 32  # that one count stands for
_STACKS = 4
# ENUM_MODULE of databases (ascend-db.md 3); a point stands for a number without a module
_MODULE_NAMES = (
    "SLOG IDEDD SCC HCCL FMK CCU DVPP RUNTIME CCE HDC DRV NET . . . . . . . . . . DEVMM KERNEL LIBMEDIA CCECPU . ROS "
    "HCCP ROCE TEFUSION PROFILING DP APP TS TSDUMP AICPU LP TDT FE MD MB ME IMU IMP GE . CAMERA ASCENDCL TEEOS ISP SIS "
    "HSM DSS PROCMGR BBOX AIVECTOR TBE FV . TUNE HSS FFTS OP UDF HICAID TSYNC AUDIO TPRT ASCENDCKERNEL ASYS ATRACE RTC "
    "SYSMONITOR AMP ADETECT MBUFF CUSTOM"
)
_MODULES = {number: name for number, name in enumerate(_MODULE_NAMES.split()) if name != "."}
_MARK_TYPES = {0: "marker", 1: "push/pop", 2: "start/end", 3: "marker_ex"}


class CounterPart:
    """Series of counters, memory of the devices and of modules, marks."""

    def __init__(self, run: RawRun, names: Names, calls: CallPart, metrics: MetricPart, pid: int) -> None:
        self._run = run
        self._names = names
        self._calls = calls
        self._metrics = metrics
        self._pid = pid
        self._modules = SortedRows(["place", "row"], run.spill)
        self._memory = SortedRows(["place", "row"], run.spill)
        self._marks = SortedRows(["start_ns", "-end_ns"], run.spill)
        self._stacks: set[int] = set()
        self._hbm = SortedRows(["device", "event", "time", "row"], run.spill)

    def load(self) -> None:
        """Decode the counters of all devices, and the marks."""
        for place, device in enumerate(self._run.files.devices):
            folder = self._run.config.devices[device.device_id]
            try:
                self._load_modules(place, device, folder)
                self._load_memory(place, device, folder)
                self._load_hbm(device, folder)
            except InputError as error:
                self._run.ledger.note(
                    WARNING, "no-clock", f"counters of device {device.device_id} are not read: {error}"
                )
        self._load_marks()

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
        for _, batch in self._run.device_stream(device, "npu_mem"):
            event, ddr, hbm = numbers(batch, "event", "ddr_bytes", "hbm_bytes")
            time = self._sampled_ns(batch, folder)
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

    def _load_hbm(self, device: DeviceFiles, folder: FolderConfig) -> None:
        row = 0
        for _, batch in self._run.device_stream(device, "hbm"):
            event, hbm, count = numbers(batch, "event", "hbm", "count")
            time = self._sampled_ns(batch, folder)
            number = np.arange(row, row + len(time))
            row += len(time)
            self._stacks.update(np.unique(hbm).tolist())
            self._hbm.add(
                rows(len(time), device=device.device_id, hbm=hbm, event=event, time=time, row=number, count=count)
            )

    @staticmethod
    def _sampled_ns(batch: pa.RecordBatch, folder: FolderConfig) -> Numbers:
        """Stamps of a sampled counter: us since the device's start log, or ns of the monotonic clock (format 2.0)."""
        if "time_us" in batch.schema.names:
            return sampled_ns(folder, numbers(batch, "time_us")[0] * 1000 + sampling_start_ns(folder))
        return sampled_ns(folder, numbers(batch, "time")[0])

    def _load_marks(self) -> None:
        words = {number: self._run.strings.own(text) for number, text in _MARK_TYPES.items()}
        for _, _, batch in self._run.host_stream("additional.msproftx"):
            event, thread, process, category, domain = numbers(
                batch, "event_type", "mark_thread", "process", "category", "domain"
            )
            start, end = self._calls.ns(batch.column("start")), self._calls.ns(batch.column("end"))
            count = len(start)
            marks = record(
                "mark",
                count,
                start_ns=start,
                end_ns=end,
                pid=np.where(process > 0, process, self._pid),
                tid=thread,
                end_pid=np.where(process > 0, process, self._pid),
                end_tid=thread,
                event_type=[words.get(number) for number in event.tolist()],
                message=batch.column("message"),
                domain=or_null(self._names.of_hashes(domain)),
                category_no=category,
            )
            good = end >= start
            if not good.all():
                text = "marks that end before they start; they were left out"
                self._run.ledger.note(WARNING, "time-order", text, table="msproftx", count=int((~good).sum()))
            self._marks.add(marks.filter(pa.array(good)))

    def marks(self) -> Iterator[pa.RecordBatch]:
        """`mark` batches in time order."""
        yield from self._marks.batches()

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

    def series(self) -> Iterator[tuple[str, pa.RecordBatch]]:
        """`counter_series` and `counter` batches with their kinds, a series before its values."""
        number = 0
        for device_id, folder in self._run.config.devices.items():
            time, value = self._frequencies(device_id, folder)
            if len(time):
                yield "counter_series", _one_series(number, device_id, "AICORE_FREQ", None, "freq", "MHz")
                yield (
                    "counter",
                    record("counter", len(time), series=number, time_ns=time, value=value.astype(np.float64)),
                )
                number += 1
        known: dict[tuple[int, int, int], int] = {}
        rounds = _Rounds(len(self._stacks))
        for batch in self._hbm.batches():
            device, hbm, event, time, count = numbers(batch, "device", "hbm", "event", "time", "count")
            keys = list(zip(device.tolist(), hbm.tolist(), event.tolist(), strict=True))
            for key in dict.fromkeys(keys):
                if key not in known:
                    known[key] = number
                    number += 1
                    name = "write" if key[2] else "read"
                    yield "counter_series", _one_series(known[key], key[0], "HBM", key[1], name, "bytes/s")
            values = _bandwidth(count, time, rounds.before(device, event, time))
            series = np.array([known[key] for key in keys])
            yield "counter", record("counter", len(time), series=series, time_ns=time, value=values)

    def _frequencies(self, device_id: int, folder: FolderConfig) -> tuple[Numbers, Numbers]:
        """The clock of the cores at the session's start, at each change and at its end."""
        time, value = self._metrics.frequencies().get(device_id, (np.empty(0, np.int64), np.empty(0, np.int64)))
        nominal = folder.number("aic_frequency")
        if not len(value) and nominal is None:
            return time, value
        first = int(value[0]) if len(value) else round(nominal or 0)
        final = int(value[-1]) if len(value) else first
        ends = [(self._run.config.host.begin_ns or folder.begin_ns, first), (self._run.config.host.end_ns, final)]
        before = [each for each in ends[:1] if each[0] is not None]
        after = [each for each in ends[1:] if each[0] is not None]
        return (
            np.array([*(at for at, _ in before), *time.tolist(), *(at for at, _ in after)], dtype=np.int64),
            np.array([*(mhz for _, mhz in before), *value.tolist(), *(mhz for _, mhz in after)], dtype=np.int64),
        )


def _one_series(number: int, device: int, family: str, instance: int | None, name: str, unit: str) -> pa.RecordBatch:
    return record(
        "counter_series", 1, series=number, device_id=device, family=family, instance_no=instance, name=name, unit=unit
    )


class _Rounds:
    """The round of samples before each one: the stacks of a device report one after the other, and the vendor takes
    them to be four, so that a sample's time is reckoned from the fourth row before it of the same device and kind."""

    def __init__(self, stacks: int) -> None:
        self._size = max(_STACKS, stacks)
        self._last: dict[tuple[int, int], deque[int]] = {}

    def before(self, device: Numbers, event: Numbers, time: Numbers) -> Numbers:
        """Time of that row, NONE where there is none; rows are sorted by device, kind and time."""
        found = np.empty(len(time), np.int64)
        for place, (key, at) in enumerate(
            zip(zip(device.tolist(), event.tolist(), strict=True), time.tolist(), strict=True)
        ):
            last = self._last.setdefault(key, deque(maxlen=self._size))
            found[place] = last[0] if len(last) == self._size else NONE
            last.append(at)
        return found


def _bandwidth(count: Numbers, time: Numbers, before: Numbers) -> npt.NDArray[np.float64]:
    """Whole bytes a second since the round before; 0 in the first round."""
    elapsed = time - before
    good = (before != NONE) & (elapsed > 0)
    values = np.zeros(len(time))
    values[good] = np.floor(count[good] * _HBM_BYTES / elapsed[good] * 1e9)
    return values
