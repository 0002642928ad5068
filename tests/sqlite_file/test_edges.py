"""Where the file format has edges: page boundaries, overflow, wide tables, many runs, the page SQLite locks, marks."""

from __future__ import annotations

import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tests.sqlite_file.proof import check_pair, sound
from tests.sqlite_file.schemas import Table, write_native, write_sqlite
from warehouse import _native

LONG = int(os.environ.get("NPUWH_EXAMPLES", "0")) > 1000  # the command for longer runs


@contextmanager
def _writer(path: Path, statements: list[str], **options) -> Iterator[_native.DatabaseWriter]:
    with open(path, "x+b") as file, tempfile.TemporaryFile(dir=path.parent) as spill:  # noqa: PTH123
        writer = _native.DatabaseWriter(file.fileno(), spill.fileno(), statements, **options)
        yield writer
        writer.finish()


def _pair(folder: Path, table: Table, **options) -> None:
    write_sqlite(folder / "reference.db", [table])
    write_native(folder / "native.db", [table], **options)
    check_pair(folder / "native.db", folder / "reference.db", [table])


@pytest.mark.parametrize("page_size", [512, 4096, 16384])
@pytest.mark.parametrize("kind", ["text", "blob"])
def test_values_around_every_boundary(tmp_path, page_size, kind):
    """Sizes around those at which a cell, a leaf or an overflow page is just full, in tables and in indexes."""
    index_most = (page_size - 12) * 64 // 255 - 23
    edges = [
        page_size - 35,
        index_most,
        (page_size - 12) * 32 // 255 - 23,
        page_size - 4,
        2 * page_size - 8,
        page_size // 4,
    ]
    sizes = sorted({max(0, edge + step) for edge in (0, 128, *edges) for step in range(-12, 6)})
    values = [("x" * size if kind == "text" else bytes(size)) for size in sizes]
    table = Table(
        "t",
        [("a", kind.upper(), False), ("n", "INTEGER", False)],
        True,
        "",
        [("i", [0], False), ("j", [1, 0], False)],
        [],
    )
    table.batches = [
        [(kind, values), ("integer", list(range(len(values))))],
        [(kind, values[::-1]), ("integer", [5] * len(values))],
    ]
    _pair(tmp_path, table, page_size=page_size)


@pytest.mark.parametrize("columns", [1, 122, 126, 127, 128, 300, 900])
def test_wide_tables(tmp_path, columns):
    table = Table(
        "t", [(f"c{place}", "REAL" if place % 2 else "INTEGER", False) for place in range(columns)], True, "", [], []
    )
    table.indexes = [("i", [columns - 1], False), ("j", list(range(min(columns, 12))), False)]
    for start in (0, 7):
        rows = range(start, start + 7)
        table.batches.append(
            [
                ("real", [row / 2 for row in rows]) if place % 2 else ("integer", [row * place for row in rows])
                for place in range(columns)
            ]
        )
    _pair(tmp_path, table)


@pytest.mark.parametrize("rows", [*range(60, 76), 1500, 5000])
def test_every_fill_of_the_last_pages(tmp_path, rows):
    """Row counts one after the other, so that each way a level of a tree can end is met."""
    table = Table("t", [("id", "INTEGER", False), ("a", "INTEGER", False), ("b", "TEXT", False)], True, "rowid", [], [])
    table.indexes = [("i", [1], False), ("j", [2, 1], True)]
    numbers = list(range(rows))
    table.batches = [
        [("integer", numbers), ("integer", numbers[::-1]), ("text", [f"{number:040}" for number in numbers])]
    ]
    _pair(tmp_path, table, page_size=512)


def test_many_runs_are_merged(tmp_path):
    """More runs than are merged at once, in both kinds of sorters, and rows in any order."""
    shuffled = random.Random(3)
    ids = shuffled.sample(range(-50_000, 50_000), 40_000)
    columns = [("id", "INTEGER", False), ("a", "INTEGER", False), ("b", "TEXT", False), ("c", "REAL", False)]
    table = Table("t", columns, True, "unordered", [("i", [1], False), ("j", [2, 3], False), ("k", [1, 0], True)], [])
    for start in range(0, len(ids), 400):
        part = ids[start : start + 400]
        table.batches.append(
            [
                ("integer", part),
                ("integer", [shuffled.choice([None, -(2**63), 2**63 - 1, each % 100]) for each in part]),
                ("text", [str(each % 1000) * (each % 9) for each in part]),
                ("real", [each / 3 for each in part]),
            ]
        )
    _pair(tmp_path, table, memory_bytes=0)


