"""Records that no profiler writes, on their whole way into the warehouse."""

import time

import pytest

from warehouse.ingest import ingest

_ANALYSIS = {
    "StepTraceTime": "computing",
    "CommAnalyzerTime": "elapse_time",
    "CommAnalyzerBandwidth": "bandwidth",
    "CommAnalyzerMatrix": "transit_size",
}


@pytest.fixture
def analysis_of():
    """The analysis database of a run directory."""
    return lambda run: next(run.rglob("analysis.db"))


@pytest.mark.parametrize("value", ["'x'", "x'00ff'", "9e999"])
@pytest.mark.parametrize("table", _ANALYSIS)
def test_values_of_the_wrong_type_in_an_analysis(write, ask, change, analysis_of, tmp_path, table, value):
    (run, _) = write(ranks=2)
    file = analysis_of(run)
    row = f"(SELECT max(rowid) FROM {table})"
    change(file, f"UPDATE {table} SET {_ANALYSIS[table]} = {value} WHERE rowid = {row}")
    assert ingest([run], tmp_path / "W.db").exit_code == 0
    found = ask(tmp_path / "W.db", "SELECT table_name, code, rejected_count, first_offset FROM issue")
    assert found == [(table, "bad-value", 1, ask(file, f"SELECT max(rowid) FROM {table}")[0][0])]


def test_a_device_that_is_no_number_in_an_analysis(write, ask, change, analysis_of, tmp_path):
    (run,) = write()
    change(analysis_of(run), "UPDATE StepTraceTime SET deviceId = 'npu'")
    assert ingest([run], tmp_path / "W.db").exit_code == 0
    assert ask(tmp_path / "W.db", "SELECT table_name, code FROM issue") == [("StepTraceTime", "bad-value")]
    assert ask(tmp_path / "W.db", "SELECT count(*) FROM reference_step") == [(0,)]


@pytest.mark.parametrize("number", [-1, 2**63 - 1])
def test_every_thread_has_a_row(write, ask, change, database_of, tmp_path, number):
    (run, _) = write(ranks=2, level="Level2")
    tables = ("PYTORCH_API", "CANN_API", "MSTX_EVENTS")
    change(database_of(run), *(f"UPDATE {table} SET globalTid = {number}" for table in tables))
    assert ingest([run], tmp_path / "W.db").exit_code == 0
    for table in ("op", "api_call", "python_call", "gc_event", "mark"):
        lost = f"SELECT count(*) FROM {table} WHERE thread_id NOT IN (SELECT id FROM thread)"
        assert ask(tmp_path / "W.db", lost) == [(0,)], table
    assert (number >> 32 & 0xFFFFFFFF, 0xFFFFFFFF) in ask(tmp_path / "W.db", "SELECT pid, tid FROM thread")


@pytest.mark.parametrize("end", ["100000000 - v", "100000000 + v"])
def test_many_slices_open_at_once(write, ask, change, database_of, tmp_path, end):
    (run,) = write()
    columns = "startNs, endNs, globalTid, name, type"
    numbers = "WITH RECURSIVE n(v) AS (SELECT 1 UNION ALL SELECT v + 1 FROM n LIMIT 30000)"
    change(
        database_of(run),
        "DELETE FROM PYTORCH_API",
        f"INSERT INTO PYTORCH_API ({columns}) {numbers} SELECT v, {end}, 1, 1, 50001 FROM n",
    )
    before = time.monotonic()
    assert ingest([run], tmp_path / "W.db").exit_code == 0
    assert time.monotonic() - before < 20
    assert ask(tmp_path / "W.db", "SELECT count(*) FROM op") == [(30000,)]
    deepest = 29_999 if "-" in end else 0
    assert ask(tmp_path / "W.db", "SELECT max(depth) FROM op") == [(deepest,)]
