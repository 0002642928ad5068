"""How fast a database file is made: the bulk writer against executemany and adbc-driver-sqlite, in one run.

    python -m tests.bench.bulk_load [--rows N] [--repeat N] [--folder DIR]     (needs `pip install npuwh[bench]`)

Two loads.  `integers`: ten integer columns, no index.  `warehouse`: the tables op and device_task with all their
indexes and the strings of op interned, all inside the timer.  The peers are tuned: no journal, no fsync (nobody syncs
here), one transaction, pages as large as ours, indexes made after the rows, strings interned by pyarrow.  Prints the
median of several rounds, in which all take turns, and how many times faster the bulk writer is.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import statistics
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import adbc_driver_sqlite.dbapi
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.schema import CreateIndex, CreateTable

from warehouse import _native
from warehouse.store.tables import metadata

BATCH = 65_536
TUNING = tuple(
    f"PRAGMA {setting}"
    for setting in ("page_size = 16384", "journal_mode = OFF", "synchronous = OFF", "locking_mode = EXCLUSIVE")
)
TEXTS = {"name_id": "name", "shapes_id": "shapes", "dtypes_id": "dtypes"}
Parts = dict[str, pa.Table]


def statements(tables: list[str]) -> tuple[list[str], list[str]]:
    """CREATE TABLE and CREATE INDEX of some of the warehouse's tables."""
    some = [metadata.tables[name] for name in tables]
    creates = [str(CreateTable(table).compile(dialect=dialect())) for table in some]
    indexes = [index for table in some for index in sorted(table.indexes, key=lambda each: str(each.name))]
    return creates, [str(CreateIndex(index).compile(dialect=dialect())) for index in indexes]


