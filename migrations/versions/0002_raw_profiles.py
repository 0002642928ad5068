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
]


def upgrade() -> None:
    for statement in DDL:
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("npuwh upgrades files and never takes them back: keep a copy of the older file")
