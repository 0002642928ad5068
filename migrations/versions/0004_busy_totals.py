"""Busy time of each device, stored; and how long copies ran while it was free.

An older file gets both from its own rows.
"""

from __future__ import annotations

from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

TABLES = [
    "ALTER TABLE busy_interval ADD COLUMN copy_count INTEGER",
    "ALTER TABLE busy_interval ADD COLUMN copy_ns INTEGER",
    """
    CREATE TABLE busy_total (rank_id INTEGER NOT NULL, device_id INTEGER NOT NULL, kind INTEGER NOT NULL,
        step_id INTEGER, interval_count INTEGER NOT NULL, total_ns INTEGER NOT NULL, longest_ns INTEGER NOT NULL)
        STRICT
    """,
    "CREATE INDEX busy_total__rank_id__device_id__kind ON busy_total (rank_id, device_id, kind)",
]

FILL = [
    # A copy meets the last gap that begins before it and those that begin while it runs, since gaps do not overlap.
    # CROSS JOIN: from the few copies to the gaps, along their index.
    """
    UPDATE busy_interval SET copy_count = f.copy_count, copy_ns = f.copy_ns
    FROM (
        WITH copied AS (
            SELECT g.id, max(c.start_ns, g.start_ns) AS start_ns, min(c.end_ns, g.end_ns) AS end_ns
            FROM device_task AS c
            CROSS JOIN busy_interval AS g ON g.rank_id = c.rank_id AND g.device_id = c.device_id AND g.kind = 3
                AND g.start_ns < c.end_ns AND g.end_ns > c.start_ns AND g.start_ns >= coalesce((
                    SELECT max(b.start_ns) FROM busy_interval AS b
                    WHERE b.rank_id = c.rank_id AND b.device_id = c.device_id AND b.kind = 3
                        AND b.start_ns <= c.start_ns),
                    c.start_ns)
            WHERE c.type_id = (SELECT id FROM string WHERE value = 'MEMCPY_ASYNC') AND c.end_ns > c.start_ns
        ),
        piece AS (
            SELECT id, start_ns, end_ns, max(end_ns) OVER earlier AS covered_ns
            FROM copied
            WINDOW earlier AS (
                PARTITION BY id ORDER BY start_ns, end_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
        )
        SELECT id, count(*) AS copy_count,
            sum(max(end_ns - max(start_ns, coalesce(covered_ns, start_ns)), 0)) AS copy_ns
        FROM piece
        GROUP BY id
    ) AS f
    WHERE f.id = busy_interval.id
    """,
    """
    INSERT INTO busy_total
    SELECT rank_id, device_id, kind, step_id, count(*), sum(end_ns - start_ns), max(end_ns - start_ns)
    FROM busy_interval
    GROUP BY rank_id, device_id, kind, step_id
    """,
]


def upgrade() -> None:
    for statement in (*TABLES, *FILL):
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("npuwh upgrades files and never takes them back: keep a copy of the older file")
