"""Events of a Chrome trace: a JSON array that grows in a file, natively where that is possible, else row by row."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from typing import IO, Any

from warehouse import store
from warehouse._native import RowWriter
from warehouse.export.native_rows import Lanes, NativeResult, NativeRows
from warehouse.export.row_section import RowSection, Terms
from warehouse.export.selection import ChosenRank, rows_of

Row = tuple[Any, ...]

_KINDS = (0, 1, 2, 3)  # of busy_interval
_ROWS = 4096  # fetched and formatted at a time


class EventArray:
    """A JSON array of events that grows in a file; never whole in memory.

    `is_packed`: the file compresses what it is given, so that its descriptor is not to be written to.

    >>> import io
    >>> file = io.BytesIO()
    >>> with EventArray(file) as events:
    ...     events.write(b'{"ph":"M"}', 1)
    ...     events.write(b'{"ph":"X"},\\n{"ph":"X"}', 2)
    >>> file.getvalue()
    b'[\\n{"ph":"M"},\\n{"ph":"X"},\\n{"ph":"X"}\\n]'
    """

    def __init__(self, file: IO[bytes], is_packed: bool = False) -> None:
        self._file = file
        self._is_packed = is_packed
        self._before = b"[\n"
        self.count = 0

    def __enter__(self) -> EventArray:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.write(b"\n]" if self.count else b"[]")

    def write(self, objects: bytes, count: int) -> None:
        """Append `count` objects that are joined by commas already."""
        if count:
            self._file.write(self._before)
            self._file.write(objects)
            self._before = b",\n"
            self.count += count

    def write_natively(
        self, native: NativeRows, sections: Sequence[RowSection], lanes: Lanes | None = None
    ) -> NativeResult:
        """Append the events of sections, as `NativeRows.write`."""
        target: int | Callable[[bytes], object] = self._file.write
        if not self._is_packed:
            self._file.flush()
            target = self._file.fileno()
        result = native.write(sections, target, is_first=not self.count, lanes=lanes)
        self.count += sum(result.rows)
        self._before = b",\n" if self.count else self._before
        return result


def event_writer(section: RowSection) -> RowWriter:
    """The writer of a section's columns in their formats."""
    return RowWriter(section.kinds, section.columns)


def chunks(cursor: sqlite3.Cursor) -> Iterator[list[Row]]:
    """The rows of a cursor, some thousand at a time."""
    while rows := cursor.fetchmany(_ROWS):
        yield rows


def write_by_cursor(events: EventArray, connection: sqlite3.Connection, section: RowSection) -> int:
    """Write each row of a section of events; returns how many there were."""
    writer = event_writer(section)
    before = events.count
    with rows_of(connection, section.view, section.rank, section.columns, section.where) as cursor:
        for rows in chunks(cursor):
            events.write(writer.json_events(rows), len(rows))
    return events.count - before


def interval_parts(connection: sqlite3.Connection, view: str, rank: ChosenRank) -> list[Terms]:
    """Conditions that take the rows of a view of busy intervals device by device and kind by kind, as its index has
    them; no condition for another view.
    """
    if not {"device_id", "kind"}.issubset(column.name for column in store.view(view).columns if column.is_key):
        return [()]
    query = store.select("device", ["device_id"], [("rank_id", "=", rank.id)], order=["device_id"])
    devices = [device for (device,) in connection.execute(*query)]
    return [(("device_id", "=", device), ("kind", "=", kind)) for device in devices for kind in _KINDS]


def peer_is_chosen(view: str, rank: ChosenRank) -> Terms:
    """Conditions on the other end of a flow, like those that `rows_of` puts on the row's own end."""
    terms: list[tuple[str, str, Any]] = []
    from_ns, to_ns = rank.from_ns, rank.to_ns
    if rank.step_ids is not None:
        if "peer_step_id" in {column.name for column in store.view(view).columns}:
            terms.append(("peer_step_id", "in", rank.step_ids))
        else:
            from_ns, to_ns = max(from_ns or 0, rank.step_from_ns), min(to_ns or rank.step_to_ns, rank.step_to_ns)
    if to_ns is not None:
        terms.append(("peer_start_ns", "<", to_ns))
    if from_ns is not None:
        terms.append(("peer_until_ns", ">", from_ns))
    return tuple(terms)
