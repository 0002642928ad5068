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
]


def upgrade() -> None:
    for statement in DDL:
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("npuwh upgrades files and never takes them back: keep a copy of the older file")
