"""Loading into a file that is there: kinds of columns, ids, strings, undoing, and removing a rank."""

from __future__ import annotations

import array
import sqlite3

import pyarrow as pa
import pytest

from warehouse import store
from warehouse.store.interning import Strings
from warehouse.store.tables import metadata


@pytest.fixture
def loader(tmp_path):
    store.create(tmp_path / "w.db")
    with store.add_to(tmp_path / "w.db") as loader:
        yield loader


def _rows(loader, table, *columns):
    return loader.connection.execute(*store.select(table, columns, order=["rowid"])).fetchall()


OP = {"rank_id": 1, "end_ns": 9, "thread_id": 1, "depth": 0, "lane": 0}


@pytest.mark.parametrize(
    "column",
    [
        [1, 2, 3],
        (1, 2, 3),
        array.array("q", [1, 2, 3]),
        memoryview(array.array("q", [1, 2, 3])),
        pa.array([1, 2, 3]),
        pa.array([0, 1, 2, 3], pa.int64())[1:],
        pa.array([1, 2, 3], pa.int32()),
        pa.chunked_array([[1], [2, 3]]),
        pa.array([1, 2, 3]).dictionary_encode(),
    ],
    ids=lambda column: type(column).__name__,
)
def test_columns_of_every_kind(loader, column):
    assert loader.write("op", {**OP, "start_ns": column, "name_id": 5}) == 3
    assert _rows(loader, "op", "id", "start_ns", "name_id", "step_id") == [(n, n, 5, None) for n in (1, 2, 3)]


def test_nulls_and_text_and_booleans_from_arrow(loader):
    names = {"name": pa.array(["a", "b"]), "column_name": pa.array([None, "x"])}
    loader.write("rank_metric", {"rank_id": 1, "position": pa.array([True, False]), **names})
    assert _rows(loader, "rank_metric", "position", "name", "column_name") == [(1, "a", None), (0, "b", "x")]


def test_record_batch_and_no_rows(loader):
    batch = pa.RecordBatch.from_pydict({"rank_id": [1], "time_ns": [5], "counter_id": [1], "value": [0.5]})
    assert loader.write("counter_sample", batch) == 1
    assert loader.write("counter_sample", batch[:0]) == 0
    assert _rows(loader, "counter_sample", "value") == [(0.5,)]


def test_faults_of_the_caller(loader):
    with pytest.raises(KeyError, match="no column colour"):
        loader.write("op", {"colour": [1]})
    with pytest.raises(ValueError, match="differ in length"):
        loader.write("op", {**OP, "start_ns": [1, 2], "name_id": [1]})
    with pytest.raises(sqlite3.IntegrityError, match="NOT NULL"):
        loader.write("op", {"rank_id": [1]})
    with pytest.raises(sqlite3.IntegrityError, match="cannot store TEXT"):
        loader.write("op", {**OP, "start_ns": ["soon"], "name_id": 1})


def test_reserved_ids_are_used_once(loader):
    first = loader.reserve("op", 2)
    second = loader.reserve("op", 1)
    loader.write("op", {**OP, "id": [second, first, first + 1], "start_ns": 0, "name_id": 1})
    assert (first, second, loader.last_id("op")) == (1, 3, 3)


def test_ids_go_on_in_an_existing_file(tmp_path):
    path = tmp_path / "w.db"
    for expected in (1, 3):
        with store.new_warehouse(path) if expected == 1 else store.add_to(path) as loader:
            assert loader.reserve("op", 2) == expected
            loader.write("op", {**OP, "id": [expected, expected + 1], "start_ns": 0, "name_id": 1})
            assert loader.intern(["same", f"new {expected}"]) == [1, 2 if expected == 1 else 3]


def test_interning(loader):
    assert loader.intern(["b", None, "a", "b", ""]) == [1, None, 2, 1, 3]
    assert loader.intern(["é", "a\0b", "a"]) == [4, 5, 2]
    assert _rows(loader, "string", "value") == [("b",), ("a",), ("",), ("é",), ("a\0b",)]


def test_text_that_is_no_unicode_is_stored_with_a_mark(loader):
    first, second = loader.intern(["bad \udc80", "bad \udcff"])
    assert first == second
    assert _rows(loader, "string", "value")[0][0].startswith("bad \ufffd")
    assert loader.intern(["bad \udcfe"]) == [first]


def test_interning_in_little_memory(loader):
    strings = Strings(loader.connection, cache_characters=2000)
    values = [f"name {number}" for number in range(500)]
    ids = [strings.intern(values[start : start + 7]) for start in range(0, 500, 7)]
    assert [each for some in ids for each in some] == list(range(1, 501))
    assert len(strings._young) + len(strings._old) < 100
    assert strings.intern(values[::-1]) == list(range(500, 0, -1))
    assert loader.last_id("string") == 500


def test_undoing_takes_out_what_a_bad_input_wrote(loader):
    loader.write("op", {**OP, "start_ns": [1, 2], "name_id": loader.intern(["kept"])[0]})

    def load_bad_input():
        loader.write("op", {**OP, "start_ns": [3, 4], "name_id": loader.intern(["lost"])[0]})
        loader.reserve("op", 50)
        raise ValueError("bad input")

    with pytest.raises(ValueError, match="bad input"), loader.undoing():
        load_bad_input()
    assert _rows(loader, "op", "start_ns") == [(1,), (2,)]
    assert _rows(loader, "string", "value") == [("kept",)]
    assert loader.reserve("op", 1) == 3
    assert loader.intern(["lost", "kept"]) == [2, 1]


def _fill(loader, rank_id):
    """One row of that rank in every table, each pointing at the others by equal ids."""
    for table in metadata.tables.values():
        if table.name in ("string", "link_rule"):
            continue
        row = {}
        for column in table.c:
            if column.nullable and column.name not in ("rank_id", "source_id", "stack_id", "kernel_id"):
                continue
            is_text = str(column.type) == "TEXT"
            row[column.name] = f"{table.name} {rank_id}" if is_text else rank_id
        loader.write(table.name, row)


def test_delete_rank_takes_everything_of_it_and_nothing_else(loader):
    tables = [name for name in metadata.tables if name not in ("string", "link_rule")]
    _fill(loader, 1)
    before = {name: loader.connection.execute(f"SELECT * FROM {name}").fetchall() for name in tables}
    assert all(len(rows) == 1 for rows in before.values())
    _fill(loader, 2)
    store.delete_rank(loader, 2)
    assert {name: loader.connection.execute(f"SELECT * FROM {name}").fetchall() for name in tables} == before
    store.delete_rank(loader, 1)
    left = {name for name in tables if loader.connection.execute(f"SELECT 1 FROM {name}").fetchall()}
    assert left == set()
