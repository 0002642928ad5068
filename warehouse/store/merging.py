"""Rows of a file beside a warehouse into it: SQLite moves them from table to table, and finds strings and kernels by
what they are."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

from warehouse.store.references import FIXED, references, sum_keys
from warehouse.store.table_list import TABLES

# temporary tables of ids there (`id`) and in the warehouse (`now`)
_MAPS = {"string": "string_now", "kernel": "kernel_now"}


def merge(connection: sqlite3.Connection, added: Path, last_ids: Mapping[str, int]) -> None:
    """Move everything in the file `added` into the warehouse of the connection, which is in a transaction.

    `last_ids`: of each table what its largest id is without them.  Ids there are higher, or were given to rows that
    have none of their own; those of strings and kernels count from 1.
    """
    connection.execute("ATTACH ? AS added", [f"file:{quote(str(added))}?mode=ro&immutable=1"])
    _take_strings(connection)
    _take_kernels(connection)
    for table in TABLES:
        if table not in _MAPS and table not in FIXED:
            _take_rows(connection, table, last_ids.get(table, 0))


def _take_strings(connection: sqlite3.Connection) -> None:
    execute = connection.execute
    execute("CREATE TEMP TABLE string_now (id INTEGER PRIMARY KEY, now INTEGER NOT NULL) STRICT")
    execute("CREATE TEMP TABLE new_string (place INTEGER PRIMARY KEY, id INTEGER NOT NULL) STRICT")
    execute(
        """INSERT INTO temp.string_now (id, now)
           SELECT s.id, o.id FROM added.string s CROSS JOIN main.string o WHERE o.value = s.value"""
    )
    execute(
        """INSERT INTO temp.new_string (id)
           SELECT s.id FROM added.string s WHERE s.id NOT IN (SELECT id FROM temp.string_now) ORDER BY s.id"""
    )
    (last,) = execute("SELECT coalesce(max(id), 0) FROM main.string").fetchone()
    execute(
        """INSERT INTO main.string (id, value)
           SELECT n.place + ?, s.value FROM temp.new_string n JOIN added.string s ON s.id = n.id ORDER BY n.place""",
        [last],
    )
    execute("INSERT INTO temp.string_now (id, now) SELECT id, place + ? FROM temp.new_string", [last])


def _take_kernels(connection: sqlite3.Connection) -> None:
    execute = connection.execute
    contents = [column for column in TABLES["kernel"].column_names if column != "id"]
    names = ", ".join(contents)
    moved = ", ".join(f"{_moved(connection, 'kernel', column)} AS {column}" for column in contents)
    same = " AND ".join(f"o.{column} IS n.{column}" for column in contents)
    execute(f"CREATE TEMP TABLE new_kernel AS SELECT id, {moved} FROM added.kernel a ORDER BY id")
    execute(f"CREATE TEMP TABLE old_kernel AS SELECT id, {names} FROM main.kernel")
    execute(f"CREATE INDEX temp.old_kernel_content ON old_kernel ({names})")
    execute("CREATE TEMP TABLE kernel_now (id INTEGER PRIMARY KEY, now INTEGER NOT NULL) STRICT")
    execute(
        f"""INSERT OR IGNORE INTO temp.kernel_now (id, now) SELECT n.id, o.id
            FROM temp.new_kernel n CROSS JOIN temp.old_kernel o INDEXED BY old_kernel_content WHERE {same}"""
    )
    execute("DELETE FROM temp.new_kernel WHERE id IN (SELECT id FROM temp.kernel_now)")
    (last,) = execute("SELECT coalesce(max(id), 0) FROM main.kernel").fetchone()
    number = "? + row_number() OVER (ORDER BY id)"
    execute(f"INSERT INTO temp.kernel_now (id, now) SELECT id, {number} FROM temp.new_kernel", [last])
    execute(
        f"""INSERT INTO main.kernel (id, {names})
            SELECT k.now, {names} FROM temp.new_kernel n JOIN temp.kernel_now k ON k.id = n.id ORDER BY k.now"""
    )


def _take_rows(connection: sqlite3.Connection, table: str, last_id: int) -> None:
    columns = TABLES[table].column_names
    where = ""
    if "id" in columns:
        if table in ("run", "rank"):  # those of the warehouse stand there too, for loading to read
            where = f"WHERE id > {last_id}"
        elif (connection.execute(f"SELECT min(id) FROM added.{table}").fetchone()[0] or 0) <= last_id:
            columns = [column for column in columns if column != "id"]
    moved = {column: _moved(connection, table, column) for column in columns}
    order = ", ".join(["rank_id", *(moved[key] for key in sum_keys(table))] if sum_keys(table) else ["rowid"])
    connection.execute(
        f"INSERT INTO main.{table} ({', '.join(columns)}) "
        f"SELECT {', '.join(moved.values())} FROM added.{table} a {where} ORDER BY {order}"
    )


def _moved(connection: sqlite3.Connection, table: str, column: str) -> str:
    """What a column's value becomes: 0 and NULL are no ids and stay."""
    ids = _MAPS.get(references(table).get(column, ""))
    if ids is None or not connection.execute(f"SELECT 1 FROM temp.{ids} WHERE id <> now LIMIT 1").fetchone():
        return f"a.{column}"
    return f"coalesce((SELECT now FROM temp.{ids} WHERE id = a.{column}), a.{column})"
