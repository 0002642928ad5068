"""Hardware and host series of an official database (ascend-db.md 7), each described by one line of `_FAMILIES`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from warehouse.readers.counter_families import values_of
from warehouse.readers.official_database import OfficialDatabase, decoded
from warehouse.readers.official_open import quoted
from warehouse.readers.plausible import LATEST_NS


@dataclass(frozen=True)
class _Family:
    """One table; a series is named after its column, or the text in the row's column `text`, or both."""

    table: str
    instance: str | None = None
    text: str | None = None
    text_only: bool = False
    has_device: bool = True


_FAMILIES = (
    _Family("AICORE_FREQ", "dieId"),
    _Family("HBM", "hbmId", "type", text_only=True),
    _Family("DDR"),
    _Family("LLC", "llcId", "mode"),
    _Family("HCCS"),
    _Family("PCIE"),
    _Family("NIC", "funcId"),
    _Family("ROCE", "funcId"),
    _Family("NETDEV_STATS"),
    _Family("ACC_PMU", "accId"),
    _Family("SOC_BANDWIDTH_LEVEL"),
    _Family("QOS", "dieId", "eventName", text_only=True),
    _Family("SIO", None, "name"),
    _Family("UB", "portId"),
    _Family("CPU_USAGE", "cpuId", has_device=False),
    _Family("HOST_MEM_USAGE", has_device=False),
    _Family("HOST_DISK_USAGE", has_device=False),
    _Family("HOST_NETWORK_USAGE", has_device=False),
    _Family("SAMPLE_PMU_TIMELINE", "coreId", "coreType"),
)


def counters(database: OfficialDatabase) -> Iterator[tuple[str, pa.RecordBatch]]:
    """`counter_series` batches, each before the first `counter` batch that uses it; with the name of the kind."""
    next_series = 0
    for family in _FAMILIES:
        if not database.has(family.table):
            continue
        known: dict[tuple[Any, ...], int] = {}
        columns = [
            (column, unit) for column, unit in values_of(family.table) if database.has_column(family.table, column)
        ]
        for rows in database.rows(_statement(database, family, [column for column, _ in columns])):
            added, values = [], []
            for row in rows:
                key = row[:3]
                first = known.get(key)
                if first is None:
                    first = known[key] = next_series
                    next_series += len(columns)
                    device, instance, text = key
                    for offset, (column, unit) in enumerate(columns):
                        name = _name(family, column, decoded(text))
                        added.append((first + offset, device, family.table, instance, name, unit))
                time = row[3]
                values += [(first + place, time, value) for place, value in enumerate(row[4:]) if value is not None]
            database.ledger.load(family.table, len(rows))
            if added:
                yield "counter_series", database.as_batch("counter_series", added)
            if values:
                yield "counter", database.as_batch("counter", values)


def _name(family: _Family, column: str, text: str | None) -> str:
    if family.text is None:
        return column
    return (text or "") if family.text_only else f"{text or ''} {column}".strip()


def _statement(database: OfficialDatabase, family: _Family, columns: list[str]) -> str:
    """Rows (device, instance, text, time, values ...) in time order; rows without a time are booked as rejected."""
    table = family.table
    valid = f"typeof(t.timestampNs) IN ('integer', 'real') AND t.timestampNs BETWEEN 1 AND {LATEST_NS}"
    bad, first = database.run(f"SELECT count(*), min(rowid) FROM {table} t WHERE NOT ifnull({valid}, 0)").fetchone()
    database.ledger.reject(table, bad, "missing-value", "has no time", first_offset=first)
    device = database.number(table, "deviceId") if family.has_device else "NULL"
    instance = f"nullif({database.number(table, family.instance)}, -1)" if family.instance else "NULL"
    text = "NULL"
    if family.text and database.texts:
        text = f"(SELECT s.value FROM {database.texts} s WHERE s.id = t.{quoted(family.text)})"
    values = "".join(f", t.{quoted(column)}" for column in columns)
    return f"""SELECT {device}, {instance}, {text}, CAST(t.timestampNs AS INTEGER){values}
        FROM {table} t WHERE {valid} ORDER BY 4, t.rowid"""
