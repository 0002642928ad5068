"""What is found once and stored: checked against slow, obvious computations over the source and the tables."""

import sqlite3
from contextlib import closing

import pytest

from warehouse.ingest import ingest
from warehouse.sample import write_profile

EVERY_RANK = "SELECT id, path FROM rank ORDER BY id"


@pytest.fixture(scope="module", params=["capture", "replay", "bare", "no queue", "Level0"])
def variant(request, tmp_path_factory):
    """Warehouses of profiles that link in different ways, with what they were made of."""
    folder = tmp_path_factory.mktemp("variant")
    settings = {"steps": 3, "ops_per_step": 16, "replays": 2, "ranks": 2}
    settings |= {"no queue": {"queue": False}, "Level0": {"level": "Level0", "generation": "1.0.0"}}.get(
        request.param, {"graph": request.param}
    )
    write_profile(folder / "job", **settings)
    ingest([folder / "job"], folder / "W.db")
    return folder / "W.db", request.param


def test_steps_agree_with_the_analysis(variant, ask):
    path, _ = variant
    ours = """SELECT t.rank_id, cast(s.step_no AS TEXT), computing_ns / 1e3, communication_not_overlapped_ns / 1e3,
        communication_ns / 1e3, free_ns / 1e3, (last_end_ns - first_start_ns - bubble_ns) / 1e3, bubble_ns / 1e3,
        (first_start_ns - s.start_ns) / 1e3 FROM step_time t JOIN step s ON s.id = t.step_id ORDER BY 1, 2"""
    theirs = """SELECT rank_id, step, computing, communication_not_overlapped, communication, free, stage, bubble,
        preparing FROM reference_step ORDER BY 1, 2"""
    found, expected = ask(path, ours), ask(path, theirs)
    assert len(found) == len(expected) > 0
    for one, other in zip(found, expected, strict=True):
        assert one == pytest.approx(other)


def test_groups_have_the_numbers_of_the_analysis(variant, ask):
    path, name = variant
    groups = ask(path, "SELECT group_hash, alias, rank_count, plane_count FROM comm_group")
    assert groups
    assert all(alias and ranks == 2 and planes for _, alias, ranks, planes in groups)
    assert all((number is None) == (name == "Level0") for number, *_ in groups)


def test_one_record_of_a_launch_keeps_it(variant, ask):
    path, _ = variant
    kept = """SELECT rank_id, connection_no, sum(kept), sum(vendor) FROM (
        SELECT rank_id, connection_no, launch_no = 0 AS kept, link_rule_id IN (1, 3, 6) AS vendor FROM device_task
        UNION ALL SELECT rank_id, connection_no, 1, link_rule_id IN (1, 3, 6) FROM comm_op)
        WHERE connection_no IS NOT NULL GROUP BY 1, 2"""
    rows = ask(path, kept)
    assert rows
    assert all(number == 1 and (vendor or 0) <= 1 for *_, number, vendor in rows)


def test_a_collective_keeps_its_launch(variant, ask):
    path, _ = variant
    rules = ask(path, "SELECT DISTINCT link_rule_id FROM comm_op")
    assert rules in ([(1,)], [(3,)])
    tasks = """SELECT DISTINCT t.link_rule_id FROM comm_task c JOIN device_task t ON t.id = c.device_task_id
        JOIN comm_op o ON o.id = c.comm_op_id WHERE t.op_id = o.op_id"""
    assert ask(path, tasks) in ([(2,)], [(4,)])


