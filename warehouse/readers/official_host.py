"""Host side of an official database: framework ranges, queue, Python frames, CANN calls, marks (ascend-db.md 4, 6)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from warehouse.batches.records import HOST_ALLOCATION, HOST_API, HOST_DEQUEUE, HOST_ENQUEUE, HOST_OP, HOST_PYTHON
from warehouse.readers.official_database import MISSING_32, OfficialDatabase
from warehouse.readers.official_layout import API_LEVELS, PYTORCH_TYPES, QUEUE_OFFSET
from warehouse.readers.plausible import LATEST_NS, OUT_OF_TIME

_HOST_TABLES = ("CANN_API", "PYTORCH_API")
_UNKNOWN_KIND = 9  # a PYTORCH_API row that is none of the documented kinds
# unsigned: whatever the number is, it names a thread
_TID = "{alias}.globalTid >> 32 & 4294967295, {alias}.globalTid & 4294967295"


def host_events(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`host_event` batches: PYTORCH_API, CANN_API and the allocations that name an operator, in one sorted stream."""
    parts = []
    if database.has("PYTORCH_API"):
        parts.append(_framework_part(database))
    if database.has("CANN_API"):
        parts.append(_api_part(database))
    if not parts:
        return
    if database.has("OP_MEMORY"):
        parts.append(_allocation_part(database))
    statement = " UNION ALL ".join(parts) + " ORDER BY 2, 3 DESC, 1, 15"
    for batch in database.batches("host_event", statement):
        if (good := _accepted(database, batch)).num_rows:
            yield good


def _framework_part(database: OfficialDatabase) -> str:
    types = {name: number for number, name in database.enumeration("ENUM_API_TYPE").items()}
    op, queue, trace = (types.get(name, number) for name, number in PYTORCH_TYPES.items())
    pick = database.number
    table = "PYTORCH_API"
    key, joins = "NULL", ""
    if database.has("CONNECTION_IDS"):
        # older files hold the queue's number as it is, newer ones lifted into a range of its own
        key = f"c.connectionId - iif(c.connectionId >= {QUEUE_OFFSET}, {QUEUE_OFFSET}, 0)"
        joins = (
            " LEFT JOIN (SELECT id, min(connectionId) connectionId FROM CONNECTION_IDS GROUP BY id) c"
            f" ON t.type = {queue} AND c.id = t.connectionId"
        )
    if database.texts:
        name = "substr(s.value, 1, 7)"
        joins += f" LEFT JOIN {database.texts} s ON t.type = {queue} AND s.id = t.name"
    else:
        name = "NULL"
    return f"""SELECT CASE WHEN t.type = {op} THEN {HOST_OP} WHEN t.type = {trace} THEN {HOST_PYTHON}
          WHEN t.type = {queue} AND {name} = 'Dequeue' THEN {HOST_DEQUEUE}
          WHEN t.type = {queue} AND {name} = 'Enqueue' THEN {HOST_ENQUEUE} ELSE {_UNKNOWN_KIND} END,
        CAST(t.startNs AS INTEGER), CAST(t.endNs AS INTEGER), {_TID.format(alias="t")}, t.name, {key}, NULL, NULL,
        {pick(table, "sequenceNumber")}, {pick(table, "fwdThreadId")}, {pick(table, "inputDtypes")},
        {pick(table, "inputShapes")}, {pick(table, "callchainId")}, t.rowid
        FROM PYTORCH_API t{joins}"""


def _api_part(database: OfficialDatabase) -> str:
    names = database.enumeration("ENUM_API_TYPE") or {number: name for name, number in API_LEVELS.items()}
    levels = {number: {"hccl": "communication"}.get(name, name) for number, name in names.items()}
    level = database.words_of("a.type", {number: name for number, name in levels.items() if name in API_LEVELS})
    return f"""SELECT {HOST_API}, CAST(a.startNs AS INTEGER), CAST(a.endNs AS INTEGER), {_TID.format(alias="a")},
        a.name, NULL, nullif(nullif(a.connectionId, {MISSING_32}), -1), ifnull({level}, {database.word("other")}),
        NULL, NULL, NULL, NULL, NULL, a.rowid
        FROM CANN_API a"""


def _allocation_part(database: OfficialDatabase) -> str:
    return f"""SELECT {HOST_ALLOCATION}, CAST(m.allocationTime AS INTEGER), CAST(m.allocationTime AS INTEGER), 0, 0,
        m.name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, m.rowid
        FROM OP_MEMORY m WHERE m.streamPtr IS NOT NULL AND m.name IS NOT NULL"""


