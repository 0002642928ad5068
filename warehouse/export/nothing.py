"""Why an export has nothing to write, in words for the one who asked for it."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import PurePosixPath

from warehouse import store
from warehouse.export.selection import ChosenRank, Selection, listed

_NAMED = 3  # files that are named, more are counted


def why_nothing(
    connection: sqlite3.Connection, ranks: Sequence[ChosenRank], selection: Selection, files: Sequence[str]
) -> str:
    """The reason why none of `files` (names below the output directory) has rows for those ranks.

    Most telling first: the ranks hold no events at all; they hold some, but elsewhere in time; they hold none of the
    kind.

    >>> why_nothing(connection, ranks, Selection(to_ns=2), ["a/trace_view.json"])  # doctest: +SKIP
    'trace_view.json would have no rows in the window to 2; the records chosen from lie from 17... to 17...'
    """
    chosen = [("rank_id", "in", [rank.id for rank in ranks])]
    columns = ["min_start_ns", "max_end_ns"]
    extents = connection.execute(*store.select("event_extent", columns, chosen)).fetchall()
    if not extents:
        return _no_events(connection, ranks)
    text = _would_be_empty(files)
    if selection.step is not None:
        text += f" in step {listed(selection.step)}"
    if selection.from_ns is not None or selection.to_ns is not None:
        first, last = min(first for first, _ in extents), max(last for _, last in extents)
        text += f" in the window{_bounds(selection)}; the records chosen from lie from {first} to {last}"
    return text


def _no_events(connection: sqlite3.Connection, ranks: Sequence[ChosenRank]) -> str:
    query = store.select("rank", ["input_kind"], [("id", "in", [rank.id for rank in ranks])])
    kinds = sorted({kind for (kind,) in connection.execute(*query)})
    who = "the chosen rank holds" if len(ranks) == 1 else f"the {len(ranks)} chosen ranks hold"
    return (
        f"{who} no events (ingested: {', '.join(kinds)}); ingest the profiler's own database, "
        "ascend_pytorch_profiler_*.db or msprof_*.db, too"
    )


def _would_be_empty(files: Sequence[str]) -> str:
    names = sorted({PurePosixPath(file).name for file in files})
    if len(names) > _NAMED:
        return f"none of the {len(files)} files asked for would have rows"
    return f"{', '.join(names)} would have no rows"


def _bounds(selection: Selection) -> str:
    start = "" if selection.from_ns is None else f" from {selection.from_ns}"
    return start if selection.to_ns is None else f"{start} to {selection.to_ns}"
