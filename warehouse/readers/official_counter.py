"""Hardware and host series of an official database (ascend-db.md 7), each described by one line of `_FAMILIES`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from warehouse.readers.official_database import OfficialDatabase, decoded
from warehouse.readers.official_open import quoted


@dataclass(frozen=True)
class _Family:
    """One table: `values` is `column=name:unit ...`; a name may hold `{text}`, the text of the column `text` in that row."""

    table: str
    values: str
    instance: str | None = None
    text: str | None = None
    has_device: bool = True


_NETWORK = " ".join(
    f"{way}PacketRate={way}_packet_rate:packets/s {way}ByteRate={way}_byte_rate:bytes/s {way}Packets={way}_packets:count "
    f"{way}Bytes={way}_bytes:bytes {way}Errors={way}_errors:count {way}Dropped={way}_dropped:count"
    for way in ("rx", "tx")
)
_PCIE = " ".join(
    f"{column}{end}={name}_{end.lower()}:{unit}"
    for column, name, unit in (
        ("txPost", "tx_post", "bytes/s"), ("txNonpost", "tx_nonpost", "bytes/s"), ("txCpl", "tx_cpl", "bytes/s"),
        ("txNonpostLatency", "tx_nonpost_latency", "ns"), ("rxPost", "rx_post", "bytes/s"),
        ("rxNonpost", "rx_nonpost", "bytes/s"), ("rxCpl", "rx_cpl", "bytes/s"),
    )
    for end in ("Min", "Max", "Avg")
)  # fmt: skip
_NETDEV = (
    "macTxPfcPkt=mac_tx_pfc_packets:count macRxPfcPkt=mac_rx_pfc_packets:count macTxByte=mac_tx_bytes:bytes "
    "macTxBandwidth=mac_tx_bandwidth:bytes/s macRxByte=mac_rx_bytes:bytes macRxBandwidth=mac_rx_bandwidth:bytes/s "
    "macTxBadByte=mac_tx_bad_bytes:bytes macRxBadByte=mac_rx_bad_bytes:bytes roceTxPkt=roce_tx_packets:count "
    "roceRxPkt=roce_rx_packets:count roceTxErrPkt=roce_tx_error_packets:count roceRxErrPkt=roce_rx_error_packets:count "
    "roceTxCnpPkt=roce_tx_cnp_packets:count roceRxCnpPkt=roce_rx_cnp_packets:count "
    "roceNewPktRty=roce_new_packet_retries:count nicTxByte=nic_tx_bytes:bytes nicTxBandwidth=nic_tx_bandwidth:bytes/s "
    "nicRxByte=nic_rx_bytes:bytes nicRxBandwidth=nic_rx_bandwidth:bytes/s"
)
_FAMILIES = (
    _Family("AICORE_FREQ", "freq=frequency:MHz", "dieId"),
    _Family("HBM", "bandwidth={text}:bytes/s", "hbmId", "type"),
    _Family("DDR", "read=read:bytes/s write=write:bytes/s"),
    _Family("LLC", "hitRate={text}_hit_rate:percent throughput={text}_throughput:bytes/s", "llcId", "mode"),
    _Family("HCCS", "txThroughput=tx:bytes/s rxThroughput=rx:bytes/s"),
    _Family("PCIE", _PCIE),
    _Family("NIC", "bandwidth=bandwidth:bytes/s " + _NETWORK, "funcId"),
    _Family("ROCE", "bandwidth=bandwidth:bytes/s " + _NETWORK, "funcId"),
    _Family("NETDEV_STATS", _NETDEV),
    _Family(
        "ACC_PMU",
        "readBwLevel=read_bw_level:level writeBwLevel=write_bw_level:level readOstLevel=read_ost_level:level "
        "writeOstLevel=write_ost_level:level",
        "accId",
    ),
    _Family("SOC_BANDWIDTH_LEVEL", "l2BufferBwLevel=l2_buffer_bw_level:level mataBwLevel=mata_bw_level:level"),
    _Family("QOS", "bandwidth={text}:bytes/s", "dieId", "eventName"),
    _Family(
        "SIO",
        " ".join(f"{way}{kind}={{text}}_{way}_{kind.lower()}:bytes/s" for way in ("rx", "tx") for kind in
                 ("Req", "Rsp", "Snp", "Dat")),
        None,
        "name",
    ),
    _Family("UB", "rxUdmaBind=rx_udma_bind:bytes/s txUdmaBind=tx_udma_bind:bytes/s", "portId"),
    _Family("CPU_USAGE", "usage=usage:percent", "cpuId", has_device=False),
    _Family("HOST_MEM_USAGE", "usage=usage:percent", has_device=False),
    _Family(
        "HOST_DISK_USAGE", "readRate=read_rate:KB/s writeRate=write_rate:KB/s usage=usage:percent", has_device=False
    ),
    _Family("HOST_NETWORK_USAGE", "usage=usage:percent speed=speed:KB/s", has_device=False),
    _Family(
        "SAMPLE_PMU_TIMELINE",
        "totalCycle={text}_total_cycles:count usage(%)={text}_usage:percent usage={text}_usage:percent "
        "freq(MHz)={text}_frequency:MHz freq={text}_frequency:MHz",
        "coreId",
        "coreType",
    ),
)  # fmt: skip


def counters(database: OfficialDatabase) -> Iterator[tuple[str, pa.RecordBatch]]:
    """`counter_series` batches, each before the first `counter` batch that uses it; with the name of the kind."""
    next_series = 0
    for family in _FAMILIES:
        if not database.has(family.table):
            continue
        known: dict[tuple[Any, ...], int] = {}
        columns = [
            (column, *value.rsplit(":", 1))
            for column, _, value in (spec.partition("=") for spec in family.values.split())
            if database.has_column(family.table, column)
        ]
        for rows in database.rows(_statement(database, family, [column for column, _, _ in columns])):
            added, values = [], []
            for row in rows:
                key = row[:3]
                first = known.get(key)
                if first is None:
                    first = known[key] = next_series
                    next_series += len(columns)
                    device, instance, text = key
                    for offset, (_, name, unit) in enumerate(columns):
                        label = name.replace("{text}", decoded(text) or "")
                        added.append((first + offset, device, family.table, instance, label, unit))
                time = row[3]
                values += [(first + place, time, value) for place, value in enumerate(row[4:]) if value is not None]
            database.ledger.load(family.table, len(rows))
            if added:
                yield "counter_series", database.as_batch("counter_series", added)
            if values:
                yield "counter", database.as_batch("counter", values)


def _statement(database: OfficialDatabase, family: _Family, columns: list[str]) -> str:
    """Rows (device, instance, text, time, values ...) in time order; rows without a time are booked as rejected."""
    table = family.table
    valid = "typeof(t.timestampNs) IN ('integer', 'real') AND t.timestampNs > 0"
    bad, first = database.run(
        f"SELECT count(*), min(rowid) FROM {table} t WHERE NOT ifnull({valid}, 0)"
    ).fetchone()
    database.ledger.reject(table, bad, "missing-value", "has no time", first_offset=first)
    device = database.number(table, "deviceId") if family.has_device else "NULL"
    instance = f"nullif({database.number(table, family.instance)}, -1)" if family.instance else "NULL"
    text = "NULL"
    if family.text and database.has("STRING_IDS"):
        text = f"(SELECT s.value FROM STRING_IDS s WHERE s.id = t.{quoted(family.text)})"
    values = "".join(f", t.{quoted(column)}" for column in columns)
    return f"""SELECT {device}, {instance}, {text}, CAST(t.timestampNs AS INTEGER){values}
        FROM {table} t WHERE {valid} ORDER BY 4, t.rowid"""
