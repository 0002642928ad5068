"""A view over a part of what it reads: temporary views that stand before those of the file.

A view that sums cannot be narrowed from outside.  So, in the temporary schema of one connection, the rows it starts
from get a narrower view under the same name, and the views in between are made again from the same text: SQLite looks a
name up in the temporary schema first.  One SQL text thus answers for a whole warehouse and for a window of it.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from warehouse.store.registry import views
from warehouse.store.select import Window, quoted, select


@contextmanager
def narrowed(
    connection: sqlite3.Connection,
    target: str,
    source: str,
    where: Sequence[tuple[str, str, Any]],
    window: Window | None = None,
) -> Iterator[None]:
    """While the block runs, the view `target` sees only the rows of `source` (a table or view) that the conditions
    allow.

    The connection must allow temporary views (`open_read(..., query_only=False)`); conditions as for `select`, integers
    only.

    >>> with narrowed(connection, "export_op_statistic", "device_task", [("rank_id", "=", 1)]):  # doctest: +SKIP
    ...     connection.execute("SELECT * FROM export_op_statistic")
    """
    made: list[str] = []
    try:
        text, values = select(source, where=where, window=window)
        body = text.replace(f"FROM {quoted(source)}", f"FROM main.{quoted(source)}", 1)
        connection.execute(f"CREATE TEMP VIEW {quoted(source)} AS {_with_literals(body, values)}")
        made.append(source)
        for name in _between(source, target):
            connection.execute(views()[name].text.replace("CREATE VIEW", "CREATE TEMP VIEW", 1))
            made.append(name)
        yield
    finally:
        for name in reversed(made):
            connection.execute(f"DROP VIEW temp.{quoted(name)}")


def _between(source: str, target: str) -> Iterable[str]:
    """The views that read `source`, themselves or through others, and that `target` needs; in order of use."""
    needed = {target}
    for name, view in reversed(views().items()):
        if name in needed:
            needed.update(view.uses)
    reading = {source}
    for name, view in views().items():
        if name != source and reading.intersection(view.uses):
            reading.add(name)
            if name in needed:
                yield name


def _with_literals(text: str, values: Iterable[int]) -> str:
    """CREATE VIEW cannot bind values, so the integers stand in its text."""
    parts = text.split("?")
    return "".join(
        part + literal for part, literal in zip(parts, [*(str(int(value)) for value in values), ""], strict=True)
    )
