"""What raw profiles hold beyond databases, and what windowed questions and big files need."""

from __future__ import annotations

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

DDL: list[str] = [
    # what became of the bytes of each file
    "ALTER TABLE source ADD COLUMN decoded_bytes INTEGER",
    "ALTER TABLE source ADD COLUMN rejected_bytes INTEGER",
    # what kernels ran on, and what of their device they can have used
    "ALTER TABLE device ADD COLUMN aic_core_count INTEGER",
    "ALTER TABLE device ADD COLUMN aiv_core_count INTEGER",
    "ALTER TABLE device ADD COLUMN aic_mhz REAL",
    "ALTER TABLE device ADD COLUMN aiv_mhz REAL",
    "ALTER TABLE kernel ADD COLUMN symbol_id INTEGER",
    # what a trace tells of Python frames, copies and tasks of collectives
    "ALTER TABLE python_call ADD COLUMN frame_no INTEGER",
    "ALTER TABLE python_call ADD COLUMN outer_frame_no INTEGER",
    "ALTER TABLE memory_copy ADD COLUMN engine_id INTEGER",
    "ALTER TABLE comm_task ADD COLUMN estimated_us REAL",
    # sums over the tasks of graphs
    "ALTER TABLE graph_node ADD COLUMN replay_count INTEGER",
    "ALTER TABLE graph_node ADD COLUMN total_ns INTEGER",
    "ALTER TABLE graph_node ADD COLUMN shortest_ns INTEGER",
    "ALTER TABLE graph_node ADD COLUMN longest_ns INTEGER",
    "ALTER TABLE graph_replay ADD COLUMN node_count INTEGER",
    "ALTER TABLE graph_replay ADD COLUMN work_ns INTEGER",
    "ALTER TABLE graph_replay ADD COLUMN busy_ns INTEGER",
    "ALTER TABLE graph_replay ADD COLUMN pause_ns INTEGER",
    """
    UPDATE graph_node SET replay_count = coalesce(s.n, 0), total_ns = coalesce(s.total, 0),
        shortest_ns = coalesce(s.shortest, 0), longest_ns = coalesce(s.longest, 0)
    FROM graph_node n LEFT JOIN (
        SELECT graph_node_id node, count(*) n, sum(end_ns - start_ns) total, min(end_ns - start_ns) shortest,
            max(end_ns - start_ns) longest
        FROM device_task WHERE graph_node_id IS NOT NULL AND is_covered = 0 GROUP BY graph_node_id) s ON s.node = n.id
    WHERE n.id = graph_node.id
    """,
    """
    UPDATE graph_replay SET node_count = coalesce(s.n, 0), work_ns = coalesce(s.work, 0), busy_ns = coalesce(s.busy, 0),
        pause_ns = coalesce(s.pause, 0)
    FROM graph_replay r LEFT JOIN (
        SELECT replay, count(*) n, sum(end_ns - start_ns) work, sum(max(end_ns - max(start_ns, until), 0)) busy,
            max(max(start_ns - until, 0)) pause
        FROM (
            SELECT graph_replay_id replay, start_ns, end_ns, coalesce(max(end_ns) OVER (PARTITION BY graph_replay_id
                ORDER BY start_ns, id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), start_ns) until
            FROM device_task WHERE graph_replay_id IS NOT NULL AND graph_node_id IS NOT NULL AND is_covered = 0)
        GROUP BY replay) s ON s.replay = r.id
    WHERE r.id = graph_replay.id
    """,
    """
    INSERT INTO link_rule (id, name, is_vendor, text)
    VALUES (9, 'part', 0, 'part of a mixed kernel that the host does not know: as the task that it is a part of')
    """,
    # what raw profiles tell of caches and of the AI CPU
    "ALTER TABLE cache_rate ADD COLUMN row_no INTEGER",
    "ALTER TABLE cache_rate ADD COLUMN stream_no INTEGER",
    "ALTER TABLE cache_rate ADD COLUMN task_no INTEGER",
    "ALTER TABLE cache_rate ADD COLUMN start_ns INTEGER",
    "ALTER TABLE cache_rate ADD COLUMN end_ns INTEGER",
    "CREATE INDEX cache_rate__rank_id__start_ns ON cache_rate (rank_id, start_ns)",
    "ALTER TABLE aicpu_task ADD COLUMN device_task_id INTEGER",
    """
    CREATE TABLE data_queue (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, device_id INTEGER NOT NULL,
        time_ns INTEGER NOT NULL, name_id INTEGER, source_id INTEGER, index_no INTEGER, size INTEGER, start_us INTEGER,
        end_us INTEGER, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX data_queue__rank_id__time_ns ON data_queue (rank_id, time_ns)",
    """
    CREATE TABLE comm_turn (rank_id INTEGER NOT NULL, device_id INTEGER NOT NULL, start_ns INTEGER NOT NULL,
        end_ns INTEGER NOT NULL, stream_no INTEGER, task_no INTEGER, turn_no INTEGER, turn_count INTEGER,
        size_bytes INTEGER, name_id INTEGER NOT NULL) STRICT
    """,
    "CREATE INDEX comm_turn__rank_id__start_ns ON comm_turn (rank_id, start_ns)",
]


def upgrade() -> None:
    for statement in DDL:
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("npuwh upgrades files and never takes them back: keep a copy of the older file")
