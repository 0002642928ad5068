"""Events of a Chrome trace from views: one JSON object a row, streamed, in the columns and formats the headers name."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from warehouse import store
from warehouse._native import RowWriter
from warehouse.export.selection import ChosenRank, rows_of
from warehouse.store import View

Row = tuple[Any, ...]

_ROWS = 4096  # fetched and formatted at a time


class _BinaryFile(Protocol):
    def write(self, data: bytes, /) -> int: ...


class EventArray:
    """A JSON array of events that grows in a file; never whole in memory.

    >>> import io
    >>> file = io.BytesIO()
    >>> with EventArray(file) as events:
    ...     events.write(b'{"ph":"M"}', 1)
    ...     events.write(b'{"ph":"X"},\\n{"ph":"X"}', 2)
    >>> file.getvalue()
    b'[\\n{"ph":"M"},\\n{"ph":"X"},\\n{"ph":"X"}\\n]'
    """

    def __init__(self, file: _BinaryFile) -> None:
        self._file = file
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


def event_writer(view: View) -> tuple[list[str], RowWriter]:
    """Names of the columns that are written, and the writer of their formats; [key] columns only filter and order."""
    columns = [column for column in view.columns if not column.is_key]
    names = [column.name for column in columns]
    return names, RowWriter([column.unit for column in columns], names)


def chunks(cursor: sqlite3.Cursor) -> Iterator[list[Row]]:
    """The rows of a cursor, some thousand at a time."""
    while rows := cursor.fetchmany(_ROWS):
        yield rows


def write_view(
    events: EventArray,
    connection: sqlite3.Connection,
    rank: ChosenRank,
    name: str,
    where: Sequence[tuple[str, str, Any]] = (),
) -> int:
    """Write each chosen row of a view as an event; returns how many there were."""
    names, writer = event_writer(store.view(name))
    before = events.count
    with rows_of(connection, name, rank, names, where) as cursor:
        for rows in chunks(cursor):
            events.write(writer.json_events(rows), len(rows))
    return events.count - before


def peer_is_chosen(view: str, rank: ChosenRank) -> list[tuple[str, str, Any]]:
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
    return terms
