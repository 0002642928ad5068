"""Traffic of what connects a device: PCIe, HCCS, network ports, dies (cann-files.md 5.3, 5.7).

Records of PCIe hold rates; those of HCCS and of the network devices running totals, those of SIO the bytes since the
record before: their rates are reckoned here.  Units and the clock of the stamps, ns of the device's monotonic clock or
of the host's (netdev_stats), are those of the vendor's public parser (github.com/Ascend/msprof; facts of
analysis/csrc/domain/data_process/system/*_processor.cpp and analysis/msmodel/hardware/hccs_model.py): read, not proven,
as no device that was at hand recorded them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from warehouse import _native
from warehouse.readers.counter_families import values_of
from warehouse.readers.issues import WARNING
from warehouse.readers.raw_config import FolderConfig, device_ns, host_ns
from warehouse.readers.raw_files import DeviceFiles
from warehouse.readers.raw_rows import Numbers, adjacent, numbers, rows
from warehouse.readers.raw_run import RawRun
from warehouse.readers.raw_series import SeriesKey, SeriesRows, by_value
from warehouse.readers.sorted_rows import SortedRows

Reals = npt.NDArray[np.float64]
_MEGABYTE = 1048576
_NOT_MEASURED = 0xFFFFF  # a minimum of PCIe
# columns of the decoder in the order of the names in counter_families
_PCIE = tuple(
    f"{way}_{end}"
    for way in ("tx_post", "tx_nonpost", "tx_cpl", "tx_nonpost_latency", "rx_post", "rx_nonpost", "rx_cpl")
    for end in ("min", "max", "avg")
)
_NETWORK = (
    "bandwidth",
    *(
        f"{way}_{name}"
        for way in ("rx", "tx")
        for name in ("packet_rate", "byte_rate", "packets", "bytes", "errors", "dropped")
    ),
)
_NETDEV = {
    "macTxPfcPkt": "mac_tx_pfc_packets", "macRxPfcPkt": "mac_rx_pfc_packets", "macTxByte": "mac_tx_bytes",
    "macTxBandwidth": "mac_tx_bytes", "macRxByte": "mac_rx_bytes", "macRxBandwidth": "mac_rx_bytes",
    "macTxBadByte": "mac_tx_bad_bytes", "macRxBadByte": "mac_rx_bad_bytes", "roceTxPkt": "roce_tx_packets",
    "roceRxPkt": "roce_rx_packets", "roceTxErrPkt": "roce_tx_error_packets", "roceRxErrPkt": "roce_rx_error_packets",
    "roceTxCnpPkt": "roce_tx_cnp_packets", "roceRxCnpPkt": "roce_rx_cnp_packets",
    "roceNewPktRty": "roce_new_packet_retries", "nicTxByte": "nic_tx_bytes", "nicTxBandwidth": "nic_tx_bytes",
    "nicRxByte": "nic_rx_bytes", "nicRxBandwidth": "nic_rx_bytes",
}  # fmt: skip
_SIO = ("rx_req", "rx_rsp", "rx_snp", "rx_dat", "tx_req", "tx_rsp", "tx_snp", "tx_dat")


def load_link_counters(run: RawRun, device: DeviceFiles, folder: FolderConfig, series: SeriesRows) -> None:
    """Decode the counters of a device's connections; InputError where the files do not tell the wall clock."""
    _load_pcie(run, device, folder, series)
    _load_hccs(run, device, folder, series)
    for stream, family in (("nic", "NIC"), ("roce", "ROCE")):
        _load_network(run, device, folder, series, stream, family)
    _load_netdev(run, device, folder, series)


def _load_pcie(run: RawRun, device: DeviceFiles, folder: FolderConfig, series: SeriesRows) -> None:
    invalid = 0
    for _, batch in run.device_stream(device, "pcie"):
        time = device_ns(folder, numbers(batch, "time")[0])
        low, high = numbers(batch, "tx_post_min", "tx_post_max")
        good = high >= low  # the vendor's test of whether anything was measured
        invalid += int((~good).sum())
        for column, (name, unit) in zip(_PCIE, values_of("PCIE"), strict=True):
            value = numbers(batch, column)[0]
            measured = good & (value != _NOT_MEASURED)
            factor = 1_000_000 if unit == "bytes/s" else 1  # bytes/us
            key = SeriesKey(device.device_id, "PCIE", None, name, unit)
            series.add(key, time[measured], value[measured] * factor)
    if invalid:
        text = "PCIe samples whose largest value is below their smallest; they were left out"
        run.ledger.note(WARNING, "no-measurement", text, table="pcie", count=invalid)


