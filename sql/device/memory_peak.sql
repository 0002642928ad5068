CREATE VIEW memory_peak AS
-- The highest allocation of each memory component on each device, and when it was reached.
--
-- Of a recording of npuwh the component CPU counts from its start: what the program held before is not in it.
--
-- grain: rank_id, device_id, component
-- uses:  memory_record, string, step, rank
-- cols:
--   rank_id          -      rank
--   rank_no          -      its number in the job; none if unknown
--   device_id        -      device
--   component        text   PTA, GE, PTA+GE ...
--   component_id     -      string.id of it
--   peak_bytes       bytes  most that was allocated at once
--   time_ns          ns     first time that this was so
--   step_no          -      step on the host at that time; none outside of steps
--   reserved_bytes   bytes  reserved at that time
--   most_reserved_bytes  bytes  most that was reserved at once
WITH top AS (
    SELECT rank_id, device_id, component_id, max(allocated_bytes) AS peak_bytes, max(reserved_bytes) AS most_reserved_bytes
    FROM memory_record
    GROUP BY rank_id, device_id, component_id
),
peak AS (  -- SQLite takes reserved_bytes from the row that holds the minimum
    SELECT t.*, min(m.time_ns) AS time_ns, m.reserved_bytes
    FROM top AS t
    JOIN memory_record AS m ON m.rank_id = t.rank_id AND m.device_id IS t.device_id AND m.component_id = t.component_id
        AND m.allocated_bytes = t.peak_bytes
    GROUP BY t.rank_id, t.device_id, t.component_id
)
SELECT
    p.rank_id, (SELECT rank_no FROM rank WHERE id = p.rank_id) AS rank_no,
    p.device_id, (SELECT value FROM string WHERE id = p.component_id) AS component, p.component_id,
    p.peak_bytes, p.time_ns,
    (
        SELECT s.step_no FROM step AS s
        WHERE s.rank_id = p.rank_id AND s.start_ns <= p.time_ns AND s.end_ns > p.time_ns ORDER BY s.id LIMIT 1) AS step_no,
    p.reserved_bytes, p.most_reserved_bytes
FROM peak AS p;
