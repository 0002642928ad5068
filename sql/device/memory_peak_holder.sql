CREATE VIEW memory_peak_holder AS
-- Who held memory when a component's allocation was highest: the blocks alive then.
--
-- By operator that allocated. What was allocated before the recording began, or is not recorded block by block, is a
-- line of its own.
--
-- grain: rank_id, device_id, component, op_name
-- uses:  memory_peak, allocation, string, rank
-- cols:
--   rank_id      -      rank
--   rank_no      -      its number in the job; none if unknown
--   device_id    -      device
--   component    text   PTA, GE ...
--   time_ns      ns     when the peak was reached
--   peak_bytes   bytes  allocated then
--   op_name      text   operator that allocated; none if unknown; (not recorded) for the rest of the peak
--   block_count  count  its blocks alive then
--   held_bytes   bytes  their size
--   share_ratio  ratio  held / peak
WITH held AS (
    SELECT
        p.rank_id, p.device_id, p.component_id, p.component, p.time_ns, p.peak_bytes, a.name_id, count(*) AS block_count,
        sum(a.size_bytes) AS held_bytes
    FROM memory_peak AS p
    JOIN allocation AS a ON a.rank_id = p.rank_id AND a.start_ns <= p.time_ns AND a.component_id = p.component_id
        AND a.device_id IS p.device_id AND (a.release_ns IS NULL OR a.release_ns > p.time_ns)
    GROUP BY p.rank_id, p.device_id, p.component_id, a.name_id
),
holder AS (
    SELECT
        rank_id, device_id, component, time_ns, peak_bytes, (SELECT value FROM string WHERE id = name_id) AS op_name,
        block_count, held_bytes
    FROM held
    UNION ALL
    SELECT rank_id, device_id, component, time_ns, peak_bytes, '(not recorded)', NULL, peak_bytes - sum(held_bytes)
    FROM held
    GROUP BY rank_id, device_id, component_id
    HAVING peak_bytes > sum(held_bytes)
)
SELECT
    rank_id, (SELECT rank_no FROM rank WHERE id = holder.rank_id) AS rank_no,
    device_id, component, time_ns, peak_bytes, op_name,
    block_count, held_bytes, held_bytes * 1.0 / nullif(peak_bytes, 0) AS share_ratio
FROM holder;
