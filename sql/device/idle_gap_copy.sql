CREATE VIEW idle_gap_copy AS
-- How long copies ran in each gap in which a device ran neither kernel nor collective.
--
-- Gaps without a copy have no row.  Copies that overlap count once.
--
-- grain: idle_gap_id
-- uses:  busy_interval, device_task, string, rank
-- cols:
--   idle_gap_id  -      busy_interval.id of the gap
--   rank_id      -      rank
--   rank_no      -      its number in the job; none if unknown
--   copy_count   count  copies that ran in it
--   copy_ns      ns     time in the gap in which at least one of them ran

-- A copy meets the last gap that begins before it and those that begin while it runs, since gaps do not overlap.
-- CROSS JOIN: from the few copies to the gaps, along their index.
WITH copied AS (
    SELECT g.id, g.rank_id, max(c.start_ns, g.start_ns) AS start_ns, min(c.end_ns, g.end_ns) AS end_ns
    FROM device_task AS c
    CROSS JOIN busy_interval AS g ON g.rank_id = c.rank_id AND g.device_id = c.device_id AND g.kind = 3
        AND g.start_ns < c.end_ns AND g.end_ns > c.start_ns AND g.start_ns >= coalesce((
            SELECT max(b.start_ns) FROM busy_interval AS b
            WHERE b.rank_id = c.rank_id AND b.device_id = c.device_id AND b.kind = 3 AND b.start_ns <= c.start_ns),
            c.start_ns)
    WHERE c.type_id = (SELECT id FROM string WHERE value = 'MEMCPY_ASYNC') AND c.end_ns > c.start_ns
),
piece AS (
    SELECT id, rank_id, start_ns, end_ns, max(end_ns) OVER earlier AS covered_ns
    FROM copied
    WINDOW earlier AS (PARTITION BY id ORDER BY start_ns, end_ns ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
)
SELECT
    p.id AS idle_gap_id, p.rank_id, (SELECT rank_no FROM rank WHERE id = p.rank_id) AS rank_no, count(*) AS copy_count,
    sum(max(p.end_ns - max(p.start_ns, coalesce(p.covered_ns, p.start_ns)), 0)) AS copy_ns
FROM piece AS p
GROUP BY p.id;
