"""Tasks of the device in fewer bytes: what most rows leave at its default stands last, where records may end before it.

The number that grouped executions in the source goes: what it led to, kernel and captured task, is stored.
"""

from __future__ import annotations

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

COLUMNS = """id, rank_id, device_id, start_ns, end_ns, type_id, stream_no, task_no, connection_no, kernel_id,
    api_call_id, op_id, link_rule_id, step_id, wait_ns, batch_no, context_no, launch_no, is_covered, lane, model_no,
    graph_node_id, graph_replay_id"""

STATEMENTS = [
    "ALTER TABLE device_task RENAME TO device_task_wide",
    """
    CREATE TABLE device_task (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, device_id INTEGER NOT NULL,
        start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, type_id INTEGER NOT NULL, stream_no INTEGER NOT NULL,
        task_no INTEGER NOT NULL, connection_no INTEGER, kernel_id INTEGER, api_call_id INTEGER, op_id INTEGER,
        link_rule_id INTEGER, step_id INTEGER, wait_ns INTEGER, batch_no INTEGER, context_no INTEGER,
        launch_no INTEGER DEFAULT 0, is_covered INTEGER DEFAULT 0 NOT NULL, lane INTEGER DEFAULT 0 NOT NULL,
        model_no INTEGER, graph_node_id INTEGER, graph_replay_id INTEGER, PRIMARY KEY (id)) STRICT
    """,
    f"INSERT INTO device_task ({COLUMNS}) SELECT {COLUMNS} FROM device_task_wide ORDER BY id",
    "DROP TABLE device_task_wide",
    "CREATE INDEX device_task__op_id ON device_task (op_id)",
    "CREATE INDEX device_task__rank_id__connection_no ON device_task (rank_id, connection_no)",
    "CREATE INDEX device_task__rank_id__start_ns ON device_task (rank_id, start_ns)",
]


def upgrade() -> None:
    for statement in STATEMENTS:
        op.execute(statement)
    if op.get_bind().exec_driver_sql("SELECT 1 FROM device_task LIMIT 1").first():
        op.execute("ANALYZE device_task")  # its statistics went with the old table


def downgrade() -> None:
    raise NotImplementedError("npuwh upgrades files and never takes them back: keep a copy of the older file")
