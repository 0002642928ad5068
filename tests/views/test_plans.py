"""How SQLite answers what is asked daily, as it would in a large file: what it reads from one end to the other."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from tests.views.query_plan import full_scans
from warehouse import store
from warehouse.ingest import ingest
from warehouse.sample import write_profile

ANSWERS = ("device", "host", "step", "comm", "cluster", "graph")
TIMES = 100_000  # the statistics say so many times the rows that there are
# tables that grow with the length of a recording
LONG = set(
    """aicpu_task allocation api_call busy_interval cache_rate comm_op comm_task comm_turn counter_sample data_queue
    device_memory device_task gc_event kernel_metric kernel_metric_other mark memory_copy memory_event memory_record
    module_memory op op_work python_call queue_task reference_overlap stack_frame""".split()
)
# view -> what it reads whole for a window of time, and why
WINDOW_READS = {
    "collective_rank": ({"comm_op"}, "the same collective on other ranks is told by its place among all"),
    "collective_spread": ({"comm_op"}, "as above"),
    "comm_op_rdma": ({"comm_op"}, "transfers are runs among all tasks of an operator; asked by comm_op_id"),
    "comm_op_time": ({"comm_op"}, "as above"),
    "idle_gap_host": (
        {"busy_interval", "op", "api_call", "python_call", "gc_event"},
        "a slice begins anywhere around its gap; asked by idle_gap_id",
    ),
    "memory_peak": ({"memory_record"}, "a peak is known when everything was seen"),
    "memory_peak_holder": ({"memory_record"}, "as above"),
    "memory_peak_line": ({"memory_record"}, "as above"),
    "task_cache_rate": ({"cache_rate", "device_task"}, "rates without execution: the task's last one names them"),
}
# answered from stored sums: they read no event at all, whatever is asked of them
SUMS = """analysis_step_trace_time api_time device_busy graph_cost graph_op_cost kernel_op_time kernel_shape_time
    kernel_time module_time op_time rank_comparison rank_overview step_breakdown step_kernel_time step_spread
    task_type_time""".split()
# view -> the column that it is asked by
KEYS = {
    "idle_gap": "id",
    "idle_gap_copy": "idle_gap_id",
    "idle_gap_host": "idle_gap_id",
    "op_code_line": "op_id",
    "op_cost": "op_id",
    "op_framework": "op_id",
    "comm_op_link": "comm_op_id",
    "stack_line": "stack_id",
}
# questions of the benchmark (tests/bench/stages/query.py): the words that their plans must and must not have
QUESTIONS = [
    ("SELECT name, duration_ns FROM device_task_named WHERE rank_id = 1 AND start_ns >= 5 AND start_ns < 9",
     "SEARCH t USING INDEX device_task__rank_id__start_ns (rank_id=? AND start_ns>? AND start_ns<?)", "SCAN"),
    ("SELECT id FROM device_task WHERE op_id = 7",
     "SEARCH device_task USING COVERING INDEX device_task__op_id", "SCAN"),
    ("SELECT o.name_id, sum(t.end_ns - t.start_ns) FROM device_task t JOIN op o ON o.id = t.op_id GROUP BY 1",
     "SEARCH o USING INTEGER PRIMARY KEY (rowid=?)", "SCAN o"),
    ("SELECT kernel_name, total_ns FROM kernel_time WHERE rank_id = 1 ORDER BY total_ns DESC LIMIT 10",
     "SEARCH t USING INDEX kernel_total__rank_id", "device_task"),
]  # fmt: skip


@pytest.fixture(scope="module")
def connection(tmp_path_factory):
    folder = tmp_path_factory.mktemp("plans")
    write_profile(folder / "job", ranks=2, steps=3, ops_per_step=20, level="Level2", replays=2)
    ingest([folder / "job"], folder / "W.db")
    with closing(sqlite3.connect(folder / "W.db")) as changed:
        for table, index, text in changed.execute("SELECT tbl, idx, stat FROM sqlite_stat1").fetchall():
            if table not in LONG:
                continue
            rows, *equal = map(int, text.split())
            # rows of a rank, a device or a kind grow as the file does, those of a moment or an operator do not
            columns = (index or "").split("__")[1:]
            few = [
                set(columns[: place + 1]) <= {"rank_id", "device_id", "kind", "stream_no"}
                for place in range(len(columns))
            ]
            grown = [rows * TIMES, *(each * TIMES if low else each for each, low in zip(equal, few, strict=False))]
            where = "UPDATE sqlite_stat1 SET stat = ? WHERE tbl = ? AND idx IS ?"
            changed.execute(where, [" ".join(map(str, grown)), table, index])
        changed.commit()
    connection = store.open_read(folder / "W.db")
    yield connection
    connection.close()


def _windows():
    for view in store.views().values():
        columns = {column.name for column in view.columns}
        time = next((name for name in ("start_ns", "time_ns", "step_id") if name in columns), None)
        if view.room in ANSWERS and time:
            yield pytest.param(view.name, time, "rank_id" in columns, id=view.name)


@pytest.mark.parametrize(("name", "time", "has_rank"), list(_windows()))
def test_no_answer_reads_a_long_table_for_a_window(connection, name, time, has_rank):
    where = [("rank_id", "=", 1)] if has_rank else []
    where += [(time, "=", 3)] if time == "step_id" else [(time, ">=", 100), (time, "<", 200)]
    text, values = store.select(name, where=where)
    allowed, _ = WINDOW_READS.get(name, (set(), ""))
    if name == "comm_matrix":
        allowed = {"comm_op"}  # the fastest, middle and slowest of all
    assert full_scans(connection, text, values) & LONG <= allowed


@pytest.mark.parametrize("name", SUMS)
def test_sums_read_no_events(connection, name):
    assert full_scans(connection, f"SELECT * FROM {name}") & LONG == set()


@pytest.mark.parametrize(("name", "key"), list(KEYS.items()))
def test_one_of_them_costs_one(connection, name, key):
    text, values = store.select(name, where=[(key, "=", 7)])
    assert full_scans(connection, text, values) & LONG == set()


@pytest.mark.parametrize(("text", "must", "must_not"), QUESTIONS)
def test_plans_of_daily_questions(connection, text, must, must_not):
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {text}")]
    assert any(step.startswith(must) for step in plan), plan
    assert not any(step.startswith(must_not) or f" {must_not} " in step for step in plan), plan