def _load_hccs(run: RawRun, device: DeviceFiles, folder: FolderConfig, series: SeriesRows) -> None:
    found = SortedRows(["time", "row"], run.spill)
    number = 0
    for _, batch in run.device_stream(device, "hccs"):
        time = device_ns(folder, numbers(batch, "time")[0])
        row = np.arange(number, number + len(time))
        number += len(time)
        found.add(rows(len(time), time=time, row=row, **_whole(batch, ("tx", "rx"))))
    reset = 0
    for batch in adjacent(found.batches()):
        time, tx, rx = numbers(batch, "time", "tx", "rx")
        elapsed = np.diff(time)
        good = (np.diff(tx) >= 0) & (np.diff(rx) >= 0) & (elapsed > 0)
        reset += int((~good).sum())
        for total, (name, unit) in zip((tx, rx), values_of("HCCS"), strict=True):
            value = np.diff(total)[good] / elapsed[good] * 1e9
            series.add(SeriesKey(device.device_id, "HCCS", None, name, unit), time[1:][good], value)
    _note_resets(run, "hccs", reset)


def _load_network(
    run: RawRun, device: DeviceFiles, folder: FolderConfig, series: SeriesRows, stream: str, family: str
) -> None:
    for _, batch in run.device_stream(device, stream):
        time = device_ns(folder, numbers(batch, "time")[0])
        (port,) = numbers(batch, "function")
        for number, mine in by_value(port):
            for column, (name, unit) in zip(_NETWORK, values_of(family), strict=True):
                value = batch.column(column).to_numpy()[mine] * (_MEGABYTE if column == "bandwidth" else 1)
                series.add(SeriesKey(device.device_id, family, int(number), name, unit), time[mine], value)


def _load_netdev(run: RawRun, device: DeviceFiles, folder: FolderConfig, series: SeriesRows) -> None:
    totals = tuple(dict.fromkeys(_NETDEV.values()))
    found = SortedRows(["time", "row"], run.spill)
    number = 0
    for _, batch in run.device_stream(device, "netdev_stats"):
        time = host_ns(folder, numbers(batch, "time")[0])
        row = np.arange(number, number + len(time))
        number += len(time)
        found.add(rows(len(time), time=time, row=row, **_whole(batch, totals)))
    for batch in adjacent(found.batches()):
        (time,) = numbers(batch, "time")
        elapsed = np.diff(time)
        good = elapsed > 0
        for name, unit in values_of("NETDEV_STATS"):
            grown = np.maximum(np.diff(numbers(batch, _NETDEV[name])[0]), 0)[good]  # 0 where a total began anew
            value = grown / elapsed[good] * 1e9 if unit == "bytes/s" else grown
            series.add(SeriesKey(device.device_id, "NETDEV_STATS", None, name, unit), time[1:][good], value)


def _whole(batch: pa.RecordBatch, names: tuple[str, ...]) -> dict[str, Numbers]:
    """Running totals as integers."""
    return {name: np.clip(batch.column(name).to_numpy(), -(2.0**62), 2.0**62).astype(np.int64) for name in names}


def _note_resets(run: RawRun, stream: str, count: int) -> None:
    if count:
        text = "samples whose totals or time are below those before; no rate is known there"
        run.ledger.note(WARNING, "no-measurement", text, table=stream, count=count)


class DieLinks:
    """SIO records of stars_soc_profile: bytes each die moved since its record before (5.3)."""

    def __init__(self, run: RawRun, device_id: int, clock: _native.TickClock) -> None:
        self._run = run
        self._device_id = device_id
        self._clock = clock
        self._found = SortedRows(["acc", "time", "row"], run.spill)
        self._number = 0

    def add(self, batch: pa.RecordBatch) -> None:
        """Take records."""
        row = np.arange(self._number, self._number + batch.num_rows)
        self._number += batch.num_rows
        time = np.asarray(self._clock.column_ns(batch.column("time")))
        values = dict(zip(_SIO, numbers(batch, *_SIO), strict=True))
        self._found.add(rows(len(time), acc=numbers(batch, "acc")[0], time=time, row=row, **values))

    def finish(self, series: SeriesRows) -> None:
        """Hand over the rates."""
        for batch in adjacent(self._found.batches()):
            acc, time = numbers(batch, "acc", "time")
            elapsed = np.diff(time)
            good = (np.diff(acc) == 0) & (elapsed > 0)
            for die in np.unique(acc[1:][good]).tolist():
                mine = good & (acc[1:] == die)
                for column, (name, unit) in zip(_SIO, values_of("SIO"), strict=True):
                    value = numbers(batch, column)[0][1:][mine] / elapsed[mine] * 1e9
                    key = SeriesKey(self._device_id, "SIO", None, f"die {die} {name}", unit)
                    series.add(key, time[1:][mine], value)
