"""Write one official database, rows streamed: memory does not grow with the number of rows."""

from __future__ import annotations

import sqlite3
from collections import defaultdict
from pathlib import Path
from types import TracebackType
from typing import Any

from warehouse.sample import layout

_TYPES = {"": "INTEGER", "t": "TEXT", "n": "NUMERIC", "r": "REAL"}
_ROWS_AT_ONCE = 20_000

# first id of the three string ranges (ascend-db.md 2.1)
CANN, FRAMEWORK, MEMORY = 0, 1 << 28, 2 << 28


class OfficialFile:
    """A database under construction; a table exists once it has rows, as in the real ones.

    Example: `with OfficialFile(path, layout.tables("1.2.0")) as file: file.add("STEP_TIME", (1, 10, 20))`
    """

    def __init__(self, path: Path, tables: dict[str, str], enums: dict[str, dict[int, str]] | None = None) -> None:
        self._tables = tables
        self._rows: defaultdict[str, list[tuple[Any, ...]]] = defaultdict(list)
        self._created: set[str] = set()
        self._strings: dict[tuple[int, str], int] = {}
        self._next_string = {CANN: CANN, FRAMEWORK: FRAMEWORK, MEMORY: MEMORY}
        self._database = sqlite3.connect(path)
        self._database.execute("PRAGMA journal_mode = OFF")
        self._database.execute("PRAGMA synchronous = OFF")
        self.row_count = 0
        for name, members in (enums or {}).items():
            self._tables = self._tables | {name: "id! name:t"}
            for member in members.items():
                self.add(name, member)

    def add(self, table: str, row: tuple[Any, ...]) -> None:
        """Append one row, values in the table's column order."""
        rows = self._rows[table]
        rows.append(row)
        if len(rows) >= _ROWS_AT_ONCE:
            self._flush(table)

    def extend(self, table: str, rows: list[tuple[Any, ...]]) -> None:
        """Append many rows."""
        self._rows[table].extend(rows)
        if len(self._rows[table]) >= _ROWS_AT_ONCE:
            self._flush(table)

    def string(self, value: str, space: int = CANN) -> int:
        """Id of a text that repeats; remembered."""
        key = (space, value)
        found = self._strings.get(key)
        if found is None:
            found = self._strings[key] = self.unique_string(value, space)
        return found

    def unique_string(self, value: str, space: int = CANN) -> int:
        """Id of a text that occurs once; not remembered, so that a long run needs no more memory."""
        found = self._next_string[space]
        self._next_string[space] = found + 1
        self.add("STRING_IDS", (found, value))
        return found

    def close(self) -> None:
        """Write what is buffered and the indexes."""
        for table in list(self._rows):
            self._flush(table)
        for name, (table, columns) in layout.INDEXES.items():
            if table in self._created:
                self._database.execute(f"CREATE INDEX {name} ON {table} ({columns})")
        self._database.commit()
        self._database.close()

    def __enter__(self) -> OfficialFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._database.close()

    def _flush(self, table: str) -> None:
        rows = self._rows.pop(table, [])
        if not rows:
            return
        columns = self._tables[table].split()
        if table not in self._created:
            declared = ", ".join(map(_declaration, columns))
            self._database.execute(f"CREATE TABLE {table} ({declared})")
            self._created.add(table)
        self._database.executemany(f"INSERT INTO {table} VALUES ({', '.join('?' * len(columns))})", rows)
        self.row_count += len(rows)


def _declaration(column: str) -> str:
    name, _, kind = column.rstrip("!").partition(":")
    return f"{name} {_TYPES[kind]}" + (" PRIMARY KEY" if column.endswith("!") else "")
