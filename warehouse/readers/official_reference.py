"""What the vendor's own analysis said: analysis.db and OVERLAP_ANALYSIS, read as they are (ascend-db.md 4, 10)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pyarrow as pa

from warehouse.readers.issues import INFO
from warehouse.readers.official_database import OfficialDatabase, are_integers, decoded, integer, real
from warehouse.readers.official_open import quoted
from warehouse.readers.plausible import OUT_OF_TIME

# table of the file -> (table of the warehouse, its columns as `name=column` where they differ)
ANALYSIS_TABLES = {
    "StepTraceTime": (
        "reference_step",
        "device_id=deviceId step computing communication_not_overlapped overlapped communication free stage bubble "
        "communication_not_overlapped_and_exclude_receive preparing",
    ),
    "CommAnalyzerTime": (
        "reference_comm_time",
        "op_name=hccl_op_name group_name start_timestamp elapse_time transit_time wait_time synchronization_time "
        "idle_time step type",
    ),
    "CommAnalyzerBandwidth": (
        "reference_comm_bandwidth",
        "op_name=hccl_op_name group_name transport_type transit_size transit_time bandwidth large_packet_ratio "
        "package_size count total_duration step type",
    ),
    "CommAnalyzerMatrix": (
        "reference_comm_matrix",
        "op_kind=hccl_op_name group_name src_rank dst_rank transport_type transit_size transit_time bandwidth step "
        "type op_name",
    ),
}
_TEXT = frozenset("step op_name group_name type transport_type op_kind src_rank dst_rank".split())
_REQUIRED_TEXT = frozenset("step op_name group_name transport_type op_kind".split())


def is_analysis(database: OfficialDatabase) -> bool:
    """Whether any table of an analysis.db is there."""
    return any(database.has(table) for table in ANALYSIS_TABLES)


def analysis_rows(database: OfficialDatabase) -> Iterator[tuple[str, dict[str, list[Any]]]]:
    """(table of the warehouse, columns) for every table of an analysis.db, in the order of its rows."""
    for table, (target, specs) in ANALYSIS_TABLES.items():
        if not database.has(table):
            continue
        names = [spec.partition("=")[0] for spec in specs.split()]
        expressions = [database.pick(table, spec.rpartition("=")[2]) for spec in specs.split()]
        for rows in database.rows(f"SELECT t.rowid, {', '.join(expressions)} FROM {quoted(table)} t ORDER BY t.rowid"):
            number, *found = zip(*rows, strict=True)
            columns: dict[str, list[Any]] = {}
            bad: set[int] = set()
            for name, column in zip(names, found, strict=True):
                columns[name], wrong = _converted(name, column)
                bad.update(wrong)
            if bad:
                reason = ("bad-value", "has a value of the wrong type")
                database.ledger.reject(table, len(bad), *reason, first_offset=number[min(bad)])
                columns = {
                    name: [value for place, value in enumerate(values) if place not in bad]
                    for name, values in columns.items()
                }
            if len(rows) > len(bad):
                database.ledger.load(table, len(rows) - len(bad))
                yield target, columns


def _converted(name: str, values: Sequence[Any]) -> tuple[list[Any], list[int]]:
    """Values as the column of the warehouse needs them, and the places of those that are of another type."""
    if name in _TEXT:
        return [decoded(v) if v is not None or name not in _REQUIRED_TEXT else "" for v in values], []
    convert = integer if name == "device_id" else real
    found = [convert(value) for value in values]
    return found, [place for place, value in enumerate(found) if value is None and values[place] is not None]


def overlap(database: OfficialDatabase) -> Iterator[pa.RecordBatch]:
    """`reference_overlap` batches in time order."""
    table = "OVERLAP_ANALYSIS"
    if database.has(table) and not database.has("ENUM_OVERLAP_ANALYSIS_TYPE"):
        # the format had no such table then: a viewer added it, by a rule of its own
        records = database.ledger.tables[table].records
        database.ledger.reject(table, records, "unknown-table", "was added by another tool", severity=INFO)
    elif database.has(table):
        valid = f"""{are_integers("deviceId", "type")} AND {database.is_slice(table)}
            AND typeof(startNs) IN ('integer', 'real') AND typeof(endNs) IN ('integer', 'real')"""
        yield from database.counted(
            "reference_overlap",
            table,
            f"""SELECT deviceId, type, CAST(startNs AS INTEGER), CAST(endNs AS INTEGER) FROM {table}
                WHERE {valid} ORDER BY 3, 4 DESC""",
            valid,
            ("time-order", f"lacks its device or kind, {OUT_OF_TIME}"),
        )
