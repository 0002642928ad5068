"""Asking a warehouse: types, laziness, streams, and that nothing can be written."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
import pytest

import warehouse
from warehouse import query, store
from warehouse.errors import QueryError, UsageError, WarehouseFileError

ROWS = 5000


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    path = tmp_path_factory.mktemp("query") / "w.db"
    with store.new_warehouse(path) as loader:
        names = loader.intern([f"op{number % 7}" for number in range(ROWS)])
        loader.write("run", {"name": "train", "path": "train"})
        loader.write(
            "rank",
            {"run_id": 1, "rank_no": [0, 1], "rank_origin": "", "input_kind": "", "path": ["a", "b"],
             "directory": ["a", "b"], "is_simulated": 0},
        )  # fmt: skip
        loader.write(
            "op",
            {"rank_id": [1 + number % 2 for number in range(ROWS)], "start_ns": list(range(ROWS)),
             "end_ns": list(range(5, ROWS + 5)), "thread_id": 1, "name_id": names, "depth": 0, "lane": 0,
             "step_id": [None] * (ROWS - 1) + [4]},
        )  # fmt: skip
    return path


@pytest.fixture
def opened(path):
    with warehouse.open(path) as opened:
        yield opened


def test_types_are_those_of_the_values(opened):
    frame = opened.sql("SELECT 1 AS i, 1.5 AS r, 'x' AS t, x'00' AS b, NULL AS n UNION ALL SELECT 2, 2, 3, NULL, NULL")
    assert frame.schema == {"i": pl.Int64, "r": pl.Float64, "t": pl.String, "b": pl.Binary, "n": pl.Null}
    assert frame.rows()[1] == (2, 2.0, "3", None, None)


def test_values_that_change_type_after_many_rows(opened):
    text = "SELECT iif(start_ns < 4000, {}, {}) AS v FROM op"
    assert opened.arrow(text.format("NULL", "'late'"))["v"][ROWS - 1].as_py() == "late"
    assert opened.arrow(text.format("7", "1.5")).schema.field("v").type == pa.float64()
    assert opened.sql(text.format("7", "'N/A'"))["v"].to_list()[:1] == ["7"]


def test_large_integers_among_floats_do_not_fail(opened):
    assert opened.sql("SELECT 9007199254740993 AS v UNION ALL SELECT 0.5").schema == {"v": pl.Float64}


def test_columns_of_one_name_are_told_apart(opened):
    assert opened.sql("SELECT 1 AS a, 2 AS a, 3 AS a").columns == ["a", "a_2", "a_3"]


def test_result_without_rows_has_its_columns(opened):
    assert opened.sql("SELECT id, name FROM op_named WHERE 0").columns == ["id", "name"]
    assert opened.batches("SELECT id FROM op WHERE 0").schema.names == ["id"]


def test_parameters_are_bound(opened):
    assert opened.sql("SELECT count(*) AS n FROM op WHERE rank_id = ?", [1])["n"].to_list() == [ROWS // 2]
    assert opened.sql("SELECT :v AS v", {"v": "'; DROP TABLE op"})["v"].to_list() == ["'; DROP TABLE op"]


def test_stream_knows_the_type_of_a_column_that_begins_empty(opened):
    reader = opened.batches("SELECT id, step_id FROM op", rows=1000)
    assert reader.schema == pa.schema({"id": pa.int64(), "step_id": pa.int64()})
    table = reader.read_all()
    assert table.num_rows == ROWS
    assert table["step_id"][ROWS - 1].as_py() == 4


def test_stream_ends_with_an_error_where_a_type_changes(opened):
    reader = opened.batches("SELECT iif(start_ns < 4000, 7, 'x') AS v FROM op", rows=1000)
    with pytest.raises((QueryError, pa.ArrowException), match="CAST it"):
        reader.read_all()


def test_rows_come_in_lists(opened):
    sizes = [len(rows) for rows in opened.rows("SELECT id FROM op", size=2000)]
    assert sizes == [2000, 2000, 1000]


def test_result_names_its_columns(opened):
    names, batches = opened.result("SELECT 1 AS a, 2 AS b UNION ALL SELECT 3, 4", size=1)
    assert (names, list(batches)) == (["a", "b"], [[(1, 2)], [(3, 4)]])
    assert opened.result("SELECT id FROM op WHERE 0")[0] == ["id"]


def test_iterate_serves_any_connection(path):
    connection = store.open_read(path)
    try:
        chunks = list(query.iterate(connection, *store.select("op", ["id"], [("rank_id", "=", 2)], order=["id"])))
    finally:
        connection.close()
    assert [row for rows in chunks for row in rows][:2] == [(2,), (4,)]


def test_lazy_view_reads_only_what_is_used(path):
    with warehouse.open(path) as opened:
        frame = opened.view("op_named", rank_id=1)
    # collected after the file was closed: a lazy frame opens it again
    found = frame.filter(pl.col("start_ns") < 100).group_by("name").len().sort("name").collect()
    assert found["name"].to_list() == [f"op{number}" for number in range(7)]
    assert found["len"].sum() == 50
    assert frame.head(3).select("id").collect()["id"].to_list() == [1, 3, 5]
    assert frame.head(10).filter(pl.col("id") > 15).select("id").collect()["id"].to_list() == [17, 19]
    assert frame.filter(pl.col("id") > 15).head(2).select("id").collect()["id"].to_list() == [17, 19]
    assert frame.select(pl.len()).collect().item() == ROWS // 2


def test_lazy_view_types_columns_without_values_by_their_unit(opened):
    schema = opened.view("op_named").collect_schema()
    assert schema["step_no"] == pl.Int64
    assert schema["shapes"] == pl.String
    assert opened.view("op_named", rank_id=[1, 2]).collect().schema == schema


def test_unknown_views_and_columns(opened):
    with pytest.raises(UsageError, match="npuwh views"):
        opened.view("no_such_view")
    with pytest.raises(UsageError, match="has no column colour"):
        opened.view("op_named", colour=1)


def test_ranks_and_views(opened):
    assert opened.ranks()["rank_no"].to_list() == [0, 1]
    assert "op_named" in [view.name for view in opened.views()]


@pytest.mark.parametrize(
    "text",
    [
        "DELETE FROM op",
        "UPDATE op SET id = 1",
        "INSERT INTO run (name, path) VALUES ('x', 'x')",
        "CREATE TEMP TABLE x (a)",
        "DROP VIEW op_named",
        "ATTACH '{folder}/other.db' AS other",
        "VACUUM INTO '{folder}/other.db'",
        "VACUUM",
        "PRAGMA journal_mode = WAL",
        "PRAGMA user_version = 9",
        "PRAGMA writable_schema = ON",
        "PRAGMA query_only = OFF",
        "SELECT load_extension('x')",
        "BEGIN IMMEDIATE",
        "ANALYZE",
        "EXPLAIN DELETE FROM op",
        "WITH x AS (SELECT 1) DELETE FROM op",
    ],
)
def test_what_would_write_is_refused(opened, path, text):
    before = path.read_bytes()
    with pytest.raises(QueryError, match="only read"):
        opened.sql(text.replace("{folder}", str(path.parent)))
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == ["w.db"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("SELEC 1", "syntax error"),
        ("SELECT * FROM opp", "no such table: opp in: SELECT"),
        ("SELECT 1; SELECT 2", "one statement"),
        ("", "ask with SELECT"),
        ("SELECT ?", "supplied"),
    ],
)
def test_bad_statements_say_what_is_wrong(opened, text, message):
    with pytest.raises(QueryError, match=message):
        opened.sql(text)


def test_what_only_tells_is_allowed(opened):
    assert opened.sql("PRAGMA user_version").item() == store.latest_version()
    assert opened.sql("PRAGMA table_info(op)").height == len(store.TABLES["op"].columns)
    assert opened.sql("EXPLAIN QUERY PLAN SELECT * FROM op WHERE rank_id = 1").height == 1
    numbers = "WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c LIMIT 3) SELECT * FROM c"
    assert opened.sql(numbers).height == 3


def test_open_says_what_is_wrong(tmp_path):
    with pytest.raises(WarehouseFileError, match="no such file"):
        warehouse.open(tmp_path / "none.db")