def test_a_big_schema(tmp_path):
    """More statements than page 1 holds, one of them just too long for it."""
    views = [f"CREATE VIEW v{place} AS SELECT {', '.join(map(str, range(place * 7)))} AS x" for place in range(1, 90)]
    for size in (16384 - 135, 16384 - 60, 16384 - 36, 40_000):
        for some in ([], views):
            path = tmp_path / f"{size}-{len(some)}.db"
            long = f"CREATE VIEW long AS SELECT '{'x' * size}' AS x"[: size - 3] + "' y"
            with _writer(path, ["CREATE TABLE t (a)", *some, long]) as writer:
                writer.append("t", {"a": 1})
            with closing(sqlite3.connect(path)) as connection:
                sound(connection)
                assert [sql for (sql,) in connection.execute("SELECT sql FROM sqlite_master WHERE type = 'view'")] == [
                    *some,
                    long,
                ]
                connection.execute("CREATE TABLE more (x)")
                sound(connection)


@pytest.mark.parametrize("seed", range(20 if not LONG else 500))
def test_marks(tmp_path, seed):
    """Appending, marking and going back at random leaves what a list of rows would."""
    choose = random.Random(seed)
    path = tmp_path / "w.db"
    statements = ["CREATE TABLE t (id INTEGER PRIMARY KEY, a INTEGER, b TEXT) STRICT", "CREATE INDEX i ON t (a)"]
    statements += [
        "CREATE INDEX j ON t (b, a)",
        "CREATE TABLE u (id INTEGER PRIMARY KEY, a INTEGER) STRICT",
        "CREATE INDEX k ON u (a)",
    ]
    statements += [
        "CREATE TABLE s (id INTEGER PRIMARY KEY, value TEXT NOT NULL) STRICT",
        "CREATE UNIQUE INDEX l ON s (value)",
    ]
    rows: dict[str, list[tuple]] = {"t": [], "u": [], "s": []}
    marks: list[dict[str, list[tuple]]] = []
    memory = choose.choice([0, 20_000, 1 << 20])
    with _writer(path, statements, page_size=512, memory_bytes=memory, unordered=["u"], strings="s") as writer:
        for _ in range(60):
            step = choose.random()
            if step < 0.6:
                count = choose.choice([1, 5, 700])
                a = [choose.choice([None, choose.randint(-9, 9), choose.randint(0, 2**40)]) for _ in range(count)]
                texts = [str(choose.randint(0, 300)) * choose.choice([1, 1, 200]) for _ in range(count)]
                known = {value: number for number, value in rows["s"]}
                ids = writer.intern(pa.array(texts)).tolist()
                for text in texts:
                    if text not in known:
                        known[text] = len(known) + 1
                        rows["s"].append((known[text], text))
                assert ids == [known[text] for text in texts]
                writer.append("t", {"a": pa.array(a, pa.int64()), "b": pa.array(texts)})
                rows["t"] += [
                    (len(rows["t"]) + place + 1, *row) for place, row in enumerate(zip(a, texts, strict=True))
                ]
                high = max((row[0] for row in rows["u"]), default=0)
                fresh = choose.sample(range(high + 1, high + 2 * count + 1), count)
                writer.append("u", {"id": pa.array(fresh), "a": pa.array(a, pa.int64())})
                rows["u"] += zip(fresh, a, strict=True)
            elif step < 0.75:
                writer.mark()
                marks.append({name: list(some) for name, some in rows.items()})
            elif marks and step < 0.9:
                writer.rewind()
                rows = {name: list(some) for name, some in marks[-1].items()}
            elif marks:
                writer.release()
                marks.pop()
    with closing(sqlite3.connect(path)) as connection:
        sound(connection)
        for name, expected in rows.items():
            assert connection.execute(f"SELECT * FROM {name} ORDER BY id").fetchall() == sorted(expected)


