"""Random schemas with rows, and the two ways to a file: the bulk writer and Python's sqlite3."""

from __future__ import annotations

import math
import os
import sqlite3
import tempfile
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa
from hypothesis import strategies as st

from warehouse import _native

PAGE_SIZES = (512, 1024, 4096, 16384, 32768)
EDGES = [0, 1, -1, 2, 127, 128, -128, -129, 32767, 32768, 8388607, 8388608, -8388609, 2**31 - 1, 2**31, 2**47 - 1]
EDGES += [2**47, -(2**47) - 1, 2**53 + 1, 2**63 - 1, -(2**63), 1_700_000_000_000_000_000]
REALS = [0.0, -0.0, 1.0, -1.0, 0.5, 1e300, -1e-300, 5e-324, math.nan, math.inf, -math.inf, 2.0**53, 2.0**63]
REALS += [-(2.0**63), 140737488355327.0, 140737488355328.0, 9007199254740993.0]

integers = st.one_of(st.integers(-3, 3), st.sampled_from(EDGES), st.integers(-(2**63), 2**63 - 1))
reals = st.one_of(st.sampled_from(REALS), st.floats(), st.integers(-5, 5).map(float))
few_texts = st.sampled_from(["", "a", "b", "A", "ab", "a\0b", "é", "\U0001f600", "0", "1.5"])
short_texts = st.one_of(few_texts, st.text(max_size=8))
long_texts = st.builds(lambda piece, times: piece * times, st.sampled_from(["x", "yz", "é"]), st.integers(100, 40_000))
texts = st.one_of(short_texts, short_texts, short_texts, long_texts)
blobs = st.one_of(st.binary(max_size=6), st.builds(bytes, st.integers(100, 40_000)))

# Arrow type and values of each kind of column, by the declared types that take it without a conversion of text
KINDS = {
    "integer": (
        pa.int64(),
        integers,
        ["INTEGER", "INT", "REAL", "ANY", "", "NUMERIC", "TEXT", "VARCHAR(9)", "DECIMAL(10, 2)"],
    ),
    "real": (pa.float64(), reals, ["REAL", "ANY", "", "NUMERIC", "BIGINT", "DOUBLE PRECISION"]),
    "text": (pa.large_string(), texts, ["TEXT", "ANY", "", "VARCHAR(9)"]),
    "blob": (pa.large_binary(), blobs, ["BLOB", "ANY", "", "NUMERIC", "CLOB"]),
}
STRICT_TYPES = ("INTEGER", "INT", "REAL", "TEXT", "BLOB", "ANY")


@dataclass(repr=False)
class Table:
    """A table: its columns as (name, declared type, NOT NULL), and batches of rows, each with its kinds."""

    name: str
    columns: list[tuple[str, str, bool]]
    is_strict: bool
    key: str  # "", "rowid" (the first column is INTEGER PRIMARY KEY), "unordered" (the same, in any order)
    indexes: list[tuple[str, list[int], bool]]
    constraints: list[list[int]]
    defaults: dict[str, int] = field(default_factory=dict)
    batches: list[list[tuple[str, list[Any]]]] = field(default_factory=list)

    def statements(self) -> list[str]:
        columns = []
        for place, (name, kind, required) in enumerate(self.columns):
            is_key = place == 0 and self.key
            column = f'"{name}" {kind}{" PRIMARY KEY" if is_key else ""}{" NOT NULL" if required else ""}'
            columns.append(column + (f" DEFAULT {self.defaults[name]}" if name in self.defaults else ""))
        columns += [f"UNIQUE ({self._names(key)})" for key in self.constraints]
        table = f'CREATE TABLE "{self.name}" ({", ".join(columns)}){" STRICT" if self.is_strict else ""}'
        return [table] + [
            f'CREATE {"UNIQUE " if unique else ""}INDEX "{name}" ON "{self.name}" ({self._names(key)})'
            for name, key, unique in self.indexes
        ]

    def __repr__(self) -> str:
        batches = [[(kind, list(map(_short, values[:20]))) for kind, values in batch] for batch in self.batches[:5]]
        return f"<{self.statements()} {batches}>"

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(repr(self))  # what hypothesis shows

    def _names(self, places: list[int]) -> str:
        return ", ".join(f'"{self.columns[place][0]}"' for place in places)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) < 40 else f"{text[:10]}... of {len(value)}"


