CREATE VIEW check_reference_comm_time AS
-- Communication operators whose times we compute differ from what analysis.db said.
--
-- Start times may be off by one amount for a whole rank: older analysis.db took them from another clock.
-- A rank without records of its own is in check_reference_only instead.
--
-- grain: rank_id, op_name, step
-- uses:  reference_comm_time, analysis_comm_time, rank_recorded, rank
-- cols:
--   rank_id  -     rank
--   rank_no  -     its number in the job; none if unknown
--   op_name  -     operator
--   step     -     step and its number
--   text     text  columns that differ by more than 10 ns (start: 0.5 us beyond the rank's offset), or which side
--                  lacks it
WITH pair AS (
    SELECT r.*, a.start_timestamp AS start_here, a.elapse_time AS elapse_here, a.transit_time AS transit_here,
        a.wait_time AS wait_here, a.synchronization_time AS synchronization_here, a.idle_time AS idle_here,
        a.type AS type_here
    FROM reference_comm_time r
    LEFT JOIN analysis_comm_time a ON a.rank_id = r.rank_id AND a.hccl_op_name = r.op_name AND a.step IS r.step
    WHERE r.rank_id IN (SELECT rank_id FROM rank_recorded)
),
offset AS (
    SELECT rank_id, start_timestamp - start_here AS us, min(start_timestamp) FROM pair GROUP BY rank_id
),
compared AS (
    SELECT
        p.rank_id, p.op_name, p.step, p.type_here IS NULL AS is_missing,
        CASE WHEN abs(p.start_timestamp - p.start_here - o.us) > 0.5 THEN ' start_timestamp' ELSE '' END
        || CASE WHEN abs(p.elapse_here - p.elapse_time) > 1e-5 THEN ' elapse_time' ELSE '' END
        || CASE WHEN abs(p.transit_here - p.transit_time) > 1e-5 THEN ' transit_time' ELSE '' END
        || CASE WHEN abs(p.wait_here - p.wait_time) > 1e-5 THEN ' wait_time' ELSE '' END
        || CASE WHEN abs(p.synchronization_here - p.synchronization_time) > 1e-5
            THEN ' synchronization_time' ELSE '' END
        || CASE WHEN abs(p.idle_here - p.idle_time) > 1e-5 THEN ' idle_time' ELSE '' END
        || CASE WHEN p.type_here <> p.type THEN ' type' ELSE '' END AS columns
    FROM pair p
    JOIN offset o ON o.rank_id = p.rank_id
)
SELECT
    rank_id, (SELECT rank_no FROM rank WHERE id = compared.rank_id) AS rank_no, op_name, step,
    CASE WHEN is_missing THEN 'only in the reference' ELSE 'differs in' || columns END AS text
FROM compared
WHERE is_missing OR columns <> ''
UNION ALL
SELECT a.rank_id, a.rank_no, a.hccl_op_name, a.step, 'not in the reference'
FROM analysis_comm_time a
WHERE a.rank_id IN (SELECT rank_id FROM reference_comm_time)
    AND NOT EXISTS (
        SELECT 1 FROM reference_comm_time r
        WHERE r.rank_id = a.rank_id AND r.op_name = a.hccl_op_name AND r.step IS a.step
    );
