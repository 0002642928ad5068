"""What hardware and host series are called and counted in, whoever reads them: names and units of ascend-db.md 7."""

from __future__ import annotations

from collections.abc import Mapping

_NETWORK = " ".join(
    f"{way}PacketRate:packets/s {way}ByteRate:bytes/s {way}Packets:count {way}Bytes:bytes {way}Errors:count "
    f"{way}Dropped:count"
    for way in ("rx", "tx")
)
_PCIE = " ".join(
    f"{column}{end}:{unit}"
    for column, unit in (
        ("txPost", "bytes/s"), ("txNonpost", "bytes/s"), ("txCpl", "bytes/s"), ("txNonpostLatency", "ns"),
        ("rxPost", "bytes/s"), ("rxNonpost", "bytes/s"), ("rxCpl", "bytes/s"),
    )
    for end in ("Min", "Max", "Avg")
)  # fmt: skip
_NETDEV = (
    "macTxPfcPkt:count macRxPfcPkt:count macTxByte:bytes macTxBandwidth:bytes/s macRxByte:bytes macRxBandwidth:bytes/s "
    "macTxBadByte:bytes macRxBadByte:bytes roceTxPkt:count roceRxPkt:count roceTxErrPkt:count roceRxErrPkt:count "
    "roceTxCnpPkt:count roceRxCnpPkt:count roceNewPktRty:count nicTxByte:bytes nicTxBandwidth:bytes/s nicRxByte:bytes "
    "nicRxBandwidth:bytes/s"
)
_SIO = " ".join(f"{way}{kind}:bytes/s" for way in ("rx", "tx") for kind in ("Req", "Rsp", "Snp", "Dat"))
# family -> `name:unit ...`
VALUES: Mapping[str, str] = {
    "AICORE_FREQ": "freq:MHz",
    "HBM": "bandwidth:bytes/s",
    "DDR": "read:bytes/s write:bytes/s",
    "LLC": "hitRate:percent throughput:bytes/s",
    "HCCS": "txThroughput:bytes/s rxThroughput:bytes/s",
    "PCIE": _PCIE,
    "NIC": "bandwidth:bytes/s " + _NETWORK,
    "ROCE": "bandwidth:bytes/s " + _NETWORK,
    "NETDEV_STATS": _NETDEV,
    "ACC_PMU": "readBwLevel:level writeBwLevel:level readOstLevel:level writeOstLevel:level",
    "SOC_BANDWIDTH_LEVEL": "l2BufferBwLevel:level mataBwLevel:level",
    "QOS": "bandwidth:bytes/s",
    "SIO": _SIO,
    "UB": "rxUdmaBind:bytes/s txUdmaBind:bytes/s",
    "CPU_USAGE": "usage:percent",
    "HOST_MEM_USAGE": "usage:percent",
    "HOST_DISK_USAGE": "readRate:KB/s writeRate:KB/s usage:percent",
    "HOST_NETWORK_USAGE": "usage:percent speed:KB/s",
    "SAMPLE_PMU_TIMELINE": "totalCycle:count usage(%):percent usage:percent freq(MHz):MHz freq:MHz",
}


def values_of(family: str) -> list[tuple[str, str]]:
    """(name, unit) of each value of a family.

    >>> values_of("DDR")
    [('read', 'bytes/s'), ('write', 'bytes/s')]
    """
    return [(name, unit) for name, _, unit in (spec.partition(":") for spec in VALUES[family].split())]
