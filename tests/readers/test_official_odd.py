"""Values and names that no profiler writes: rejected with a reason, never an error of ours."""

import pytest

from warehouse.errors import InputError
from warehouse.readers.official import OfficialReader
from warehouse.readers.plausible import LATEST_NS, LONGEST_NS

_FAR = 2**63 - 1
_SLICES = {
    "TASK": "device_event",
    "COMMUNICATION_OP": "device_event",
    "PYTORCH_API": "host_event",
    "CANN_API": "host_event",
    "STEP_TIME": "step",
    "GC_RECORD": "gc_event",
    "MSTX_EVENTS": "mark",
}
_STAMPS = {
    "MEMORY_RECORD": "timestamp",
    "NPU_OP_MEM": "timestampNs",
    "NPU_MODULE_MEM": "timestampNs",
    "NPU_MEM": "timestampNs",
    "OP_MEMORY": "allocationTime",
    "HBM": "timestampNs",
}


@pytest.mark.parametrize("table", _SLICES)
@pytest.mark.parametrize(
    "times", [f"endNs = {_FAR}", f"startNs = 1, endNs = {_FAR}", f"startNs = {_FAR - 1}, endNs = {_FAR}",
              f"startNs = 5, endNs = {6 + LONGEST_NS}", f"startNs = {LATEST_NS}, endNs = {LATEST_NS + 1}",
              "startNs = -5, endNs = -4"],
)  # fmt: skip
def test_slices_that_cannot_be(read_all, change, ask, table, times):
    if not ask(f"SELECT count(*) FROM {table}")[0][0]:
        pytest.skip("the sample has no such records")
    change(f"UPDATE {table} SET {times} WHERE rowid = (SELECT max(rowid) FROM {table})")
    ledger = read_all()
    assert ledger.balanced()
    issues = {issue.table: issue for issue in ledger.issues if issue.code == "time-order"}
    assert issues[table].rejected == 1


@pytest.mark.parametrize("table", _STAMPS)
def test_stamps_that_cannot_be(read_all, change, ask, table):
    tables = {name for (name,) in ask("SELECT name FROM sqlite_master WHERE type = 'table'")}
    if table not in tables or not ask(f"SELECT count(*) FROM {table}")[0][0]:
        pytest.skip("the sample has no such records")
    change(f"UPDATE {table} SET {_STAMPS[table]} = {_FAR} WHERE rowid = (SELECT max(rowid) FROM {table})")
    ledger = read_all()
    assert ledger.balanced()
    assert ledger.tables[table].rejected == 1


def test_a_release_that_cannot_be(read_all, change):
    change(f"UPDATE OP_MEMORY SET releaseTime = {_FAR} WHERE rowid = 1")
    assert read_all().tables["OP_MEMORY"].rejected == 1


def test_sums_of_long_slices_fit_64_bits(read, change):
    longest = LONGEST_NS - 1
    numbers = f"WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n LIMIT {2**57 // longest})"
    change(
        "DELETE FROM STEP_TIME",
        f"INSERT INTO STEP_TIME (id, startNs, endNs) {numbers} SELECT v, v, v + {longest} FROM n",
        "INSERT INTO STEP_TIME (id, startNs, endNs) VALUES (0, 1, 2)",
    )
    rows, ledger = read("step")
    assert [row["step_no"] for row in rows] == [0]
    assert ledger.tables["STEP_TIME"].rejected == 2**57 // longest
    assert {issue.code for issue in ledger.issues} >= {"long-slices", "time-order"}


@pytest.mark.parametrize("number", [-1, 2**63 - 1, -(2**63)])
def test_thread_numbers_are_unsigned(read, change, number):
    change(f"UPDATE PYTORCH_API SET globalTid = {number}", f"UPDATE CANN_API SET globalTid = {number}")
    rows, _ = read("host_event")
    found = {(row["pid"], row["tid"]) for row in rows if row["pid"]}
    assert found == {(number >> 32 & 0xFFFFFFFF, number & 0xFFFFFFFF)}


@pytest.mark.parametrize(
    "table", ["TASK", "PYTORCH_API", "STRING_IDS", "CANN_API", "STEP_TIME", "META_DATA", "NPU_MEM"]
)
def test_the_case_of_letters_is_none(read_all, change, ask, table):
    before = read_all().tables[table].loaded
    change(f"ALTER TABLE {table} RENAME TO other", f"ALTER TABLE other RENAME TO {table.lower()}")
    change(*(f'ALTER TABLE {table} RENAME COLUMN "{row[1]}" TO "{row[1].upper()}_"' for row in _columns(ask, table)))
    change(*(f'ALTER TABLE {table} RENAME COLUMN "{row[1]}" TO "{row[1][:-1]}"' for row in _columns(ask, table)))
    assert read_all().tables[table].loaded == before


def _columns(ask, table):
    return ask(f"PRAGMA table_info({table})")


@pytest.mark.parametrize("name", ["rowid", "ROWID"])
def test_a_column_that_hides_the_number_of_a_row(read_all, change, database, name):
    change(f"ALTER TABLE MEMORY_RECORD ADD COLUMN {name}", "ALTER TABLE TASK ADD COLUMN oid", "ALTER TABLE TASK ADD n")
    ledger = read_all()
    assert ledger.balanced()
    assert [(issue.table, issue.code) for issue in ledger.issues] == [("MEMORY_RECORD", "unknown-column")]
    change(f"ALTER TABLE TASK ADD COLUMN {name}")
    with pytest.raises(InputError, match="a column named rowid"):
        OfficialReader(database)


def test_columns_named_as_ours_change_nothing(read, change):
    before, _ = read("comm_task")
    change("ALTER TABLE COMMUNICATION_TASK_INFO ADD n", "ALTER TABLE COMMUNICATION_TASK_INFO ADD place")
    assert read("comm_task")[0] == before


def test_a_task_without_size_has_none(read, change):
    change("UPDATE COMMUNICATION_TASK_INFO SET size = -1, bandwidth = -5000000 WHERE rowid = 1")
    rows, _ = read("comm_task")
    assert [(row["size_bytes"], row["bandwidth"]) for row in rows].count((None, None)) == 1
    assert min(row["size_bytes"] for row in rows if row["size_bytes"] is not None) >= 0
