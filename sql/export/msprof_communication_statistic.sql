CREATE VIEW msprof_communication_statistic AS
-- communication_statistic.csv of msprof: time of communication by operator type, the longest first.
--
-- From Level1 on, and only where any operator has a type.
--
-- grain: rank_id, Device_id, "OP Type"
-- uses:  comm_op, rank, rank_level, string
-- file:  communication_statistic.csv
-- window: comm_op start_ns end_ns
-- cols:
--   rank_id           -      [key] rank
--   Device_id         int    device
--   "OP Type"         text   operator type
--   Count             int    operators
--   "Total Time(us)"  trim3  sum of their durations, each from its first to its last task
--   "Min Time(us)"    trim3  shortest
--   "Avg Time(us)"    trim3  mean
--   "Max Time(us)"    trim3  longest
--   "Ratio(%)"        trim3  share in the time of all rows of the device

-- Source: deliverables.md section 15.
WITH part AS (
    SELECT
        o.rank_id, coalesce(o.device_id, r.device_id) AS device_id, o.op_type_id, count(*) AS calls,
        sum(o.end_ns - o.start_ns) AS total_ns, min(o.end_ns - o.start_ns) AS min_ns,
        max(o.end_ns - o.start_ns) AS max_ns
    FROM comm_op o
    JOIN rank r ON r.id = o.rank_id
    WHERE o.rank_id IN (SELECT rank_id FROM rank_level WHERE level_no >= 1)
    GROUP BY o.rank_id, coalesce(o.device_id, r.device_id), o.op_type_id
),
whole AS (
    SELECT rank_id, device_id, sum(total_ns) AS total_ns, count(op_type_id) AS typed
    FROM part GROUP BY rank_id, device_id
)
SELECT
    p.rank_id,
    p.device_id AS Device_id,
    coalesce(ty.value, 'N/A') AS "OP Type",
    p.calls AS Count,
    p.total_ns / 1000.0 AS "Total Time(us)",
    p.min_ns / 1000.0 AS "Min Time(us)",
    p.total_ns / 1000.0 / p.calls AS "Avg Time(us)",
    p.max_ns / 1000.0 AS "Max Time(us)",
    coalesce(100.0 * p.total_ns / nullif(w.total_ns, 0), 0) AS "Ratio(%)"
FROM part p
JOIN whole w ON w.rank_id = p.rank_id AND w.device_id IS p.device_id AND w.typed > 0
LEFT JOIN string ty ON ty.id = p.op_type_id
ORDER BY p.rank_id, p.device_id, p.total_ns DESC, ty.value;
