"""Memory tables of an official database (ascend-db.md 5, deliverables.md 7 to 9)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from warehouse.readers.official_database import MISSING_32, OfficialDatabase, are_integers
from warehouse.readers.plausible import LATEST_NS, LONGEST_NS, is_time

_GE = "NPU_OP_MEM"


def _is_release(database: OfficialDatabase) -> str:
    return f"t.type IN (SELECT id FROM {database.texts} WHERE value = 'release')"


def _is_end(column: str) -> str:
    """A condition: none, -1 (never released), or a time that an allocation may last to."""
    return (
        f"({column} IS NULL OR typeof({column}) IN ('integer', 'real') AND {column} BETWEEN -1 AND"
        f" min({LATEST_NS}, allocationTime + {LONGEST_NS}))"
    )


def memory_events(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`memory_event` batches in the order of the table; a release has a negative size."""
    if database.has(_GE) and database.texts:
        valid = f"{is_time('timestampNs')} AND {are_integers('size', 'component')}"
        number = database.number
        yield from database.counted(
            "memory_event",
            _GE,
            f"""SELECT t.component, t.deviceId, t.timestampNs, {number(_GE, "operatorName")}, t.addr,
                iif({_is_release(database)}, -t.size, t.size), t.totalAllocate, t.totalReserve, NULL, NULL,
                t.globalTid >> 32 & {MISSING_32}, t.globalTid & {MISSING_32}, {number(_GE, "type")}
                FROM {_GE} t WHERE {valid} ORDER BY t.rowid""",
            valid,
            ("missing-value", "lacks its time, size or component"),
        )


def allocations(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`allocation` batches in the order of the table; derived from allocate and release records where there is none."""
    table = "OP_MEMORY"
    if not database.has(table):
        if database.has(_GE) and not database.has("MEMORY_RECORD"):
            yield from _paired(database)
        return
    valid = f"{is_time('allocationTime')} AND {are_integers('size')} AND {_is_end('releaseTime')}"
    valid += f" AND {_is_end('activeReleaseTime')}"
    yield from database.counted(
        "allocation",
        table,
        f"""SELECT iif(t.streamPtr IS NULL, {database.word("GE")}, {database.word("PTA")}), t.deviceId,
            {database.number(table, "name")}, t.size, t.allocationTime, t.releaseTime, t.activeReleaseTime,
            t.allocationTotalAllocated, t.allocationTotalReserved, t.allocationTotalActive, t.releaseTotalAllocated,
            t.releaseTotalReserved, t.releaseTotalActive, t.streamPtr, NULL, t.rowid
            FROM {table} t WHERE {valid} ORDER BY t.rowid""",
        valid,
        ("missing-value", "lacks its time or size, or is released at a time that cannot be"),
    )


def _paired(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """Allocations of the graph engine from its single records: paired by (operator, address, device), in the order of
    release, what was not released last (ascend-db.md 5)."""
    if not database.texts:
        return
    open_: dict[tuple[Any, ...], tuple[Any, ...]] = {}
    done: list[tuple[Any, ...]] = []
    statement = f"""SELECT t.operatorName, t.addr, t.deviceId, {_is_release(database)}, t.component, t.size,
        t.timestampNs, t.totalAllocate, t.totalReserve, t.rowid FROM {_GE} t
        WHERE {is_time("timestampNs")} AND {are_integers("size", "component")} ORDER BY t.rowid"""
    for rows in database.rows(statement):
        for name, address, device, is_release, component, size, time, allocated, reserved, row in rows:
            key = (name, address, device)
            if not is_release:
                open_[key] = (component, size, time, allocated, reserved, row)
            elif key in open_:
                done.append(_allocation(key, open_.pop(key), (time, allocated, reserved)))
        if done:
            yield database.as_batch("allocation", done)
            done = []
    if open_:
        rest = [_allocation(key, start, (None, None, None)) for key, start in open_.items()]
        yield database.as_batch("allocation", rest)


def _allocation(key: tuple[Any, ...], start: tuple[Any, ...], end: tuple[Any, ...]) -> tuple[Any, ...]:
    name, address, device = key
    component, size, time, allocated, reserved, row = start
    name = None if name == MISSING_32 else name
    return (
        component, device, name, size, time, end[0], None, allocated, reserved, None, end[1], end[2], None, None,
        address, row,
    )  # fmt: skip


def memory_records(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`memory_record` batches in the order of the table; the graph engine's own totals where there is none."""
    table = "MEMORY_RECORD"
    if database.has(table):
        valid = f"{is_time('timestamp')} AND {are_integers('component')}"
        yield from database.counted(
            "memory_record",
            table,
            f"""SELECT t.component, t.deviceId, t.timestamp, t.totalAllocated, t.totalReserved, t.totalActive,
                t.streamPtr FROM {table} t WHERE {valid} ORDER BY t.rowid""",
            valid,
            ("missing-value", "lacks its time or component"),
        )
    elif database.has(_GE) and not database.has("OP_MEMORY"):
        yield from database.batches(
            "memory_record",
            f"""SELECT t.component, t.deviceId, t.timestampNs, t.totalAllocate, t.totalReserve, NULL, NULL
                FROM {_GE} t WHERE {is_time("timestampNs")} AND {are_integers("component")} ORDER BY 3, 4, 5""",
        )


def module_memory(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`module_memory` batches in the order of the table."""
    table = "NPU_MODULE_MEM"
    if database.has(table):
        names = database.enumeration("ENUM_MODULE")
        known = database.words_of("t.moduleId", names)
        module = f"ifnull({known}, {database.word('UNKNOWN')})"
        valid = f"{is_time('timestampNs')} AND {are_integers('deviceId')} AND totalReserved IS NOT NULL"
        yield from database.counted(
            "module_memory",
            table,
            f"""SELECT t.deviceId, {module}, t.timestampNs, CAST(t.totalReserved AS INTEGER) FROM {table} t
                WHERE {valid} ORDER BY t.rowid""",
            valid,
            ("missing-value", "lacks its time, size or device"),
        )


def device_memory(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`device_memory` batches in the order of the table."""
    table = "NPU_MEM"
    if database.has(table):
        valid = f"{is_time('timestampNs')} AND {are_integers('type', 'deviceId')}"
        yield from database.counted(
            "device_memory",
            table,
            f"""SELECT t.deviceId, t.type, t.timestampNs, CAST(t.ddr AS INTEGER), CAST(t.hbm AS INTEGER) FROM {table} t
                WHERE {valid} ORDER BY t.rowid""",
            valid,
            ("missing-value", "lacks its time, scope or device"),
        )