def integers(rows: int) -> Parts:
    """Ten columns as profiles have them: times, ids, small numbers."""
    random = np.random.default_rng(1)
    start = 1_700_000_000_000_000_000 + np.cumsum(random.integers(0, 20_000, rows))
    columns = [start, start + random.integers(100, 10_000, rows), np.full(rows, 1), random.integers(1, 40, rows)]
    columns += [random.integers(1, 5_000, rows), np.arange(rows), random.integers(0, 8, rows)]
    columns += [random.integers(0, 2**31, rows), np.arange(rows) // 7, np.zeros(rows, np.int64)]
    return {"t": pa.table({f"c{place}": column for place, column in enumerate(columns)})}


def warehouse(rows: int) -> Parts:
    """op, with its texts, and device_task, as a training run has them."""
    random = np.random.default_rng(2)
    start = 1_700_000_000_000_000_000 + np.cumsum(random.integers(0, 20_000, rows))
    ids = np.arange(1, rows + 1)
    names = [f"aten::operator_{number}" for number in range(400)]
    shapes = [f"{number},{number % 7 * 128};{number},4096" for number in range(max(1, rows // 50))]
    op = {
        "id": ids, "rank_id": np.full(rows, 1), "start_ns": start, "end_ns": start + random.integers(100, 90_000, rows),
        "thread_id": random.integers(1, 4, rows), "name": _texts(random, names, rows),
        "sequence_no": _some(random, ids // 3), "forward_thread_no": np.zeros(rows, np.int64),
        "shapes": _texts(random, shapes, rows),
        "dtypes": _texts(random, ["float;float", "c10::BFloat16;c10::BFloat16", "", "long int"], rows),
        "stack_id": _some(random, ids % 5000),
        "parent_id": _some(random, np.maximum(ids - random.integers(1, 6, rows), 1)),
        "depth": random.integers(0, 6, rows), "step_id": ids // 1000 + 1, "lane": np.zeros(rows, np.int64),
    }  # fmt: skip
    shuffled = start + random.integers(0, 50_000, rows)
    shuffled.sort()
    task = {
        "id": ids, "rank_id": np.full(rows, 1), "device_id": np.zeros(rows, np.int64), "start_ns": shuffled,
        "end_ns": shuffled + random.integers(500, 80_000, rows), "stream_no": random.integers(1, 5, rows),
        "task_no": ids % 65_536, "context_no": _some(random, ids % 3), "type_id": random.integers(1, 9, rows),
        "descriptor_no": ids, "connection_no": random.permutation(ids) + 10_000,
        "kernel_id": random.integers(1, 3000, rows),
        "api_call_id": ids * 3, "op_id": _some(random, np.maximum(ids - random.integers(0, 40, rows), 1)),
        "link_rule_id": random.integers(1, 4, rows), "launch_no": np.zeros(rows, np.int64),
        "step_id": ids // 1000 + 1, "wait_ns": random.integers(0, 20_000, rows), "lane": np.zeros(rows, np.int64),
        "is_covered": np.zeros(rows, np.int64),
    }  # fmt: skip
    return {"op": pa.table(op), "device_task": pa.table(task)}


def _texts(random: np.random.Generator, words: list[str], rows: int) -> pa.Array:
    return pa.array(words).take(pa.array(random.integers(0, len(words), rows)))


def _some(random: np.random.Generator, values: np.ndarray) -> pa.Array:
    """A tenth of the values missing."""
    return pa.array(values, mask=random.random(len(values)) < 0.1)


def by_bulk_writer(path: Path, parts: Parts, creates: list[str], indexes: list[str]) -> None:
    handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL)
    strings = "string" if any("CREATE TABLE string" in create for create in creates) else ""
    with tempfile.TemporaryFile(dir=path.parent) as spill:
        writer = _native.DatabaseWriter(handle, spill.fileno(), creates + indexes, strings=strings)
        batches = [(name, batch) for name, table in parts.items() for batch in table.to_batches(BATCH)]
        for name, batch in batches:
            columns = dict(zip(batch.schema.names, batch.columns, strict=True))
            for target, text in TEXTS.items():
                if text in columns:
                    columns[target] = writer.intern(columns.pop(text))
            writer.append(name, columns)
        writer.finish()
    os.close(handle)


def interned(parts: Parts) -> Parts:
    """Texts replaced by ids, and the table of strings, with pyarrow."""
    if "op" not in parts:
        return parts
    op = parts["op"]
    texts = [op.column(name) for name in TEXTS.values()]
    coded = pa.chunked_array([chunk for text in texts for chunk in text.chunks]).combine_chunks().dictionary_encode()
    ids = pc.add(coded.indices.cast(pa.int64()), 1)
    for place, (target, text) in enumerate(TEXTS.items()):
        op = op.drop_columns([text]).append_column(target, ids.slice(place * op.num_rows, op.num_rows))
    strings = pa.table({"id": np.arange(1, len(coded.dictionary) + 1), "value": coded.dictionary})
    return {**parts, "op": op, "string": strings}


def by_executemany(path: Path, parts: Parts, creates: list[str], indexes: list[str]) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        for statement in (*TUNING, "BEGIN", *creates):
            connection.execute(statement)
        for name, table in interned(parts).items():
            names, marks = ", ".join(table.schema.names), ", ".join("?" * table.num_columns)
            insert = f"INSERT INTO {name} ({names}) VALUES ({marks})"
            for batch in table.to_batches(BATCH):
                columns = [_python_values(column) for column in batch.columns]
                connection.executemany(insert, zip(*columns, strict=True))
        for statement in (*indexes, "COMMIT"):
            connection.execute(statement)


def _python_values(column: pa.Array) -> list:
    return column.to_numpy().tolist() if column.type == pa.int64() and not column.null_count else column.to_pylist()


def by_adbc(path: Path, parts: Parts, creates: list[str], indexes: list[str]) -> None:
    with adbc_driver_sqlite.dbapi.connect(str(path), autocommit=True) as connection, connection.cursor() as cursor:
        for statement in (*TUNING, "BEGIN", *creates):
            cursor.execute(statement)
        for name, table in interned(parts).items():
            cursor.adbc_ingest(name, table, mode="append")
        for statement in (*indexes, "COMMIT"):
            cursor.execute(statement)


WAYS: dict[str, Callable[[Path, Parts, list[str], list[str]], None]] = {
    "bulk writer": by_bulk_writer,
    "adbc": by_adbc,
    "executemany": by_executemany,
}


def checked(path: Path) -> list[tuple[str, int]]:
    """Rows of each table; the file must be sound."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        names = sorted(name for name in names if not name.startswith("sqlite_"))
        return [(name, connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]) for name in names]


def measure(title: str, parts: Parts, creates: list[str], indexes: list[str], folder: Path, repeat: int) -> None:
    taken: dict[str, list[float]] = {way: [] for way in WAYS}
    sizes, counts = {}, {}
    for turn in range(repeat):
        for way, make in WAYS.items():
            path = folder / f"{way}.db"
            began = time.perf_counter()
            make(path, parts, creates, indexes)
            taken[way].append(time.perf_counter() - began)
            sizes[way] = path.stat().st_size
            if turn == 0:
                counts[way] = checked(path)
            path.unlink()
    assert len({str(each) for each in counts.values()}) == 1, counts
    rows = sum(table.num_rows for table in parts.values())
    print(f"{title}: {rows:,} rows in {', '.join(parts)}; {len(indexes)} indexes; median of {repeat}")
    ours = statistics.median(taken["bulk writer"])
    for way, times in taken.items():
        middle = statistics.median(times)
        print(
            f"  {way:12} {middle:8.3f} s  {rows / middle / 1e6:6.2f} M rows/s  {sizes[way] / middle / 1e6:6.0f} MB/s"
            f"  bulk writer is {middle / ours:5.1f} times as fast  (best {min(times):.3f} s)"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of each table")
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--folder", type=Path, help="where the files are made (default: the temporary directory)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.folder) as folder:
        columns = ", ".join(f"c{place} INTEGER" for place in range(10))
        ten = [f"CREATE TABLE t ({columns}) STRICT"]
        measure("integers", integers(options.rows), ten, [], Path(folder), options.repeat)
        creates, indexes = statements(["op", "device_task", "string"])
        measure("warehouse", warehouse(options.rows), creates, indexes, Path(folder), options.repeat)


if __name__ == "__main__":
    main()
