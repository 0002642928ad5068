"""Which columns hold ids, and of what: read from what the columns mean (column_meanings.py)."""

from __future__ import annotations

import re
from functools import cache

from warehouse.store.table_list import TABLES

STACKS = "stack_frame"  # its numbers of stacks are no ids of its rows, but are moved like ids
FIXED = ("link_rule",)  # filled by revisions: the same ids in every file
_TARGET = re.compile(r"(\w+)\.(?:id|stack_id)\b")


@cache
def references(table: str) -> dict[str, str]:
    """Columns of the table that hold ids, each with the table that they are ids of; `id` is one of them.

    >>> references("queue_task")["enqueue_name_id"], references("op")["parent_id"], references("op")["stack_id"]
    ('string', 'op', 'stack_frame')
    >>> "device_id" in references("rank"), "link_rule_id" in references("device_task")
    (False, False)
    """
    found = {}
    for column in TABLES[table].columns:
        target = _target(table, column.name, column.meaning)
        if target is not None and target not in FIXED:
            found[column.name] = target
    return found


def _target(table: str, name: str, meaning: str) -> str | None:
    if name == "stack_id":
        return STACKS
    if name != "id" and not name.endswith("_id"):
        return None
    stated = _TARGET.match(meaning)
    if stated is not None and stated[1] in TABLES:
        return stated[1]
    return table if name in ("id", "parent_id") else None


@cache
def sum_keys(table: str) -> tuple[str, ...]:
    """Columns that a row of a table of sums is for, in whose order its rows stand; none for other tables.

    >>> sum_keys("api_total"), sum_keys("op")
    (('level_id', 'name_id'), ())
    """
    if not table.endswith("_total"):
        return ()
    names = TABLES[table].column_names
    return tuple(name for name in names[1:] if not name.endswith(("_count", "_ns")))
