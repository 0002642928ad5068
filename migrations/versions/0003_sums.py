"""Sums over the events of a rank, stored; and indexes that no question uses are gone.

An older file gets the sums from its own rows, by statements that look at each row (and each operator around it) once.
"""

from __future__ import annotations

from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

TABLES = [
    "ALTER TABLE op ADD COLUMN framework_op_id INTEGER",
    """
    CREATE TABLE op_work (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, inner_ns INTEGER NOT NULL,
        work_count INTEGER NOT NULL, device_ns INTEGER NOT NULL, device_total_ns INTEGER NOT NULL,
        communication_ns INTEGER NOT NULL, vendor_ns INTEGER NOT NULL, vendor_total_ns INTEGER NOT NULL,
        ai_core_ns INTEGER NOT NULL, ai_core_total_ns INTEGER NOT NULL, PRIMARY KEY (id)) STRICT
    """,
    """
    CREATE TABLE op_total (rank_id INTEGER NOT NULL, name_id INTEGER NOT NULL, call_count INTEGER NOT NULL,
        host_total_ns INTEGER NOT NULL, inner_ns INTEGER NOT NULL, longest_ns INTEGER NOT NULL,
        work_count INTEGER NOT NULL, device_ns INTEGER NOT NULL, device_total_ns INTEGER NOT NULL,
        communication_ns INTEGER NOT NULL) STRICT
    """,
    "CREATE INDEX op_total__rank_id__name_id ON op_total (rank_id, name_id)",
    """
    CREATE TABLE module_total (rank_id INTEGER NOT NULL, name_id INTEGER NOT NULL, is_frame INTEGER NOT NULL,
        call_count INTEGER NOT NULL, host_total_ns INTEGER NOT NULL, op_count INTEGER NOT NULL,
        kernel_count INTEGER NOT NULL, device_total_ns INTEGER NOT NULL) STRICT
    """,
    "CREATE INDEX module_total__rank_id__name_id ON module_total (rank_id, name_id)",
    """
    CREATE TABLE kernel_op_total (rank_id INTEGER NOT NULL, name_id INTEGER NOT NULL, op_name_id INTEGER,
        framework_name_id INTEGER, module_name_id INTEGER, call_count INTEGER NOT NULL, total_ns INTEGER NOT NULL,
        longest_ns INTEGER NOT NULL) STRICT
    """,
    "CREATE INDEX kernel_op_total__rank_id__name_id ON kernel_op_total (rank_id, name_id)",
    """
    CREATE TABLE kernel_total (rank_id INTEGER NOT NULL, kernel_id INTEGER NOT NULL, call_count INTEGER NOT NULL,
        total_ns INTEGER NOT NULL, shortest_ns INTEGER NOT NULL, longest_ns INTEGER NOT NULL, wait_ns INTEGER) STRICT
    """,
    "CREATE INDEX kernel_total__rank_id__kernel_id ON kernel_total (rank_id, kernel_id)",
    """
    CREATE TABLE step_kernel_total (rank_id INTEGER NOT NULL, step_id INTEGER, name_id INTEGER NOT NULL,
        call_count INTEGER NOT NULL, total_ns INTEGER NOT NULL) STRICT
    """,
    "CREATE INDEX step_kernel_total__rank_id__step_id__name_id ON step_kernel_total (rank_id, step_id, name_id)",
    """
    CREATE TABLE stream_total (rank_id INTEGER NOT NULL, device_id INTEGER NOT NULL, stream_no INTEGER NOT NULL,
        type_id INTEGER NOT NULL, task_count INTEGER NOT NULL, total_ns INTEGER NOT NULL, longest_ns INTEGER NOT NULL)
        STRICT
    """,
    "CREATE INDEX stream_total__rank_id__device_id__stream_no ON stream_total (rank_id, device_id, stream_no)",
    """
    CREATE TABLE api_total (rank_id INTEGER NOT NULL, level_id INTEGER NOT NULL, name_id INTEGER NOT NULL,
        call_count INTEGER NOT NULL, total_ns INTEGER NOT NULL, inner_ns INTEGER NOT NULL, longest_ns INTEGER) STRICT
    """,
    "CREATE INDEX api_total__rank_id__name_id ON api_total (rank_id, name_id)",
]

