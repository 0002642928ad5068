"""The reader of official databases: records, ledger, and what real files do against the book."""

import sqlite3
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from warehouse.batches.records import HOST_ALLOCATION, HOST_API, HOST_DEQUEUE, HOST_ENQUEUE, HOST_OP, HOST_PYTHON
from warehouse.errors import InputError
from warehouse.readers.official import OfficialReader, peek_official
from warehouse.sample import write_profile


def test_every_row_is_loaded(read_all, ask):
    ledger = read_all()
    assert ledger.balanced()
    assert ledger.total().rejected == 0
    assert ledger.issues == []
    assert ledger.tables["TASK"].loaded == ask("SELECT count(*) FROM TASK")[0][0]


def test_host_events_are_sorted_and_complete(read, ask):
    rows, ledger = read("host_event")
    keys = [(row["start_ns"], -row["end_ns"]) for row in rows]
    assert keys == sorted(keys)
    counts = np.bincount([row["kind"] for row in rows], minlength=6)
    assert counts[HOST_API] == ask("SELECT count(*) FROM CANN_API")[0][0] == ledger.tables["CANN_API"].loaded
    framework = counts[[HOST_OP, HOST_PYTHON, HOST_ENQUEUE, HOST_DEQUEUE]]
    assert framework.min() > 0
    assert framework.sum() == ask("SELECT count(*) FROM PYTORCH_API")[0][0]
    assert counts[HOST_ALLOCATION] == ask("SELECT count(*) FROM OP_MEMORY WHERE streamPtr IS NOT NULL")[0][0]


def test_queue_numbers_lose_their_offset(read):
    rows, _ = read("host_event")
    numbers = sorted(row["key"] for row in rows if row["kind"] == HOST_ENQUEUE)
    assert numbers == sorted(row["key"] for row in rows if row["kind"] == HOST_DEQUEUE)
    assert numbers[-1] < 5 << 28


@pytest.mark.parametrize("generation", ["1.0.0", "1.2.0"])
def test_blocks_in_both_generations(tmp_path, generation):
    (run,) = write_profile(tmp_path / "job", ranks=1, steps=1, ops_per_step=10, generation=generation)
    path = run / "ASCEND_PROFILER_OUTPUT" / "ascend_pytorch_profiler_0.db"
    with closing(sqlite3.connect(path)) as connection:
        columns = {row[1] for row in connection.execute("PRAGMA table_info(COMPUTE_TASK_INFO)")}
        count = "blockNum" if generation == "1.2.0" else "blockDim"
        expected = dict(connection.execute(f"SELECT globalTaskId, {count} FROM COMPUTE_TASK_INFO"))
    assert ("blockNum" in columns) == (generation == "1.2.0")
    with OfficialReader(path) as reader:
        rows = [row for batch in reader.read("kernel") for row in batch.to_pylist()]
    assert {row["descriptor_no"]: row["block_count"] for row in rows} == expected
    assert all((row["block"] is None) == (generation == "1.0.0") for row in rows)


def test_runs_of_a_graph_are_counted_by_start(read):
    rows, _ = read("device_event")
    runs = {}
    for row in rows:
        if row["model_no"] is not None:
            runs.setdefault(row["descriptor_no"], []).append(row["run_no"])
    assert runs
    assert all(numbers == list(range(1, len(numbers) + 1)) for numbers in runs.values())
    windows, _ = read("graph_run")
    assert sum(row["task_count"] for row in windows) == sum(map(len, runs.values()))


def test_launches_name_first_what_the_vendor_links(read):
    rows, _ = read("launch")
    assert [row["connection_no"] for row in rows] == sorted(row["connection_no"] for row in rows)
    first = {}
    for row in rows:
        first.setdefault(row["connection_no"], row)
    collectives = {row["connection_no"] for row in rows if row["class"] == 0}
    assert collectives
    assert all(first[number]["class"] == 0 for number in collectives)
    assert all(row["class"] != 2 for row in first.values())  # a sub-task comes before the parent it is drawn for


def test_metrics_go_to_the_run_they_belong_to(read, change, ask):
    """The n-th value of a name belongs to the n-th run: runs of one descriptor get values of their own."""
    ((descriptor, runs),) = ask(
        "SELECT globalTaskId, count(*) FROM TASK WHERE modelId <> 4294967295 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1"
    )
    (name,) = ask("SELECT name FROM TASK_PMU_INFO ORDER BY rowid LIMIT 1")[0]
    change(f"DELETE FROM TASK_PMU_INFO WHERE globalTaskId = {descriptor}")
    for value in range(runs):
        change(f"INSERT INTO TASK_PMU_INFO VALUES ({descriptor}, {name}, {value})")
    tasks = [row for (row,) in ask(f"SELECT rowid FROM TASK WHERE globalTaskId = {descriptor} ORDER BY startNs, rowid")]
    rows, ledger = read("task_metric")
    found = {row["task_row"]: row["value"] for row in rows if row["task_row"] in tasks}
    assert found == {task: value for value, task in enumerate(tasks)}
    assert ledger.issues == []


