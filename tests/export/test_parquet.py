"""Parquet: a file a view, with types, for the chosen part."""

import re
from pathlib import Path
from typing import get_type_hints

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from warehouse import store
from warehouse.cli.export import export as verb
from warehouse.export import export
from warehouse.export.parquet_file import write_parquet
from warehouse.export.parquet_views import LEFT_OUT, parquet_views
from warehouse.export.selection import Selection, choose
from warehouse.export.source import ExportSource


@pytest.fixture(scope="module")
def exported(sample, tmp_path_factory):
    folder = tmp_path_factory.mktemp("parquet")
    export(sample, folder, ["parquet"])
    return folder / "parquet"


def test_every_view_is_a_file(sample, exported):
    counts = set()
    with store.open_read(sample) as connection:
        for name in parquet_views():
            rows = connection.execute(*store.select(name)).fetchall()
            table = pq.read_table(exported / f"{name}.parquet")
            assert table.num_rows == len(rows)
            assert table.column_names == [column.name for column in store.view(name).columns]
            counts.add(len(rows))
    assert 0 in counts  # a view without rows is a file with its columns


def test_help_and_readme_name_the_rooms():
    rooms = sorted({view.room for view in store.views().values()} - set(LEFT_OUT))
    listed = ", ".join(rooms[:-1]) + " and " + rooms[-1]
    readme = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    (line,) = re.findall(r"^\| `parquet` \|.*$", readme, re.MULTILINE)
    assert listed in line.replace("**", "")
    assert listed in get_type_hints(verb, include_extras=True)["kinds"].__metadata__[0].help


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
    by_step = pq.read_table(tmp_path / "parquet" / "step_kernel_time.parquet")
    assert set(by_step["step_no"].to_pylist()) == {4}


def test_what_cannot_be_narrowed_is_told(sample, tmp_path):
    export(sample, tmp_path, ["parquet"])
    assert (tmp_path / "parquet" / "kernel_time.parquet").exists()
    for part, kernel_time, step_kernel_time in (
        ({"rank": 1}, "", ""),
        ({"step": 4}, "no time", ""),
        ({"from_ns": 5}, "no time", "no time"),
    ):
        report = export(sample, tmp_path, ["parquet"], **part)
        left = report.left_out
        assert left["parquet/kernel_named.parquet"] == "no rank"
        assert left.get("parquet/kernel_time.parquet", "") == kernel_time
        assert left.get("parquet/step_kernel_time.parquet", "") == step_kernel_time
        made = {path.relative_to(tmp_path).as_posix() for path in (tmp_path / "parquet").iterdir()}
        assert made & set(left) == set()  # nor is one of an earlier export left
        assert made | set(left) == {f"parquet/{name}.parquet" for name in parquet_views()}
        assert {file.path.relative_to(tmp_path).as_posix() for file in report.files} == made


def test_a_column_gets_a_wider_type_where_it_must(sample, tmp_path):
    with store.open_write(sample) as connection:
        connection.execute("BEGIN")
        connection.execute("ROLLBACK")
    with store.open_read(sample, query_only=False) as connection:
        ranks = choose(connection, Selection())
        count = write_parquet(ExportSource(connection), ranks, tmp_path / "x.parquet", "export_kernel_details")
    table = pq.read_table(tmp_path / "x.parquet")
    assert table.num_rows == count == 150
    assert table.schema.field("Task ID").type == pa.string()  # numbers and N/A
