CREATE VIEW export_op_statistic AS
-- op_statistic.csv: device time by operator type and core type, the longest first.
--
-- What has no type, or only moves data between caches, has no row, but counts in the time of all.
--
-- grain: rank_id, Device_id, "OP Type", "Core Type"
-- uses:  device_task, kernel, rank_level, string
-- file:  op_statistic.csv
-- window: device_task start_ns end_ns
-- cols:
--   rank_id           -      [key] rank
--   Device_id         int    device
--   "OP Type"         text   operator type
--   "Core Type"       text   core type
--   Count             int    kernels
--   "Total Time(us)"  trim3  sum of their durations
--   "Min Time(us)"    trim3  shortest
--   "Avg Time(us)"    trim3  mean
--   "Max Time(us)"    trim3  longest
--   "Ratio(%)"        trim3  share in the time of all operators of the device

-- Source: deliverables.md section 4.
WITH part AS (
    SELECT
        t.rank_id, t.device_id, k.op_type_id, k.core_id, count(*) AS calls, sum(t.end_ns - t.start_ns) AS total_ns,
        min(t.end_ns - t.start_ns) AS min_ns, max(t.end_ns - t.start_ns) AS max_ns
    FROM device_task t
    JOIN kernel k ON k.id = t.kernel_id AND NOT k.is_schedule
    WHERE t.rank_id IN (SELECT rank_id FROM rank_level WHERE level_no >= 1)
        AND coalesce(k.core_id NOT IN (SELECT id FROM string WHERE value IN ('COMMUNICATION', 'HCCL_AI_CPU')), 1)
    GROUP BY t.rank_id, t.device_id, k.op_type_id, k.core_id
),
whole AS (
    SELECT rank_id, device_id, sum(total_ns) AS total_ns FROM part GROUP BY rank_id, device_id
)
SELECT
    p.rank_id,
    p.device_id AS Device_id,
    ty.value AS "OP Type",
    coalesce(co.value, 'N/A') AS "Core Type",
    p.calls AS Count,
    p.total_ns / 1000.0 AS "Total Time(us)",
    p.min_ns / 1000.0 AS "Min Time(us)",
    p.total_ns / 1000.0 / p.calls AS "Avg Time(us)",
    p.max_ns / 1000.0 AS "Max Time(us)",
    coalesce(100.0 * p.total_ns / nullif(w.total_ns, 0), 0) AS "Ratio(%)"
FROM part p
JOIN whole w ON w.rank_id = p.rank_id AND w.device_id = p.device_id
JOIN string ty ON ty.id = p.op_type_id
LEFT JOIN string co ON co.id = p.core_id
WHERE coalesce(co.value NOT IN ('WRITE_BACK', 'INVALID'), 1)
ORDER BY p.rank_id, p.device_id, p.total_ns DESC, ty.value, co.value;
