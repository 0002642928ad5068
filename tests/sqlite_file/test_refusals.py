"""What the bulk writer does not do is refused by name, before a byte is written."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pyarrow as pa
import pytest

from warehouse import _native

TABLE = "CREATE TABLE t (a INTEGER, b TEXT, c REAL)"
REFUSED = [
    ("WITHOUT ROWID", ["CREATE TABLE t (a INTEGER PRIMARY KEY) WITHOUT ROWID"]),
    ("AUTOINCREMENT", ["CREATE TABLE t (a INTEGER PRIMARY KEY AUTOINCREMENT)"]),
    ("CHECK", ["CREATE TABLE t (a INTEGER CHECK (a > 0))"]),
    ("CHECK", ["CREATE TABLE t (a INTEGER, CHECK (a > 0))"]),
    ("DEFAULT", ["CREATE TABLE t (a TEXT DEFAULT 'x') STRICT"]),
    ("DEFAULT", ["CREATE TABLE t (a INTEGER DEFAULT 1.5) STRICT"]),
    ("DEFAULT", ["CREATE TABLE t (a INTEGER DEFAULT (1 + 1)) STRICT"]),
    ("DEFAULT", ["CREATE TABLE t (a INTEGER DEFAULT 9223372036854775807) STRICT"]),
    ("DEFAULT", ["CREATE TABLE t (a INTEGER DEFAULT 5)"]),
    ("DEFAULT", ["CREATE TABLE t (a REAL DEFAULT 5) STRICT"]),
    ("COLLATE", ["CREATE TABLE t (a TEXT COLLATE NOCASE)"]),
    ("generated", ["CREATE TABLE t (a INTEGER, b INTEGER GENERATED ALWAYS AS (a + 1))"]),
    ("generated", ["CREATE TABLE t (a INTEGER, b AS (a + 1) STORED)"]),
    ("foreign keys", ["CREATE TABLE t (a INTEGER REFERENCES u (a))"]),
    ("foreign keys", ["CREATE TABLE t (a INTEGER, FOREIGN KEY (a) REFERENCES u (a))"]),
    ("ON CONFLICT", ["CREATE TABLE t (a INTEGER NOT NULL ON CONFLICT IGNORE)"]),
    ("DESC", ["CREATE TABLE t (a INTEGER PRIMARY KEY DESC)"]),
    ("DESC", [TABLE, "CREATE INDEX i ON t (a DESC)"]),
    ("COLLATE", [TABLE, "CREATE INDEX i ON t (b COLLATE NOCASE)"]),
    ("partial", [TABLE, "CREATE INDEX i ON t (a) WHERE a > 5"]),
    ("expressions", [TABLE, "CREATE INDEX i ON t (lower(b))"]),
    ("expressions", [TABLE, "CREATE INDEX i ON t (a + 1)"]),
    ("column twice", [TABLE, "CREATE INDEX i ON t (a, a)"]),
    ("virtual", ["CREATE VIRTUAL TABLE t USING fts5 (a)"]),
    ("triggers", [TABLE, "CREATE TRIGGER x AFTER INSERT ON t BEGIN DELETE FROM t; END"]),
    ("temporary", ["CREATE TEMP TABLE t (a)"]),
    ("IF NOT EXISTS", ["CREATE TABLE IF NOT EXISTS t (a)"]),
    ("SELECT", ["CREATE TABLE t AS SELECT 1"]),
    ("schema", ["CREATE TABLE main.t (a)"]),
    ("sqlite_", ["CREATE TABLE sqlite_x (a)"]),
    ("INTEGER PRIMARY KEY", ["CREATE TABLE t (a INTEGER PRIMARY KEY UNIQUE)"]),
    ("of that name", [TABLE, "CREATE TABLE T (a)"]),
    ("no column d", [TABLE, "CREATE INDEX i ON t (d)"]),
    ("no table u", [TABLE, "CREATE INDEX i ON u (a)"]),
    ("named twice", ["CREATE TABLE t (a, A)"]),
    ("no type 'FLOAT'", ["CREATE TABLE t (a FLOAT) STRICT"]),
    ("two primary keys", ["CREATE TABLE t (a PRIMARY KEY, b PRIMARY KEY)"]),
    ("not understood at 'order'", ["CREATE TABLE t (order INTEGER)"]),
    ("not understood at 'DROP'", ["DROP TABLE t"]),
    ("not understood at its end", ["CREATE TABLE t (a"]),
    ("quote is not closed", ['CREATE TABLE "t (a)']),
    ("comment is not closed", ["CREATE TABLE t (a) /* strict"]),
]


@pytest.fixture
def files(tmp_path):
    with open(tmp_path / "w.db", "w+b") as file, open(tmp_path / "spill", "w+b") as spill:  # noqa: PTH123
        yield file, spill


@pytest.mark.parametrize(
    ("text", "statements"), REFUSED, ids=lambda value: value[-1] if isinstance(value, list) else ""
)
def test_statements_that_are_refused(files, text, statements):
    with pytest.raises(ValueError, match=text):
        _native.DatabaseWriter(files[0].fileno(), files[1].fileno(), statements)
    assert files[0].seek(0, 2) == 0


SPELLINGS = [
    "CREATE TABLE t(a)",
    "\n  create\ttable t (\n  a INTEGER, -- the first\n  b /* any */ TEXT NOT NULL\n)\n;\n",
    'CREATE TABLE "a ""b""" ([c d] INTEGER PRIMARY KEY ASC, `e` VARCHAR (10) NULL, "f" UNSIGNED BIG INT)',
    "CREATE TABLE t (a INT CONSTRAINT x NOT NULL CONSTRAINT y UNIQUE, b, CONSTRAINT z PRIMARY KEY (b, a), UNIQUE (b))",
    "CREATE TABLE t (a TEXT PRIMARY KEY, b ANY, UNIQUE (a), UNIQUE (a, b)) STRICT",
    "CREATE TABLE t (a INTEGER) -- end",
    "CREATE TABLE t (a INTEGER) STRICT -- end",
    "CREATE TABLE t (a INTEGER) STRICT\n ; -- end",
    "CREATE TABLE straße (größe INTEGER, \U0001f600 TEXT)",
]