# what is stored, from the rows that are there
FILL = [
    # the nearest operator, itself or one around it, whose name has a namespace
    """
    UPDATE op SET framework_op_id = nullif((
        WITH RECURSIVE around (id, parent_id, is_found) AS (
            SELECT op.id, op.parent_id, (SELECT instr(value, '::') FROM string WHERE id = op.name_id)
            UNION ALL
            SELECT p.id, p.parent_id, (SELECT instr(value, '::') FROM string WHERE id = p.name_id)
            FROM around AS a JOIN op AS p ON p.id = a.parent_id
            WHERE a.is_found = 0 AND p.id < a.id)
        SELECT id FROM around WHERE is_found > 0), id)
    """,
    """
    INSERT INTO op_work
    WITH RECURSIVE
    record (op_id, ns, is_work, is_vendor, is_ai_core, is_communication) AS (
        SELECT
            t.op_id, t.end_ns - t.start_ns,
            t.kernel_id IS NOT NULL OR t.type_id IN (SELECT id FROM string WHERE value = 'MEMCPY_ASYNC')
                AND NOT EXISTS (SELECT 1 FROM comm_task AS m WHERE m.device_task_id = t.id),
            coalesce((SELECT is_vendor FROM link_rule WHERE id = t.link_rule_id), 0),
            coalesce((SELECT core_id FROM kernel WHERE id = t.kernel_id), t.type_id)
                IN (SELECT id FROM string WHERE value = 'AI_CORE'),
            0
        FROM device_task AS t
        WHERE t.op_id IS NOT NULL
        UNION ALL
        SELECT
            c.op_id, c.end_ns - c.start_ns, 0,
            coalesce((SELECT is_vendor FROM link_rule WHERE id = c.link_rule_id), 0), 0, 1
        FROM comm_op AS c
        WHERE c.op_id IS NOT NULL
    ),
    own (op_id, work_count, device_ns, communication_ns, vendor_ns, ai_core_ns) AS (
        SELECT
            op_id, sum(is_work), sum(ns * is_work), sum(ns * is_communication), sum(ns * is_vendor),
            sum(ns * is_vendor * is_ai_core)
        FROM record GROUP BY op_id
    ),
    up (op_id, device_ns, vendor_ns, ai_core_ns) AS (
        SELECT op_id, device_ns, vendor_ns, ai_core_ns FROM own
        UNION ALL
        SELECT o.parent_id, u.device_ns, u.vendor_ns, u.ai_core_ns
        FROM up AS u JOIN op AS o ON o.id = u.op_id
        WHERE o.parent_id < o.id
    ),
    total (op_id, device_ns, vendor_ns, ai_core_ns) AS (
        SELECT op_id, sum(device_ns), sum(vendor_ns), sum(ai_core_ns) FROM up GROUP BY op_id
    ),
    child (op_id, inner_ns) AS (
        SELECT parent_id, sum(end_ns - start_ns) FROM op WHERE parent_id IS NOT NULL GROUP BY parent_id
    ),
    found AS (
        SELECT
            o.id, o.rank_id, coalesce(c.inner_ns, 0) AS inner_ns, coalesce(w.work_count, 0) AS work_count,
            coalesce(w.device_ns, 0) AS device_ns, coalesce(t.device_ns, 0) AS device_total_ns,
            coalesce(w.communication_ns, 0) AS communication_ns, coalesce(w.vendor_ns, 0) AS vendor_ns,
            coalesce(t.vendor_ns, 0) AS vendor_total_ns, coalesce(w.ai_core_ns, 0) AS ai_core_ns,
            coalesce(t.ai_core_ns, 0) AS ai_core_total_ns
        FROM op AS o
        LEFT JOIN child AS c ON c.op_id = o.id
        LEFT JOIN own AS w ON w.op_id = o.id
        LEFT JOIN total AS t ON t.op_id = o.id
    )
    SELECT * FROM found
    WHERE inner_ns <> 0 OR work_count <> 0 OR device_ns <> 0 OR device_total_ns <> 0 OR communication_ns <> 0
        OR vendor_ns <> 0 OR vendor_total_ns <> 0 OR ai_core_ns <> 0 OR ai_core_total_ns <> 0
    """,
    """
    INSERT INTO op_total
    SELECT
        o.rank_id, o.name_id, count(*), sum(o.end_ns - o.start_ns), sum(coalesce(w.inner_ns, 0)),
        max(o.end_ns - o.start_ns), sum(coalesce(w.work_count, 0)), sum(coalesce(w.device_ns, 0)),
        sum(coalesce(w.device_total_ns, 0)), sum(coalesce(w.communication_ns, 0))
    FROM op AS o LEFT JOIN op_work AS w ON w.id = o.id
    GROUP BY o.rank_id, o.name_id
    """,
    # from the frames to the operators
    """
    INSERT INTO module_total
    WITH cost AS (
        SELECT op_id, count(*) AS kernel_count, sum(end_ns - start_ns) AS device_ns
        FROM device_task WHERE op_id IS NOT NULL AND kernel_id IS NOT NULL
        GROUP BY op_id
    ),
    frame AS (
        SELECT p.id, p.rank_id, p.thread_id, p.start_ns, p.end_ns, p.name_id
        FROM python_call AS p JOIN string AS s ON s.id = p.name_id
        WHERE s.value >= 'nn.Module: ' AND s.value < 'nn.Module:!'
    ),
    held AS (
        SELECT f.id, count(o.id) AS op_count, sum(c.kernel_count) AS kernel_count, sum(c.device_ns) AS device_ns
        FROM frame AS f
        LEFT JOIN op AS o ON o.rank_id = f.rank_id AND o.start_ns >= f.start_ns AND o.start_ns <= f.end_ns
            AND o.thread_id = f.thread_id AND o.end_ns <= f.end_ns
        LEFT JOIN cost AS c ON c.op_id = o.id
        GROUP BY f.id
    )
    SELECT
        f.rank_id, f.name_id, 1, count(*), sum(f.end_ns - f.start_ns), sum(h.op_count),
        coalesce(sum(h.kernel_count), 0), coalesce(sum(h.device_ns), 0)
    FROM frame AS f JOIN held AS h ON h.id = f.id
    GROUP BY f.rank_id, f.name_id
    UNION ALL
    SELECT
        o.rank_id, o.module_id, 0, count(*),
        sum(iif(o.module_id IS (SELECT module_id FROM op WHERE id = o.parent_id), 0, o.end_ns - o.start_ns)),
        count(*), coalesce(sum(c.kernel_count), 0), coalesce(sum(c.device_ns), 0)
    FROM op AS o LEFT JOIN cost AS c ON c.op_id = o.id
    WHERE o.module_id IS NOT NULL
    GROUP BY o.rank_id, o.module_id
    """,
    # SQLite takes name_id of a frame from the row that holds the maximum
    """
    INSERT INTO kernel_op_total
    WITH launched AS (
        SELECT t.rank_id, t.op_id, k.name_id, count(*) AS call_count, sum(t.end_ns - t.start_ns) AS total_ns,
            max(t.end_ns - t.start_ns) AS longest_ns
        FROM device_task AS t JOIN kernel AS k ON k.id = t.kernel_id
        WHERE k.is_schedule = 0
        GROUP BY t.rank_id, t.op_id, k.name_id
    ),
    frame AS (
        SELECT o.id AS op_id, max(p.depth), p.name_id
        FROM python_call AS p
        CROSS JOIN string AS s ON s.id = p.name_id
        CROSS JOIN op AS o ON o.rank_id = p.rank_id AND o.start_ns >= p.start_ns AND o.start_ns <= p.end_ns
            AND o.thread_id = p.thread_id AND o.end_ns <= p.end_ns
        WHERE s.value >= 'nn.Module: ' AND s.value < 'nn.Module:!'
        GROUP BY o.id
    )
    SELECT
        l.rank_id, l.name_id, o.name_id, w.name_id, coalesce(o.module_id, w.module_id, m.name_id) AS module_name_id,
        sum(l.call_count), sum(l.total_ns), max(l.longest_ns)
    FROM launched AS l
    LEFT JOIN op AS o ON o.id = l.op_id
    LEFT JOIN op AS w ON w.id = coalesce(o.framework_op_id, o.id)
    LEFT JOIN frame AS m ON m.op_id = l.op_id
    GROUP BY l.rank_id, l.name_id, o.name_id, w.name_id, module_name_id
    """,
    """
    INSERT INTO kernel_total
    SELECT rank_id, kernel_id, count(*), sum(end_ns - start_ns), min(end_ns - start_ns), max(end_ns - start_ns),
        sum(wait_ns)
    FROM device_task WHERE kernel_id IS NOT NULL
    GROUP BY rank_id, kernel_id
    """,
    """
    INSERT INTO step_kernel_total
    SELECT t.rank_id, t.step_id, k.name_id, count(*), sum(t.end_ns - t.start_ns)
    FROM device_task AS t JOIN kernel AS k ON k.id = t.kernel_id
    WHERE k.is_schedule = 0
    GROUP BY t.rank_id, t.step_id, k.name_id
    """,
    """
    INSERT INTO stream_total
    SELECT rank_id, device_id, stream_no, type_id, count(*), sum(end_ns - start_ns), max(end_ns - start_ns)
    FROM device_task WHERE is_covered = 0
    GROUP BY rank_id, device_id, stream_no, type_id
    """,
    """
    INSERT INTO api_total
    WITH inner_call AS (
        SELECT parent_id, sum(end_ns - start_ns) AS inner_ns
        FROM api_call WHERE parent_id IS NOT NULL GROUP BY parent_id
    )
    SELECT a.rank_id, a.level_id, a.name_id, count(*), sum(a.end_ns - a.start_ns), coalesce(sum(i.inner_ns), 0),
        max(a.end_ns - a.start_ns)
    FROM api_call AS a LEFT JOIN inner_call AS i ON i.parent_id = a.id
    GROUP BY a.rank_id, a.level_id, a.name_id
    """,
]

UNUSED_INDEXES = [
    "DROP INDEX op__name_id",
    "DROP INDEX op__parent_id",
    "DROP INDEX queue_task__rank_id__correlation_no",
    "DROP INDEX api_call__rank_id__connection_no",
    "DROP INDEX device_task__kernel_id",
]


def upgrade() -> None:
    for statement in (*TABLES, *FILL, *UNUSED_INDEXES):
        op.execute(statement)


def downgrade() -> None:
    raise NotImplementedError("npuwh upgrades files and never takes them back: keep a copy of the older file")
