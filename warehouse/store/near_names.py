"""Names that somebody may have meant: for a view, table or column that is not there."""

from __future__ import annotations

import re
from pathlib import Path

from warehouse.store.registry import did_you_mean, views
from warehouse.store.table_list import TABLES

_MISSING = re.compile(r"no such (table|column): (.+)")


def near_names(complaint: str, statement: str, path: Path | None = None) -> str:
    """A question to put behind what SQLite says of a statement; columns are those of the views and tables it names.
    `path`: the warehouse that was asked.

    >>> near_names("no such column: k.total_nss", "SELECT k.total_nss FROM kernel_time AS k")
    '; did you mean total_ns?'
    """
    found = _MISSING.match(complaint)
    if found is None:
        return ""
    name = found[2].rpartition(".")[2].strip('"`[]')
    if found[1] == "table":
        if name.lower() in views():
            return f"; that view should be there: `npuwh upgrade {path or 'W.db'}` makes it anew"
        return did_you_mean(name, [*views(), *TABLES])
    words = set(re.findall(r"\w+", statement.lower()))
    columns = [column.name for view in views().values() if view.name in words for column in view.columns]
    columns += [column for table in TABLES.values() if table.name in words for column in table.column_names]
    near = did_you_mean(name, columns)
    named = sorted(words & (views().keys() | TABLES.keys()))
    if not near and len(named) == 1:
        return f"; `npuwh views {path or 'W.db'} {named[0]}` lists the columns"
    return near
