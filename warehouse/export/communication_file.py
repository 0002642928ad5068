"""communication.json and communication_matrix.json: rows of the views, nested, written operator by operator."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import IO, Any

from warehouse.export.selection import ChosenRank, rows_of
from warehouse.export.source import ExportSource

Row = dict[str, Any]
TYPES = ("p2p", "collective")
TRANSPORTS = ("RDMA", "HCCS", "PCIE", "SDMA", "SIO")
_START = "Start Timestamp(us)"
_TIMES = (
    "Elapse Time(ms)",
    "Transit Time(ms)",
    "Wait Time(ms)",
    "Synchronization Time(ms)",
    "Idle Time(ms)",
    "Wait Time Ratio",
    "Synchronization Time Ratio",
)
_LINK = ("Transport Type", "Transit Size(MB)", "Transit Time(ms)", "Bandwidth(GB/s)", "Op Name")


def write_communication(source: ExportSource, rank: ChosenRank, path: Path) -> int:
    """Write communication.json for that rank to `path`; returns the number of operators and totals in it.

    Nested as step > type > operator@group > times and bandwidths (deliverables.md section 11).

    >>> write_communication(source, rank, Path("communication.json"))  # doctest: +SKIP
    12
    """
    return _write(source.connection, rank, path, "export_communication", _operator)


def write_communication_matrix(source: ExportSource, rank: ChosenRank, path: Path) -> int:
    """Write communication_matrix.json for that rank to `path`; returns the number of kinds, places and groups in it.

    Nested as step > type > kind-place@group > source-destination (deliverables.md section 11).
    """
    return _write(source.connection, rank, path, "export_communication_matrix", _links)


def _write(
    connection: sqlite3.Connection, rank: ChosenRank, path: Path, view: str, text_of: Callable[[list[Row]], str]
) -> int:
    """`text_of` makes the JSON text of one op_key of its rows."""
    count = 0
    with rows_of(connection, view, rank) as cursor, path.open("w", encoding="utf-8") as file:
        names = [column[0] for column in cursor.description]
        rows = (dict(zip(names, row, strict=True)) for row in cursor)
        file.write("{")
        for number, (step, of_step) in enumerate(groupby(rows, itemgetter("step_name"))):
            file.write((", " if number else "") + json.dumps(step) + ": {")
            count += _write_step(file, of_step, text_of)
            file.write("}")
        file.write("}")
    return count


def _write_step(file: IO[str], rows: Iterator[Row], text_of: Callable[[list[Row]], str]) -> int:
    """Both types of a step, also the one without operators; the rows come type by type in the order of TYPES."""
    count, missing = 0, list(TYPES)
    for kind, of_kind in groupby(rows, itemgetter("type")):
        while missing[0] != kind:
            file.write(f"{json.dumps(missing.pop(0))}: {{}}, ")
        file.write(json.dumps(missing.pop(0)) + ": {")
        for number, (key, of_key) in enumerate(groupby(of_kind, itemgetter("op_key"))):
            file.write((", " if number else "") + f"{json.dumps(key)}: {text_of(list(of_key))}")
            count += 1
        file.write("}" + (", " if missing else ""))
    file.write(", ".join(f"{json.dumps(kind)}: {{}}" for kind in missing))
    return count


def _operator(rows: list[Row]) -> str:
    times = json.dumps({name: rows[0][name] for name in _TIMES})
    start = rows[0][_START]
    if start is not None:  # as text: a double is 0.25 us coarse there
        times = f"{{{json.dumps(_START)}: {start}, {times[1:]}"
    bandwidths = {
        name: _transport([row for row in rows if row["transport"] == name], is_total=start is None)
        for name in TRANSPORTS
    }
    return f'{{"Communication Time Info": {times}, "Communication Bandwidth Info": {json.dumps(bandwidths)}}}'


def _transport(rows: list[Row], is_total: bool) -> Row:
    """What was moved over one transport; zeros without rows."""
    first = rows[0] if rows else {}
    entry = {"Transit Size(MB)": first.get("Transit Size(MB)", 0), "Transit Time(ms)": first.get("transport_time", 0)}
    if not is_total:
        entry |= {name: first.get(name, 0) for name in ("Bandwidth(GB/s)", "Large Packet Ratio")}
    packets = [row for row in rows if row["packet_size"] is not None]
    return entry | {
        "Size Distribution": {str(row["packet_size"]): [row["packet_number"], row["packet_time"]] for row in packets}
    }


def _links(rows: Iterable[Row]) -> str:
    return json.dumps({row["link"]: {name: row[name] for name in _LINK if row[name] is not None} for row in rows})
