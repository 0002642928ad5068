"""What the second revision makes of rows of the first: sums that are stored now are those of what is there."""

import shutil
import sqlite3

import pytest

from warehouse import store
from warehouse.store.migrate import migrate
from warehouse.store.resources import resource_folder


@pytest.fixture
def old_file(tmp_path):
    """An empty file of the first revision."""
    folder = tmp_path / "migrations"
    shutil.copytree(resource_folder("migrations"), folder)
    for path in (folder / "versions").glob("000[2-9]*"):
        path.unlink()
    migrate(lambda: sqlite3.connect(tmp_path / "W.db"), folder)
    return tmp_path / "W.db"


def test_sums_over_the_tasks_of_graphs(old_file):
    connection = sqlite3.connect(old_file)
    connection.execute(
        "INSERT INTO graph_node (id, graph_id, rank_id, stream_no, task_no) VALUES (1,1,1,0,0), (2,1,1,0,1)"
    )
    connection.execute(
        "INSERT INTO graph_replay (id, graph_id, rank_id, replay_no, task_count) VALUES (1,1,1,1,4), (2,1,1,2,0)"
    )
    # (start, end, node, replay, covered): the second lies in the first, the fourth is not drawn, the fifth of no node
    tasks = [(0, 10, 1, 1, 0), (2, 5, 1, 1, 0), (30, 40, 1, 1, 0), (30, 90, 1, 1, 1), (0, 100, None, 1, 0)]
    connection.executemany(
        "INSERT INTO device_task (rank_id, device_id, stream_no, task_no, type_id, lane, start_ns, end_ns,"
        " graph_node_id, graph_replay_id, is_covered) VALUES (1, 0, 0, 0, 0, 0, ?, ?, ?, ?, ?)",
        tasks,
    )
    connection.commit()
    connection.close()
    store.upgrade(old_file)
    connection = sqlite3.connect(old_file)
    nodes = "SELECT replay_count, total_ns, shortest_ns, longest_ns FROM graph_node ORDER BY id"
    assert connection.execute(nodes).fetchall() == [(3, 23, 3, 10), (0, 0, 0, 0)]
    replays = "SELECT node_count, work_ns, busy_ns, pause_ns FROM graph_replay ORDER BY id"
    assert connection.execute(replays).fetchall() == [(3, 23, 20, 20), (0, 0, 0, 0)]
    connection.close()