def _accepted(database: OfficialDatabase, batch: pa.RecordBatch) -> pa.RecordBatch:
    """The batch without what cannot be placed; what was left out is booked."""
    kind = batch.column("kind").to_numpy()
    start, end, row = (pc.fill_null(batch.column(name), 0).to_numpy() for name in ("start_ns", "end_ns", "row"))
    longest = np.where(kind == HOST_API, *(database.longest(t) if database.has(t) else 0 for t in _HOST_TABLES))
    in_order = (start > 0) & (end >= start) & (end <= LATEST_NS)
    in_order[in_order] = (end - start)[in_order] <= longest[in_order]
    known = kind != _UNKNOWN_KIND
    key = pc.fill_null(batch.column("key"), -1).to_numpy()
    keyless = np.isin(kind, (HOST_ENQUEUE, HOST_DEQUEUE)) & (key < 0)
    for table, mine in (
        ("CANN_API", kind == HOST_API),
        ("PYTORCH_API", (kind != HOST_API) & (kind != HOST_ALLOCATION)),
    ):
        _reject(database, table, mine & ~in_order, row, "time-order", f"has no start, {OUT_OF_TIME}")
        _reject(database, table, mine & in_order & ~known, row, "unknown-kind", "is no operator, queue event or frame")
        _reject(
            database, table, mine & in_order & keyless, row, "no-correlation", "is a queue event without its number"
        )
        database.ledger.load(table, int((mine & in_order & known & ~keyless).sum()))
    good = in_order & known & ~keyless
    return batch if good.all() else batch.filter(pa.array(good))


def _reject(database: OfficialDatabase, table: str, bad: np.ndarray, row: np.ndarray, code: str, text: str) -> None:
    if count := int(bad.sum()):
        database.ledger.reject(table, count, code, text, first_offset=int(row[bad].min()))


def steps(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`step` batches in time order."""
    if database.has("STEP_TIME"):
        valid = f"typeof(id) = 'integer' AND {database.is_slice('STEP_TIME')}"
        yield from database.counted(
            "step",
            "STEP_TIME",
            f"SELECT id, CAST(startNs AS INTEGER), CAST(endNs AS INTEGER) FROM STEP_TIME WHERE {valid} ORDER BY 2, 3",
            valid,
            ("time-order", f"has no number, {OUT_OF_TIME}"),
        )


def stack_frames(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`stack_frame` batches."""
    if database.has("PYTORCH_CALLCHAINS"):
        valid = "typeof(id) = 'integer' AND stack IS NOT NULL AND stackDepth IS NOT NULL"
        yield from database.counted(
            "stack_frame",
            "PYTORCH_CALLCHAINS",
            f"SELECT id, stackDepth, stack FROM PYTORCH_CALLCHAINS WHERE {valid} ORDER BY rowid",
            valid,
            ("missing-value", "lacks its number, depth or text"),
        )


def gc_events(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`gc_event` batches in time order."""
    if database.has("GC_RECORD"):
        valid = database.is_slice("GC_RECORD")
        yield from database.counted(
            "gc_event",
            "GC_RECORD",
            f"""SELECT CAST(t.startNs AS INTEGER), CAST(t.endNs AS INTEGER), {_TID.format(alias="t")}
                FROM GC_RECORD t WHERE {valid} ORDER BY 1, 2 DESC""",
            valid,
            ("time-order", OUT_OF_TIME),
        )


def marks(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`mark` batches in time order; connection numbers of marks begin at 4000000001, 4000000000 is none."""
    table = "MSTX_EVENTS"
    if not database.has(table):
        return
    kinds = database.words_of("t.eventType", database.enumeration("ENUM_MSTX_EVENT_TYPE"))
    end_tid = database.pick(table, "endGlobalTid")
    valid = database.is_slice(table)
    yield from database.counted(
        "mark",
        table,
        f"""SELECT CAST(t.startNs AS INTEGER), CAST(t.endNs AS INTEGER), {_TID.format(alias="t")}, {end_tid} >> 32
            & 4294967295, {end_tid} & 4294967295, {kinds}, {database.number(table, "message")},
            {database.number(table, "domainId")},
            {database.number(table, "category")}, {database.number(table, "rangeId")},
            {database.number(table, "connectionId", missing=4000000000)}
            FROM {table} t WHERE {valid} ORDER BY 1, 2 DESC, t.rowid""",
        valid,
        ("time-order", OUT_OF_TIME),
    )
