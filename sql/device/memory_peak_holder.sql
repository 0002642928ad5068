CREATE VIEW memory_peak_holder AS
-- Who held memory when a component's allocation was highest: the blocks alive at that time, by operator.
--
-- grain: rank_id, device_id, component, op_name
-- uses:  memory_peak, allocation, string
-- cols:
--   rank_id      -      rank
--   device_id    -      device
--   component    text   PTA, GE ...
--   time_ns      ns     when the peak was reached
--   peak_bytes   bytes  allocated then
--   op_name      text   operator that allocated; none if unknown
--   block_count  count  its blocks alive then
--   held_bytes   bytes  their size
--   share_ratio  ratio  held / peak
SELECT
    p.rank_id, p.device_id, p.component, p.time_ns, p.peak_bytes,
    (SELECT value FROM string WHERE id = a.name_id) AS op_name, count(*) AS block_count, sum(a.size_bytes) AS held_bytes,
    sum(a.size_bytes) * 1.0 / nullif(p.peak_bytes, 0) AS share_ratio
FROM memory_peak AS p
JOIN allocation AS a ON a.rank_id = p.rank_id AND a.start_ns <= p.time_ns AND a.component_id = p.component_id
    AND a.device_id IS p.device_id AND (a.release_ns IS NULL OR a.release_ns > p.time_ns)
GROUP BY p.rank_id, p.device_id, p.component, a.name_id;
