"""`npuwh info`: what a warehouse tells about itself."""

import json

from warehouse.query import Warehouse
from warehouse.store.tables import metadata


def test_as_text(run, made):
    found = run("info", made)
    assert found.code == 0
    assert "runs: 1, ranks: 2, 2025-10-09 08:53:20 UTC" in found.out
    assert "SimNPU" in found.out
    assert "sim_41011_20251009085320000_ascend_pt" in found.out


def test_as_json(run, made):
    told = json.loads(run("info", made, "--json").out)
    assert told["runs"] == 1
    assert [rank["rank_no"] for rank in told["ranks"]] == [0, 1]
    assert {rank["level"] for rank in told["ranks"]} == {"Level1"}
    assert told["tables"]["step"] == 6
    assert told["start_ns"] == 1_760_000_000_000_000_000
    assert sum(source["rejected_count"] for source in told["sources"]) == 0
    for source in told["sources"]:
        assert source["record_count"] == source["loaded_count"] + source["rejected_count"]


def test_a_damaged_file(run, made, tmp_path):
    whole = made.read_bytes()
    (tmp_path / "cut.db").write_bytes(whole[: len(whole) // 3])
    found = run("info", "cut.db")
    assert found.code == 2
    assert len(found.error_lines) == 1


def test_every_table_is_counted(made):
    with Warehouse(made) as opened:
        assert set(opened.sql("SELECT table_name FROM table_rows")["table_name"]) == set(metadata.tables)