@pytest.mark.parametrize("statement", SPELLINGS)
def test_the_schema_is_the_one_sqlite_keeps(files, tmp_path, statement):
    more = ["CREATE VIEW v AS\n-- what it shows\nSELECT 1 AS one  ;\n", "create view w as select 2 -- two\n"]
    more += ["CREATE TABLE x (a, b)", "create index i on x (a) -- by a\n", "CREATE UNIQUE INDEX  j ON x (a ASC, b) ; "]
    writer = _native.DatabaseWriter(files[0].fileno(), files[1].fileno(), [statement, *more], statistics=False)
    writer.finish()
    query = "SELECT type, name, tbl_name, rootpage > 0, sql FROM sqlite_master"
    with closing(sqlite3.connect(":memory:")) as memory, closing(sqlite3.connect(tmp_path / "w.db")) as file:
        for each in (statement, *more):
            memory.execute(each)
        assert file.execute(query).fetchall() == memory.execute(query).fetchall()
        assert file.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


@pytest.mark.parametrize(
    ("column", "values", "text"),
    [
        ("a INTEGER", pa.array(["5"]), "text in a numeric column"),
        ("a TEXT", pa.array([0.5]), "real number in TEXT"),
        ("a INTEGER", pa.array([2**63], pa.uint64()), "unsigned 64-bit"),
        ("a INTEGER", pa.array([1], pa.timestamp("ns")), "cast it first"),
        ("a INTEGER NOT NULL", pa.array([1, None]), "NOT NULL constraint failed: t.a"),
        ("a REAL NOT NULL", pa.array([float("nan")]), "NOT NULL constraint failed: t.a"),
        ("a INTEGER PRIMARY KEY", pa.array([0.5]), "datatype mismatch"),
        ("a INTEGER PRIMARY KEY", pa.array([3, 3]), "do not ascend"),
        ("a INTEGER PRIMARY KEY", pa.array([2**63 - 1, None]), "no rowid left"),
    ],
)
def test_values_that_are_refused(files, column, values, text):
    writer = _native.DatabaseWriter(files[0].fileno(), files[1].fileno(), [f"CREATE TABLE t ({column})"])
    with pytest.raises(ValueError, match=text):
        writer.append("t", {"a": values})


def test_a_page_size_that_sqlite_does_not_have(files):
    for size in (0, 256, 3000, 65536):
        with pytest.raises(ValueError, match="page size"):
            _native.DatabaseWriter(files[0].fileno(), files[1].fileno(), [TABLE], page_size=size)
