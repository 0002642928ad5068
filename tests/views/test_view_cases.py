"""Every view does what its case file says (given rows, expected rows) and is what its header says.

A case file `<view>.yaml` holds one case (`given:`, `expect:`) or several under `cases:`.  `given` maps a table to its
rows, `expect` lists the view's rows; rows are mappings, or `{columns: [...], rows: [[...], ...]}`.  Strings for `*_id`
columns are interned, columns that must have a value and are not given are 0 or ''.  Only the columns that `expect`
names are compared, in the view's order if it has one (ORDER BY at its end), else in any.
Stored sums are those that an upgrade finds in the given rows.
"""

from __future__ import annotations

import math
import re
import sqlite3
from pathlib import Path

import pytest
import yaml

from warehouse import store
from warehouse.store.tables import metadata

HERE = Path(__file__).parent
FORMATS = {"text", "int", "stamp", "float", "round3", "fixed3", "fixed6", "trim3", "json", "ns_us"}
# rooms of which a reader takes answers: there rank_no stands beside every rank_id
NUMBERED_ROOMS = {"host", "device", "step", "graph", "cluster", "check"}
NOT_FOR_USERS = re.compile(r"deliverables\.md|ascend-db\.md|framework-files\.md|SQLite|CROSS JOIN")
SUFFIX_UNITS = {"_ns": "ns", "_us": "us", "_bytes": "bytes", "_count": "count", "_ratio": "ratio"}


def _is_numbered(view) -> bool:
    is_answer = view.room in NUMBERED_ROOMS or view.name.startswith("analysis_")
    return is_answer and "rank_id" in {column.name for column in view.columns}


def _cases():
    for path in sorted(HERE.glob("*.yaml")):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        for number, case in enumerate(content.get("cases", [content])):
            yield pytest.param(path.stem, case, id=f"{path.stem}-{case.get('name', number)}")


@pytest.fixture(scope="module")
def empty(tmp_path_factory):
    path = tmp_path_factory.mktemp("views") / "w.db"
    store.create(path)
    connection = store.open_write(path)
    yield connection
    connection.close()


@pytest.fixture
def warehouse(empty):
    empty.execute("BEGIN")
    yield empty
    empty.execute("ROLLBACK")


@pytest.mark.parametrize(("name", "case"), list(_cases()))
def test_case(warehouse, name, case, sum_statements):
    view = store.view(name)
    if "rank" not in case["given"] and _is_numbered(view):
        _insert_ranks(warehouse)
    for table, rows in case["given"].items():
        for row in _mappings(rows):
            _insert(warehouse, table, row)
    for statement in sum_statements:
        warehouse.execute(statement)
    expected = list(_mappings(case["expect"]))
    columns = list(dict.fromkeys(column for row in expected for column in row)) or [view.columns[0].name]
    found = _read(warehouse, name, columns)
    wanted = [tuple(row.get(column) for column in columns) for row in expected]
    if not _is_ordered(view):
        found, wanted = sorted(found, key=_sort_key), sorted(wanted, key=_sort_key)
    assert len(found) == len(wanted), (found, wanted)
    for found_row, wanted_row in zip(found, wanted, strict=True):
        assert all(map(_equal, found_row, wanted_row)), (columns, found_row, wanted_row)
    if _is_numbered(view):
        numbers = dict(warehouse.execute("SELECT id, rank_no FROM rank").fetchall())
        assert [row for row in _read(warehouse, name, ["rank_id", "rank_no"]) if row[1] != numbers.get(row[0])] == []
    keys = _read(warehouse, name, view.grain)
    assert len(set(keys)) == len(keys), f"{name}: two rows have the same {', '.join(view.grain)}: {sorted(keys)}"


def test_every_view_has_cases():
    views, files = set(store.views()), {path.stem for path in HERE.glob("*.yaml")}
    assert views - files == set(), "views without a case file"
    assert files - views == set(), "case files without a view"


@pytest.mark.parametrize("name", list(store.views()))
def test_header_is_true(empty, name):
    view = store.view(name)
    reads, cursor = _prepare(empty, name)
    assert [column[0] for column in cursor.description] == [column.name for column in view.columns]
    assert set(view.grain) <= {column.name for column in view.columns}
    assert reads - _all_uses(view) == set(), "read but not in 'uses'"
    assert _tables(_all_uses(view)) - reads == set(), "in 'uses' but not read"
    assert {used for used in view.uses if used not in metadata.tables and used not in store.views()} == set()
    if view.window:
        assert {view.window.start, view.window.end} <= _columns(view.window.view)


