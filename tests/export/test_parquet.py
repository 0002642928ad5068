"""Parquet: a file a view, with types, for the chosen part."""

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from warehouse import store
from warehouse.export import export
from warehouse.export.parquet_file import parquet_views, write_parquet
from warehouse.export.selection import Selection, choose


@pytest.fixture(scope="module")
def exported(sample, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parquet")
    export(sample, folder, ["parquet"])
    return folder / "parquet"


def test_every_view_with_rows_is_a_file(sample, exported):
    with store.open_read(sample) as connection:
        for name in parquet_views(is_part=False):
            rows = connection.execute(*store.select(name)).fetchall()
            path = exported / f"{name}.parquet"
            assert path.exists() == bool(rows)
            if rows:
                table = pq.read_table(path)
                assert table.num_rows == len(rows)
                assert table.column_names == [column.name for column in store.view(name).columns]


def test_types_follow_the_units(exported):
    schema = pq.read_schema(exported / "op_named.parquet")
    assert schema.field("start_ns").type == pa.int64()
    assert schema.field("name").type == pa.string()
    assert pq.read_schema(exported / "comm_op_bandwidth.parquet").field("bandwidth_gbps").type == pa.float64()


def test_values_are_those_of_the_view(sample, exported):
    with store.open_read(sample) as connection:
        rows = connection.execute(*store.select("device_task_named", ["id", "name", "start_ns", "wait_ns"])).fetchall()
    table = pq.read_table(exported / "device_task_named.parquet", columns=["id", "name", "start_ns", "wait_ns"])
    assert sorted(map(tuple, zip(*(column.to_pylist() for column in table.columns), strict=True))) == sorted(rows)


def test_a_part_is_filtered_or_left_out(sample, tmp_path):
    export(sample, tmp_path, ["parquet"], rank=1, step=4)
    tasks = pq.read_table(tmp_path / "parquet" / "device_task_named.parquet")
    assert set(tasks["rank_id"].to_pylist()) == {2}
    assert set(tasks["step_no"].to_pylist()) == {4}
    assert not (tmp_path / "parquet" / "kernel_time.parquet").exists()  # sums of everything
    assert not (tmp_path / "parquet" / "kernel_named.parquet").exists()  # of no rank


def test_a_column_gets_a_wider_type_where_it_must(sample, tmp_path):
    with store.open_write(sample) as connection:
        connection.execute("BEGIN")
        connection.execute("ROLLBACK")
    with store.open_read(sample, query_only=False) as connection:
        ranks = choose(connection, Selection())
        count = write_parquet(connection, ranks, tmp_path / "x.parquet", "export_kernel_details")
    table = pq.read_table(tmp_path / "x.parquet")
    assert table.num_rows == count == 150
    assert table.schema.field("Task ID").type == pa.string()  # numbers and N/A
