"""Loading into a new file: what comes out is what the loader of an existing file would have made of the same calls."""

from __future__ import annotations

import array
import sqlite3
from contextlib import closing

import numpy as np
import pyarrow as pa
import pytest

from warehouse import store
from warehouse.store.bulk_loader import READ_BACK

OP = {"rank_id": 1, "end_ns": 9, "thread_id": 1, "depth": 0, "lane": 0}


def _contents(path):
    with closing(store.open_read(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert store.stale_views(connection) == []
        return {name: connection.execute(f"SELECT rowid, * FROM {name}").fetchall() for name in store.TABLES}


def _both(folder, load):
    """The contents of a file made by `load` at once, after checking that adding to an empty one makes the same."""
    new, added = folder / "new.db", folder / "added.db"
    with store.new_warehouse(new) as loader:
        load(loader)
    store.create(added)
    with store.add_to(added) as loader:
        load(loader)
    contents = _contents(new)
    assert contents == _contents(added)
    return contents


COLUMNS = [
    [1, 2, 3],
    (1, 2, 3),
    array.array("q", [1, 2, 3]),
    memoryview(array.array("q", [1, 2, 3])),
    np.array([1, 2, 3]),
    pa.array([1, 2, 3]),
    pa.array([0, 1, 2, 3], pa.int64())[1:],
    pa.array([1, 2, 3], pa.int32()),
    pa.array([1, 2, 3], pa.uint8()),
    pa.chunked_array([[1], [2, 3]]),
    pa.array([1, 2, 3]).dictionary_encode(),
]


@pytest.mark.parametrize("column", COLUMNS, ids=lambda column: type(column).__name__)
def test_columns_of_every_kind(tmp_path, column):
    rows = _both(tmp_path, lambda loader: loader.write("op", {**OP, "start_ns": column, "name_id": 5}))["op"]
    assert [row[3] for row in rows] == [1, 2, 3]


def test_nulls_text_reals_and_booleans(tmp_path):
    def load(loader):
        names = {"name": pa.array(["a", "b"]), "column_name": pa.array([None, "x"])}
        loader.write("rank_metric", {"rank_id": 1, "position": pa.array([True, False]), **names})
        values = [0.0, -0.0, 1.0, 0.1, None, float("nan"), float("inf"), 1e300]
        batch = pa.RecordBatch.from_pydict(
            {"rank_id": [1] * 8, "time_ns": [5] * 8, "counter_id": [1] * 8, "value": values}
        )
        assert loader.write("counter_sample", batch) == 8
        assert loader.write("counter_sample", batch[:0]) == 0

    assert len(_both(tmp_path, load)["counter_sample"]) == 8


def test_text_that_is_no_unicode_is_stored_with_a_mark(tmp_path):
    with store.new_warehouse(tmp_path / "w.db") as loader:
        loader.write("rank_metric", {"rank_id": 1, "position": 5, "name": "bad \udc80", "column_name": ["bad \udcff"]})
    row = _contents(tmp_path / "w.db")["rank_metric"][0]
    assert row[3].startswith("bad \ufffd")
    assert row[4].startswith("bad \ufffd")


def test_strings_and_ids(tmp_path):
    def load(loader):
        assert loader.intern(["b", None, "a", "b", ""]) == [1, None, 2, 1, 3]
        assert loader.intern(["é", "a\0b", "a"]) == [4, 5, 2]
        first, second = loader.intern(["bad \udc80", "bad \udcff"])
        assert first == second
        assert (loader.reserve("op", 2), loader.reserve("op", 1)) == (1, 3)
        loader.write("op", {**OP, "id": [1, 2, 3], "start_ns": 0, "name_id": 1})
        assert (loader.last_id("op"), loader.last_id("string"), loader.last_id("run")) == (3, 6, 0)

    assert len(_both(tmp_path, load)["string"]) == 6


def test_queue_tasks_come_in_any_order(tmp_path):
    def load(loader):
        for ids in ([5, 9], [2, 7], [1]):
            loader.write("queue_task", {"id": ids, "rank_id": 1, "correlation_no": [10 - each for each in ids]})

    assert [row[0] for row in _both(tmp_path, load)["queue_task"]] == [1, 2, 5, 7, 9]


def test_tables_that_loading_reads(tmp_path):
    def load(loader):
        loader.write("run", {"name": "a", "path": ["x", "y"]})
        assert loader.connection.execute("SELECT path FROM run").fetchall() == [("x",), ("y",)]
        loader.write("stack_frame", {"stack_id": [1, 1], "depth": [0, 1], "string_id": 1})

    contents = _both(tmp_path, load)
    assert contents["link_rule"]
    assert "run" in READ_BACK


def test_undoing_takes_out_what_a_bad_input_wrote(tmp_path):
    def load_bad_input(loader):
        with loader.undoing():
            many = pa.array([f"lost {number}" for number in range(50_000)])
            loader.write(
                "op", {**OP, "start_ns": range_of(50_000), "name_id": np.array(loader.intern(many.to_pylist()))}
            )
            loader.write("run", {"name": "lost", "path": "lost"})
            loader.reserve("op", 50)
            with loader.undoing():
                loader.write("op", {**OP, "start_ns": [1], "name_id": 1})
            raise ValueError("bad input")

    def load(loader):
        loader.write("op", {**OP, "start_ns": [1, 2], "name_id": loader.intern(["kept"])[0]})
        with pytest.raises(ValueError, match="bad input"):
            load_bad_input(loader)
        assert loader.reserve("op", 1) == 3
        assert loader.intern(["lost 7", "kept"]) == [2, 1]
        loader.write("op", {**OP, "start_ns": [3], "name_id": 2})
        loader.write("run", {"name": "b", "path": "b"})

    contents = _both(tmp_path, load)
    assert [row[3] for row in contents["op"]] == [1, 2, 3]
    assert [row[2] for row in contents["run"]] == ["b"]


def range_of(count):
    return np.arange(count)


@pytest.mark.parametrize(
    ("columns", "error", "text"),
    [
        ({"colour": [1]}, KeyError, "no column colour"),
        ({**OP, "start_ns": [1, 2], "name_id": [1]}, ValueError, "differ in length"),
        ({"rank_id": [1]}, sqlite3.IntegrityError, "NOT NULL"),
        ({**OP, "start_ns": ["soon"], "name_id": 1}, sqlite3.IntegrityError, "another type"),
        ({**OP, "start_ns": pa.array([0.5]), "name_id": 1}, sqlite3.IntegrityError, "cannot store REAL"),
        ({**OP, "id": [2, 1], "start_ns": 0, "name_id": 1}, sqlite3.IntegrityError, "do not ascend"),
    ],
)
def test_faults_of_the_caller(tmp_path, columns, error, text):
    with pytest.raises(error, match=text), store.new_warehouse(tmp_path / "w.db") as loader:
        loader.write("op", columns)
    assert list(tmp_path.iterdir()) == []


def test_duplicates_are_refused_in_the_end(tmp_path):
    text = "UNIQUE constraint failed: thread.rank_id, thread.pid, thread.tid"
    with pytest.raises(sqlite3.IntegrityError, match=text), store.new_warehouse(tmp_path / "w.db") as loader:
        loader.write("thread", {"rank_id": 1, "pid": 1, "tid": [5, 6, 5], "is_dequeue": 0})
    assert list(tmp_path.iterdir()) == []