@st.composite
def tables(draw: st.DrawFn, name: str = "t", most_rows: int = 60, most_columns: int = 6) -> Table:
    is_strict = draw(st.booleans())
    key = draw(st.sampled_from(["", "", "rowid", "unordered"]))
    columns: list[tuple[str, str, bool]] = [("id", "INTEGER", False)] if key else []
    kinds_of: list[list[str]] = [["integer"]] if key else []
    for place in range(draw(st.integers(1, most_columns))):
        kind = draw(st.sampled_from(list(KINDS)))
        # outside STRICT tables ANY is a numeric type, and text would be converted
        fits = [each for each in KINDS[kind][2] if each in STRICT_TYPES or not is_strict]
        declared_type = draw(st.sampled_from([each for each in fits if is_strict or (kind, each) != ("text", "ANY")]))
        takes_all = declared_type == ("ANY" if is_strict else "")
        same = [each for each in KINDS if takes_all and declared_type in KINDS[each][2]]
        columns.append((f"c{place}", declared_type, draw(st.integers(0, 4)) == 0))
        kinds_of.append(draw(st.sampled_from([[kind], [kind], same or [kind]])))
    of_columns = st.lists(st.integers(0, len(columns) - 1), min_size=1, max_size=4, unique=True)
    of_others = st.lists(st.integers(1 if key else 0, len(columns) - 1), min_size=1, max_size=3, unique=True)
    table = Table(
        name,
        columns,
        is_strict,
        key,
        [(f"{name}_i{n}", draw(of_columns), draw(st.integers(0, 5)) == 0) for n in range(draw(st.integers(0, 3)))],
        draw(st.lists(of_others, max_size=2)) if draw(st.integers(0, 3)) == 0 else [],
    )
    if is_strict:
        numbers = [name for name, kind, _ in columns if kind in ("INTEGER", "INT") and name != "id"]
        table.defaults = {name: draw(st.sampled_from([0, 0, 1, -7, 300])) for name in numbers if draw(st.booleans())}
    rows = draw(st.sampled_from([0, 1, 2, most_rows, most_rows]))
    keys = draw(st.lists(integers, min_size=rows, max_size=rows, unique=True)) if key else []
    keys = sorted(keys) if key == "rowid" else keys
    start = 0
    while start < rows:
        count = draw(st.integers(1, rows - start))
        batch = []
        for place, ((_, _, required), kinds) in enumerate(zip(columns, kinds_of, strict=True)):
            kind = draw(st.sampled_from(kinds))
            if place == 0 and key:
                batch.append(("integer", keys[start : start + count]))
                continue
            values = KINDS[kind][1]
            if required and kind == "real":
                values = values.filter(lambda value: not math.isnan(value))
            few = draw(st.lists(values if required else st.none() | values, min_size=1, max_size=5))
            many = draw(st.booleans())
            source = (values if required else st.none() | values) if many else st.sampled_from(few)
            batch.append((kind, draw(st.lists(source, min_size=count, max_size=count))))
        table.batches.append(batch)
        start += count
    return table


def arrow_batch(table: Table, batch: list[tuple[str, list[Any]]]) -> pa.RecordBatch:
    arrays = [pa.array(values, KINDS[kind][0], from_pandas=False) for kind, values in batch]
    return pa.RecordBatch.from_arrays(arrays, [name for name, _, _ in table.columns])


def write_native(path: Path, some: list[Table], *, interleaved: bool = True, **options: Any) -> None:
    """The file as the bulk writer makes it; one batch of each table after the other, or table after table."""
    statements = [statement for table in some for statement in table.statements()]
    unordered = [table.name for table in some if table.key == "unordered"]
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o640)
    try:
        with tempfile.TemporaryFile(dir=path.parent) as spill:
            writer = _native.DatabaseWriter(handle, spill.fileno(), statements, unordered=unordered, **options)
            parts = [(place, table, batch) for table in some for place, batch in enumerate(table.batches)]
            for _, table, batch in sorted(parts, key=lambda part: part[0]) if interleaved else parts:
                writer.append(table.name, arrow_batch(table, batch))
            writer.finish()
    finally:
        os.close(handle)


def write_sqlite(path: Path, some: list[Table]) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("BEGIN")
        for table in some:
            for statement in table.statements():
                connection.execute(statement)
            for batch in table.batches:
                marks = ", ".join("?" * len(table.columns))
                rows = list(zip(*(values for _, values in batch), strict=True))
                connection.executemany(f'INSERT INTO "{table.name}" VALUES ({marks})', rows)
        connection.execute("ANALYZE")
        connection.execute("COMMIT")