def test_unequal_numbers_of_metrics_are_told(read, change, ask):
    ((descriptor, runs),) = ask(
        "SELECT globalTaskId, count(*) FROM TASK WHERE modelId <> 4294967295 GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 1"
    )
    (name,) = ask(f"SELECT name FROM TASK_PMU_INFO WHERE globalTaskId = {descriptor} LIMIT 1")[0]
    change(f"DELETE FROM TASK_PMU_INFO WHERE globalTaskId = {descriptor}")
    for _ in range(runs - 1):
        change(f"INSERT INTO TASK_PMU_INFO VALUES ({descriptor}, {name}, 1)")
    for _ in range(3):
        change(f"INSERT INTO TASK_PMU_INFO VALUES (999999, {name}, 1)")
    _, ledger = read("task_metric")
    assert {(issue.code, issue.count, issue.rejected) for issue in ledger.issues} == {
        ("unequal-runs", 1, 0),
        ("no-task", 3, 3),
    }


def test_rows_that_end_before_they_start(read_all, change):
    change(
        "UPDATE TASK SET endNs = startNs - 1 WHERE rowid IN (3, 4)",
        "UPDATE PYTORCH_API SET endNs = '5' WHERE rowid = 7",
        "UPDATE CANN_API SET startNs = 0 WHERE rowid = (SELECT min(rowid) FROM CANN_API)",
    )
    ledger = read_all()
    assert ledger.balanced()
    issues = [issue for issue in ledger.issues if issue.code == "time-order"]
    rejected = {issue.table: (issue.rejected, issue.first_offset) for issue in issues}
    assert rejected["TASK"] == (2, 3)
    assert rejected["PYTORCH_API"] == (1, 7)
    assert rejected["CANN_API"][0] == 1


def test_values_of_the_wrong_type(read_all, change):
    change(
        "UPDATE TASK SET globalTaskId = 'x' WHERE rowid = 1",
        "UPDATE TASK SET connectionId = x'00ff' WHERE rowid = 2",
        "UPDATE OP_MEMORY SET allocationTime = 1.5e300 WHERE rowid = 1",
        "UPDATE TASK_PMU_INFO SET value = 'N/A' WHERE rowid = 1",
        "UPDATE CANN_API SET globalTid = NULL WHERE rowid = (SELECT max(rowid) FROM CANN_API)",
    )
    ledger = read_all()
    assert ledger.balanced()
    assert ledger.tables["TASK"].rejected == 1
    assert ledger.tables["OP_MEMORY"].rejected == 1
    assert ledger.tables["TASK_PMU_INFO"].rejected == 1
    assert {issue.code for issue in ledger.issues} >= {"bad-value", "no-value", "missing-value"}


def test_objects_of_other_tools(read_all, change):
    change(
        "CREATE TABLE status_info (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT)",
        "INSERT INTO status_info (key) VALUES ('a'), ('b')",
        "ALTER TABLE COMMUNICATION_OP ADD COLUMN waitNs INTEGER",
        "CREATE VIEW mine AS SELECT * FROM TASK",
        "CREATE TRIGGER t AFTER INSERT ON TASK BEGIN DELETE FROM TASK; END",
    )
    ledger = read_all()
    assert ledger.balanced()
    assert [(issue.table, issue.rejected) for issue in ledger.issues] == [("status_info", 2)]


def test_an_overlap_table_of_another_tool_is_no_reference(read, change):
    change(
        "DROP TABLE IF EXISTS OVERLAP_ANALYSIS",
        "DROP TABLE IF EXISTS ENUM_OVERLAP_ANALYSIS_TYPE",
        "CREATE TABLE OVERLAP_ANALYSIS (id INTEGER PRIMARY KEY AUTOINCREMENT, deviceId, startNs, endNs, type)",
        "INSERT INTO OVERLAP_ANALYSIS (deviceId, startNs, endNs, type) VALUES (0, 1, 2, 0)",
    )
    rows, ledger = read("reference_overlap")
    assert rows == []
    assert ledger.tables["OVERLAP_ANALYSIS"].rejected == 1


def test_enumerations_come_from_the_file(read, change, ask):
    change("UPDATE ENUM_HCCL_TRANSPORT_TYPE SET name = 'PIGEON' WHERE id = 0")
    rows, _ = read("comm_task")
    assert rows
    with OfficialReader(Path(ask("PRAGMA database_list")[0][2])) as reader:
        used = {row["transport"] for batch in reader.read("comm_task") for row in batch.to_pylist()}
        words = {row["id"]: row["value"] for row in reader.words().to_pylist()}
    assert "PIGEON" in {words[number] for number in used if number is not None}


