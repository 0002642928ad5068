"""A CSV file from a view: its columns in their order, each in the format the view's header names."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import IO

from warehouse import store
from warehouse._native import RowWriter
from warehouse.export.native_rows import runs
from warehouse.export.row_section import RowSection, Terms, written_columns
from warehouse.export.selection import ChosenRank, rows_of
from warehouse.export.source import ExportSource
from warehouse.store import ViewColumn

_ROWS = 4096  # fetched and formatted at a time


def write_csv(source: ExportSource, rank: ChosenRank, path: Path, view: str) -> int:
    """Write the view's rows for that rank to `path`; returns how many there were (0: the file is not worth keeping).

    Format: deliverables.md section 0.1.  Columns marked [key] are not written; of the [optional] ones those are that
    the rank has (`<view>_column` lists them, else a chosen row must have it).

    >>> write_csv(source, rank, Path("op_statistic.csv"), "export_op_statistic")  # doctest: +SKIP
    13
    """
    columns = _written(source.connection, rank, view)
    sections = [RowSection(view, rank, columns, "csv", part) for part in _by_device(source.connection, rank, view)]
    return source.written(lambda way: _write(way, sections, path))


def _write(source: ExportSource, sections: list[RowSection], path: Path) -> int:
    count = 0
    with path.open("wb") as file:
        file.write(RowWriter(sections[0].kinds, sections[0].columns).csv_header())
        for native, together in runs(source.native, sections):
            if native is not None:
                file.flush()
                count += sum(native.write(together, file.fileno()).rows)
            else:
                count += sum(_write_by_cursor(source.connection, section, file) for section in together)
    return count


def _write_by_cursor(connection: sqlite3.Connection, section: RowSection, file: IO[bytes]) -> int:
    writer = RowWriter(section.kinds, section.columns)
    count = 0
    with rows_of(connection, section.view, section.rank, section.columns, section.where) as cursor:
        while rows := cursor.fetchmany(_ROWS):
            file.write(writer.csv(rows))
            count += len(rows)
    return count


def _written(connection: sqlite3.Connection, rank: ChosenRank, view: str) -> tuple[str, ...]:
    columns = {name: store.view(view).column(name) for name in written_columns(view)}
    if not any(column.is_optional for column in columns.values()):
        return tuple(columns)
    listing = f"{view}_column"
    if listing in store.views():
        query = store.select(listing, ["column_name"], [("rank_id", "=", rank.id)])
        present = {name for (name,) in connection.execute(*query)}
    else:
        present = {
            name for name, column in columns.items() if column.is_optional and _is_there(connection, rank, view, column)
        }
    return tuple(name for name, column in columns.items() if not column.is_optional or name in present)


def _is_there(connection: sqlite3.Connection, rank: ChosenRank, view: str, column: ViewColumn) -> bool:
    with rows_of(connection, view, rank, [column.name], [(column.name, "<>", None)], limit=1) as cursor:
        return cursor.fetchone() is not None


def _by_device(connection: sqlite3.Connection, rank: ChosenRank, view: str) -> list[Terms]:
    """Conditions that take the rows device by device, as the vendor orders them, where a rank has several; rows of none
    of them come last.

    A view in order of time alone streams from its index; ordered by device first it would have to be sorted whole.
    """
    query = store.select("device", ["device_id"], [("rank_id", "=", rank.id)], order=["device_id"])
    devices = [device for (device,) in connection.execute(*query)]
    # where Device_id is a text it is the word host
    if len(devices) < 2 or ("Device_id", "int") not in {(each.name, each.unit) for each in store.view(view).columns}:
        return [()]
    of_others = tuple(("Device_id", "<>", device) for device in devices)
    return [*((("Device_id", "=", device),) for device in devices), of_others, (("Device_id", "=", None),)]
