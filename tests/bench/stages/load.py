"""How fast a database file is made: the bulk writer against executemany, adbc-driver-sqlite and polars.

Two loads.  Ten integer columns without an index; and the warehouse's tables op and device_task with all their indexes
and the strings of op interned, all inside the timer.  The peers are tuned: no journal, one transaction, pages as large
as ours, indexes made after the rows, strings interned by pyarrow.  polars writes by adbc, so it takes part in the first
load only.  Nobody waits for the disk, or with `--sync` everybody.
"""

from __future__ import annotations

import importlib.util
import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
from sqlalchemy.dialects.sqlite import dialect
from sqlalchemy.schema import CreateIndex, CreateTable

from tests.bench.frame import Bench, Figure, synced
from warehouse import _native
from warehouse.store.tables import metadata

ROWS = 1_000_000
STATED_ROWS = 1_000_000
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
        "connection_no": random.permutation(ids) + 10_000,
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
    import adbc_driver_sqlite.dbapi

    with adbc_driver_sqlite.dbapi.connect(str(path), autocommit=True) as connection, connection.cursor() as cursor:
        for statement in (*TUNING, "BEGIN", *creates):
            cursor.execute(statement)
        for name, table in interned(parts).items():
            cursor.adbc_ingest(name, table, mode="append")
        for statement in (*indexes, "COMMIT"):
            cursor.execute(statement)


def by_polars(path: Path, parts: Parts, creates: list[str], indexes: list[str]) -> None:
    import adbc_driver_sqlite.dbapi

    with adbc_driver_sqlite.dbapi.connect(str(path), autocommit=True) as connection:
        with connection.cursor() as cursor:
            for statement in TUNING:
                cursor.execute(statement)
        for name, table in parts.items():
            frame = pl.DataFrame(table)
            frame.write_database(name, connection, engine="adbc", if_table_exists="append")


Way = Callable[[Path, Parts, list[str], list[str]], None]
NATIVE = "bulk writer"
PEERS: dict[str, Way] = {"adbc-driver-sqlite": by_adbc, "executemany": by_executemany}


def checked(path: Path) -> list[tuple[str, int]]:
    """Rows of each table; the file must be sound."""
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA quick_check").fetchall() == [("ok",)]
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        names = sorted(name for name in names if not name.startswith("sqlite_"))
        return [(name, connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0]) for name in names]


def measure(
    bench: Bench, title: str, parts: Parts, creates: list[str], indexes: list[str], peers: dict[str, Way],
    asked: dict[str, tuple[float, float]],
) -> Iterator[Figure]:  # fmt: skip
    """Rates of the bulk writer, and how many times as long each peer takes."""
    path, sizes, counts = bench.folder / "W.db", {}, {}

    def call(make: Way) -> None:
        make(path, parts, creates, indexes)
        if bench.sync:
            synced(path)

    def after(way: str) -> None:
        if way not in counts:
            sizes[way], counts[way] = path.stat().st_size, checked(path)
        path.unlink()

    ways = {way: (lambda make=make: call(make)) for way, make in {NATIVE: by_bulk_writer, **peers}.items()}
    medians = bench.in_turns(ways, after)
    assert len({str(each) for each in counts.values()}) == 1, counts
    rows, ours = sum(table.num_rows for table in parts.values()), medians[NATIVE]
    yield bench.figure(
        title, rows / ours / 1e6, "M rows/s", note=f"{rows:,} rows in {ours:.3f} s, {ours.cpu:.2f} s CPU"
    )
    yield bench.figure("  written", sizes[NATIVE] / ours / 1e6, "MB/s", note=f"{sizes[NATIVE] / 1e6:,.0f} MB")
    for way in peers:
        must, aim = asked.get(way, (None, None))
        yield bench.figure(
            f"  against {way}",
            medians[way] / ours,
            "x",
            must,
            aim,
            f"it takes {medians[way]:.2f} s, {medians[way].cpu:.2f} s CPU",
        )


def run(bench: Bench) -> Iterator[Figure]:
    """Both loads."""
    peers = dict(PEERS)
    if importlib.util.find_spec("adbc_driver_sqlite") is None:
        bench.say("adbc-driver-sqlite is not installed: it and polars, which writes by it, are left out")
        del peers["adbc-driver-sqlite"]
    else:
        peers["polars"] = by_polars
    columns = ", ".join(f"c{place} INTEGER" for place in range(10))
    ten = [f"CREATE TABLE t ({columns}) STRICT"]
    yield from measure(
        bench, "10 integers, no index", integers(bench.rows), ten, [], peers, {"adbc-driver-sqlite": (5, 10)}
    )
    creates, indexes = statements(["op", "device_task", "string"])
    peers.pop("polars", None)
    title = f"op and device_task, {len(indexes)} indexes, strings interned"
    asked = {"executemany": (8, 15), "adbc-driver-sqlite": (3, 6)}
    yield from measure(bench, title, warehouse(bench.rows), creates, indexes, peers, asked)