def test_texts_are_repaired(database, change):
    change("UPDATE STRING_IDS SET value = CAST(x'61ff62' AS TEXT) WHERE id = 1")
    with OfficialReader(database) as reader:
        texts = {row["id"]: row["value"] for batch in reader.strings() for row in batch.to_pylist()}
        assert texts[1] == "a\ufffdb"
        assert [(issue.code, issue.count) for issue in reader.ledger.issues] == [("bad-text", 1)]


def test_repeated_ids_take_the_first(database, change, read_all):
    change(
        "CREATE TABLE copied AS SELECT * FROM STRING_IDS UNION ALL SELECT id, 'other' FROM STRING_IDS",
        "DROP TABLE STRING_IDS",
        "ALTER TABLE copied RENAME TO STRING_IDS",
        "CREATE TABLE copied AS SELECT * FROM COMPUTE_TASK_INFO UNION ALL SELECT * FROM COMPUTE_TASK_INFO",
        "DROP TABLE COMPUTE_TASK_INFO",
        "ALTER TABLE copied RENAME TO COMPUTE_TASK_INFO",
    )
    ledger = read_all()
    assert ledger.balanced()
    for table in ("STRING_IDS", "COMPUTE_TASK_INFO"):
        assert ledger.tables[table].rejected == ledger.tables[table].loaded > 0
    assert ledger.tables["TASK"].rejected == 0


def test_a_bare_msprof_database(read, change, ask):
    """Without the framework's tables, allocations are paired from single records (ascend-db.md 5)."""
    (records,) = ask("SELECT count(*) FROM NPU_OP_MEM")[0]
    change("DROP TABLE OP_MEMORY", "DROP TABLE MEMORY_RECORD", "DROP TABLE PYTORCH_API")
    allocations, ledger = read("allocation")
    totals, _ = read("memory_record")
    assert len(totals) == records
    assert [row["time_ns"] for row in totals] == sorted(row["time_ns"] for row in totals)
    assert allocations
    released = [row["release_ns"] for row in allocations if row["release_ns"] is not None]
    assert released == sorted(released)
    assert ledger.balanced() is False  # nothing else was read yet
    sizes = {(row["address"], row["start_ns"]): row["size_bytes"] for row in allocations}
    text = """SELECT addr, timestampNs, size FROM NPU_OP_MEM o JOIN STRING_IDS s ON s.id = o.type
        WHERE s.value = 'allocate'"""
    assert {(address, time): size for address, time, size in ask(text)} == sizes


@pytest.mark.parametrize("table", ["TASK", "PYTORCH_API", "CANN_API", "STRING_IDS"])
def test_a_missing_column_of_an_essential_table(database, change, table):
    column = {"STRING_IDS": "value"}.get(table, "endNs" if table != "TASK" else "deviceId")
    change("DROP INDEX IF EXISTS TaskIndex", f"ALTER TABLE {table} DROP COLUMN {column}")
    with pytest.raises(InputError, match=f"{table} has no column {column}"):
        OfficialReader(database)


def test_a_missing_column_of_another_table(read_all, change):
    change("ALTER TABLE HBM DROP COLUMN bandwidth")
    ledger = read_all()
    assert ledger.balanced()
    (issue,) = ledger.issues
    assert (issue.table, issue.code, issue.severity) == ("HBM", "missing-column", "warning")


def test_neither_tasks_nor_framework(database, change):
    change("DROP TABLE TASK", "DROP TABLE PYTORCH_API")
    with pytest.raises(InputError, match="neither TASK nor PYTORCH_API"):
        peek_official(database)


def test_only_the_framework(read_all, change, ask):
    for (name,) in ask("SELECT name FROM sqlite_master WHERE type = 'table'"):
        if name not in ("PYTORCH_API", "STRING_IDS", "CONNECTION_IDS", "STEP_TIME", "ENUM_API_TYPE", "META_DATA"):
            change(f"DROP TABLE {name}")
    ledger = read_all()
    assert ledger.balanced()
    assert ledger.tables["PYTORCH_API"].loaded > 0


def test_levels_show_in_what_was_recorded(tmp_path):
    for level in ("Level0", "Level1", "Level2"):
        (run,) = write_profile(tmp_path / level, ranks=1, steps=1, ops_per_step=10, level=level)
        facts = peek_official(run / "ASCEND_PROFILER_OUTPUT" / "ascend_pytorch_profiler_0.db")
        assert facts.level == level
        assert facts.ranks == [("RANK_DEVICE_MAP", 0)]