@pytest.mark.parametrize("name", list(store.views()))
def test_units_fit_the_names(name):
    view = store.view(name)
    for column in view.columns:
        if column.is_key or (column.unit in FORMATS and view.room in ("export", "trace")):
            continue
        assert not view.file, f"{column.unit} is no format of the writer: {column}"
        for suffix, unit in SUFFIX_UNITS.items():
            if column.name.endswith(suffix):
                assert column.unit == unit, column
        if view.room != "official" and column.unit in ("ns", "bytes"):
            assert column.name.endswith(f"_{column.unit}"), column


@pytest.mark.parametrize("name", [name for name, view in store.views().items() if _is_numbered(view)])
def test_rank_number_follows_the_rank(name):
    columns = [column.name for column in store.view(name).columns]
    assert columns[columns.index("rank_id") + 1] == "rank_no"


@pytest.mark.parametrize("name", list(store.views()))
def test_purpose_is_for_users(name):
    """Lists show the first sentence alone; notes for whoever changes a view stand below its header."""
    purpose = store.view(name).purpose
    assert len(re.split(r"(?<=[a-z0-9)])\. (?=[A-Z])", purpose)[0].rstrip(".")) <= 100, purpose
    assert NOT_FOR_USERS.findall(purpose) == []


def _insert_ranks(connection: sqlite3.Connection) -> None:
    for rank_id in range(1, 10):
        _insert(connection, "rank", {"id": rank_id, "run_id": 1, "rank_no": rank_id + 100, "path": f"rank {rank_id}"})


def _mappings(rows):
    if isinstance(rows, dict):
        return [dict(zip(rows["columns"], row, strict=True)) for row in rows["rows"]]
    return rows or []


def _insert(connection: sqlite3.Connection, table: str, row: dict) -> None:
    values = dict(row)
    for column in metadata.tables[table].c:
        value = values.get(column.name)
        kind = str(column.type)
        if isinstance(value, str) and column.name.endswith("_id") and kind == "INTEGER":
            values[column.name] = _intern(connection, value)
        elif value is None and not column.nullable and column.name != "id":
            values[column.name] = "" if kind == "TEXT" else 0
    names = ", ".join(map(store.quoted, values))
    marks = ", ".join("?" * len(values))
    connection.execute(f"INSERT INTO {table} ({names}) VALUES ({marks})", list(values.values()))


def _intern(connection: sqlite3.Connection, text: str) -> int:
    connection.execute("INSERT OR IGNORE INTO string (value) VALUES (?)", [text])
    return connection.execute("SELECT id FROM string WHERE value = ?", [text]).fetchone()[0]


def _read(connection: sqlite3.Connection, name: str, columns) -> list[tuple]:
    return connection.execute(*store.select(name, columns)).fetchall()


def _prepare(connection: sqlite3.Connection, name: str):
    """Tables and views that SQLite reads for all columns of the view, and the cursor that tells the columns."""
    reads = set()

    def watch(action, table, _column, _database, _view):
        if action == sqlite3.SQLITE_READ and table != name:
            reads.add(table)
        return sqlite3.SQLITE_OK

    connection.set_authorizer(watch)
    try:
        return reads, connection.execute(f"SELECT * FROM {name} LIMIT 0")
    finally:
        connection.set_authorizer(None)


def _all_uses(view) -> set[str]:
    uses = set(view.uses)
    for name in view.uses:
        if name in store.views():
            uses |= _all_uses(store.view(name))
    return uses


def _tables(names: set[str]) -> set[str]:
    return {name for name in names if name in metadata.tables}


def _columns(name: str) -> set[str]:
    if name in metadata.tables:
        return set(metadata.tables[name].c.keys())
    return {column.name for column in store.view(name).columns}


def _is_ordered(view) -> bool:
    return "ORDER BY" in view.text and ")" not in view.text.rpartition("ORDER BY")[2].replace("()", "")


def _equal(found, wanted) -> bool:
    if isinstance(found, float) and isinstance(wanted, int | float):
        return math.isclose(found, wanted, rel_tol=1e-12, abs_tol=1e-12)
    return found == wanted and type(found) is type(wanted)


def _sort_key(row):
    return [(value is not None, isinstance(value, str), value if value is not None else 0) for value in row]