def test_ops_of_calls_by_the_slow_way(variant, ask):
    """Call in a dequeue -> its enqueue -> innermost op around that; outside of any, the one around the call."""
    path, _ = variant
    for rank_id, _ in ask(path, EVERY_RANK):
        ops = ask(path, "SELECT id, thread_id, start_ns, end_ns, depth FROM op WHERE rank_id = ?", rank_id)
        queue = ask(
            path,
            """SELECT id, dequeue_thread_id, dequeue_start_ns, dequeue_end_ns, enqueue_thread_id, enqueue_start_ns
            FROM queue_task WHERE rank_id = ?""",
            rank_id,
        )
        calls = ask(path, "SELECT thread_id, start_ns, op_id, queue_task_id FROM api_call WHERE rank_id = ?", rank_id)
        assert calls
        for on, begin, op, task in calls[::3]:
            inside = [each for each in queue if each[1] == on and each[2] <= begin <= each[3]]
            assert task == (inside[0][0] if inside else None)
            thread, start = inside[0][4:6] if inside else (on, begin)
            around = [each for each in ops if each[1] == thread and each[2] <= start <= each[3]]
            assert op == (max(around, key=lambda each: each[4])[0] if around else None)


def test_tasks_of_graphs(variant, ask):
    path, name = variant
    if name not in ("capture", "replay", "bare"):
        name = "capture"
    tasks = """SELECT t.link_rule_id, r.replay_no, t.api_call_id = r.api_call_id, t.op_id = r.op_id,
        t.start_ns >= r.start_ns AND t.end_ns <= r.end_ns, n.task_no = t.task_no
        FROM device_task t JOIN graph_replay r ON r.id = t.graph_replay_id JOIN graph_node n ON n.id = t.graph_node_id
        WHERE t.model_no IS NOT NULL"""
    rows = ask(path, tasks)
    assert ask(path, "SELECT count(*) FROM device_task WHERE model_no IS NOT NULL") == [(len(rows),)]
    assert all(inside and node for *_, inside, node in rows)
    if name == "capture":
        assert {(rule, number == 1) for rule, number, *_ in rows} == {(6, True), (7, False)}
    else:
        assert {(rule, call, op) for rule, _, call, op, *_ in rows} == {(8, 1, 1)}
    replays = "SELECT count(*), count(api_call_id), count(step_id), sum(task_count) FROM graph_replay"
    ((count, known, in_step, total),) = ask(path, replays)
    assert count == known == in_step
    assert total == len(rows)


def test_memory_lines_up_with_its_source(variant, ask):
    path, _ = variant
    for rank_id, run in ask(path, EVERY_RANK):
        (source,) = ask(path, "SELECT path FROM source WHERE rank_id = ? AND kind = 'profiler database'", rank_id)[0]
        with closing(sqlite3.connect(source)) as connection:
            expected = connection.execute(
                """SELECT s.value, m.size, m.allocationTime FROM OP_MEMORY m LEFT JOIN STRING_IDS s ON s.id = m.name
                ORDER BY m.rowid"""
            ).fetchall()
        found = """SELECT (SELECT value FROM string s WHERE s.id = name_id), size_bytes, start_ns FROM allocation
            WHERE rank_id = ? ORDER BY id"""
        assert ask(path, found, rank_id) == expected, run
        named = """SELECT count(*) FROM allocation a JOIN op o ON o.id = a.op_id
            WHERE a.rank_id = ? AND (o.name_id <> a.name_id OR a.stream_ptr IS NULL)"""
        assert ask(path, named, rank_id) == [(0,)]


def test_threads_and_extents(variant, ask):
    path, _ = variant
    for table, column in (("op", "op_count"), ("api_call", "api_count"), ("python_call", "python_count")):
        count = f"SELECT count(*) FROM {table} t WHERE t.thread_id = h.id"
        assert ask(path, f"SELECT h.id FROM thread h WHERE {column} <> ({count})") == []
    assert ask(path, "SELECT 1 FROM thread WHERE pid < 0 OR tid < 0") == []
    for table in ("op", "device_task", "comm_op", "allocation"):
        end = "coalesce(max(release_ns, start_ns), start_ns)" if table == "allocation" else "end_ns"
        extent = f"""SELECT rank_id, count(*), min(start_ns), max({end}), max({end} - start_ns)
            FROM {table} GROUP BY 1"""
        stored = f"""SELECT rank_id, row_count, min_start_ns, max_end_ns, max_duration_ns FROM event_extent
            WHERE table_name = '{table}' ORDER BY 1"""
        assert ask(path, stored) == ask(path, extent)
