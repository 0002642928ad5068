"""A question about a window of time costs the window: base views are plain indexed selects."""

from __future__ import annotations

import pytest

from warehouse import store

FEW_ROWS = {"graph_replay_named"}  # some per step, no index by time
# the index of these begins with more than the rank
MORE_KEYS = {"busy_interval_named": [("device_id", "=", 0), ("kind", "=", 0)]}


def _timed():
    for view in store.views().values():
        columns = {column.name for column in view.columns}
        time = next((name for name in ("start_ns", "time_ns") if name in columns), None)
        if view.room == "base" and time and "rank_id" in columns and view.name not in FEW_ROWS:
            yield pytest.param(view.name, time, id=view.name)


@pytest.fixture(scope="module")
def connection(tmp_path_factory):
    path = tmp_path_factory.mktemp("windows") / "w.db"
    store.create(path)
    connection = store.open_read(path)
    yield connection
    connection.close()


@pytest.mark.parametrize(("name", "time"), list(_timed()))
def test_window_uses_an_index(connection, name, time):
    where = [("rank_id", "=", 1), *MORE_KEYS.get(name, []), (time, ">=", 100), (time, "<", 200)]
    text, values = store.select(name, where=where)
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {text}", values)]
    scans = [step for step in plan if step.startswith(("SCAN", "MATERIALIZE")) and "(subquery" not in step]
    assert scans == []
    assert any(f"{time}>?" in step and f"{time}<?" in step for step in plan), plan


def test_a_named_view_may_stand_right_of_a_left_join(connection):
    """The reason why base views decode by scalar subqueries: a join in them would be made whole for each question."""
    join = "kernel_metric_other AS m LEFT JOIN device_task_named AS d ON d.id = m.device_task_id"
    text = f"SELECT m.value, d.name FROM {join}"
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {text}")]
    assert plan[1].startswith("SEARCH t USING INTEGER PRIMARY KEY")