MEMORY = """
    import resource, sys, tempfile
    import numpy as np
    from warehouse import _native
    rows, budget = int(sys.argv[2]), 16 << 20
    with open(sys.argv[1], "x+b") as file, tempfile.TemporaryFile(dir=sys.argv[3]) as spill:
        statements = ["CREATE TABLE t (a INTEGER, b INTEGER, c TEXT) STRICT"]
        statements += ["CREATE INDEX i ON t (a)", "CREATE INDEX j ON t (b, a)"]
        writer = _native.DatabaseWriter(file.fileno(), spill.fileno(), statements, memory_bytes=budget)
        random = np.random.default_rng(1)
        batch = 50_000
        writer.append("t", {"a": random.integers(0, 2**60, batch), "b": random.integers(0, 9, batch), "c": "text"})
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        for start in range(batch, rows, batch):
            writer.append("t", {"a": random.integers(0, 2**60, batch), "b": random.integers(0, 9, batch), "c": "text"})
        writer.finish()
        print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def test_memory_stays_within_its_budget(tmp_path):
    grown = []
    for rows in (1_000_000, 3_000_000):
        path = tmp_path / f"{rows}.db"
        command = [sys.executable, "-c", textwrap.dedent(MEMORY), str(path), str(rows), str(tmp_path)]
        grown.append(int(subprocess.run(command, check=True, capture_output=True, text=True).stdout) * 1024)
        path.unlink()
    assert max(grown) < 40 << 20  # 16 MiB of keys, and buffers that do not depend on it
    assert grown[1] < grown[0] + (8 << 20)


def test_beyond_the_page_that_sqlite_locks(tmp_path):
    """A file of more than 1 GiB; sparse rows of large blobs make it quickly."""
    path = tmp_path / "w.db"
    blob = bytes(8 << 20)
    with _writer(
        path, ["CREATE TABLE t (a INTEGER, b BLOB) STRICT", "CREATE INDEX i ON t (a)"], page_size=32768
    ) as writer:
        for number in range(140):
            writer.append("t", {"a": number % 7, "b": blob if number % 3 else b"x"})
            writer.append("t", {"a": np.arange(2000), "b": b"small"})
            if number == 125:
                writer.mark()
        if LONG:
            writer.rewind()
        for number in range(140, 210):
            writer.append("t", {"a": number % 7, "b": blob})
    assert path.stat().st_size > 1 << 30
    with closing(sqlite3.connect(path)) as connection:
        sound(connection)
        assert connection.execute("SELECT count(*), sum(length(b) > 9) FROM t").fetchone()[0] > 200_000
        connection.execute("DELETE FROM t WHERE rowid % 2")
        sound(connection)
    path.unlink()


def test_a_full_disk_is_an_error_of_the_system(tmp_path):
    code = """
    import resource, sys, tempfile
    import numpy as np
    from warehouse import _native
    resource.setrlimit(resource.RLIMIT_FSIZE, (3_000_000, 3_000_000))
    with open(sys.argv[1], "x+b") as file, tempfile.TemporaryFile() as spill:
        writer = _native.DatabaseWriter(file.fileno(), spill.fileno(), ["CREATE TABLE t (a INTEGER)"])
        try:
            for _ in range(100):
                writer.append("t", {"a": np.arange(100_000)})
            writer.finish()
        except OSError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(code), str(tmp_path / "w.db")],
        check=False,
        capture_output=True,
        text=True,
    )
    assert "File too large" in done.stdout, done.stderr
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_records_end_where_only_defaults_follow(tmp_path):
    """Last values that SQLite would take for missing ones anyway need no room; it reads, changes and drops them."""
    columns = "id INTEGER PRIMARY KEY, a INTEGER, b INTEGER NOT NULL DEFAULT 0, c TEXT, d INT DEFAULT -7"
    rows = 50_000
    with _writer(tmp_path / "W.db", [f"CREATE TABLE t ({columns}) STRICT", "CREATE INDEX i ON t (b, d)"]) as writer:
        writer.append("t", {"a": np.full(rows, 5)})  # b and d as their columns say
        writer.append("t", {"a": np.full(rows, 5), "b": np.zeros(rows, np.int64), "c": pa.nulls(rows, pa.string()),
                            "d": np.full(rows, -7)})  # fmt: skip
        writer.append("t", {"a": 5, "b": 3, "d": pa.array([None], pa.int64())})
    with closing(sqlite3.connect(tmp_path / "W.db")) as connection:
        assert (tmp_path / "W.db").stat().st_size < 2 * rows * (8 + 14)  # 8 bytes in the table, 14 in the index
        sound(connection)
        expected = [(5, 0, None, -7, 2 * rows), (5, 3, None, None, 1)]
        count = "SELECT a, b, c, d, count(*) FROM t GROUP BY a, b, c, d ORDER BY b"
        assert connection.execute(count).fetchall() == expected
        assert connection.execute("SELECT count(*) FROM t WHERE b = 0 AND d = -7").fetchone() == (2 * rows,)
        connection.execute("UPDATE t SET c = 'x' WHERE id = 7")
        connection.execute("DELETE FROM t WHERE id = 8")
        connection.execute("ALTER TABLE t DROP COLUMN c")
        connection.execute("ALTER TABLE t ADD COLUMN e INTEGER DEFAULT 9")
        connection.commit()
        connection.execute("VACUUM")
        sound(connection)
        assert connection.execute("SELECT a, b, d, e, count(*) FROM t GROUP BY b").fetchall() == [
            (5, 0, -7, 9, 2 * rows - 1), (5, 3, None, 9, 1),
        ]  # fmt: skip
