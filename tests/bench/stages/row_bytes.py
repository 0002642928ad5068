"""Bytes a row of the tables of events, and of all their indexes, in a large file.

Pages of each tree are counted by SQLite's dbstat.  `rows` are device tasks.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing

from tests.bench.frame import Bench, Figure
from warehouse import store

ROWS = 300_000
STATED_ROWS = 300_000
TABLES = ("op", "api_call", "device_task")
BESIDE = ("op_work", "busy_interval")


def run(bench: Bench) -> Iterator[Figure]:
    """Two figures a table."""
    with closing(store.open_read(bench.task_warehouse(bench.rows))) as connection:
        try:
            pages = dict(connection.execute("SELECT name, sum(pgsize) FROM dbstat GROUP BY name"))
        except sqlite3.OperationalError:
            bench.say("this SQLite has no dbstat: no sizes")
            return
        for table in TABLES + BESIDE:
            rows = connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0]
            names = [
                name
                for (name,) in connection.execute(
                    "SELECT name FROM sqlite_master WHERE type = 'index' AND tbl_name = ?", [table]
                )
            ]
            asked = [(60, 45), (50, 30)] if table in TABLES else [(None, None)] * 2
            yield bench.figure(table, pages[table] / rows, "B/row", *asked[0], f"{rows:,} rows")
            of_indexes = sum(pages[name] for name in names)
            yield bench.figure(f"  its {len(names)} indexes", of_indexes / rows, "B/row", *asked[1])
