CREATE VIEW check_reference_comm_matrix AS
-- Places of the communication matrix that we compute differently from what analysis.db said.
--
-- A rank without records of its own is in check_reference_only instead.
--
-- grain: rank_id, step, op_kind, group_name, src_rank, dst_rank
-- uses:  reference_comm_matrix, analysis_comm_matrix, rank_recorded, rank
-- cols:
--   rank_id     -     rank
--   rank_no     -     its number in the job; none if unknown
--   step        -     step and its number
--   op_kind     -     kind of operator and place, e.g. allreduce-top1
--   group_name  -     communication group
--   src_rank    -     rank the data came from
--   dst_rank    -     rank it went to
--   text        text  columns that differ beyond the rounding of the reference, or which side lacks the row
WITH side AS (  -- both sides in one list, so that rows find each other by one sort
    SELECT rank_id, step, op_kind, group_name, src_rank, dst_rank, transport_type, transit_size, transit_time, bandwidth,
        coalesce(op_name, '') AS op_name, type, 1 AS is_reference
    FROM reference_comm_matrix AS r
    WHERE r.rank_id IN (SELECT rank_id FROM rank_recorded)
    UNION ALL
    SELECT rank_id, step, hccl_op_name, group_name, src_rank, dst_rank, transport_type, transit_size, transit_time,
        bandwidth, op_name, type, 0
    FROM analysis_comm_matrix
    WHERE rank_id IN (SELECT rank_id FROM reference_comm_matrix)
),
pair AS (
    SELECT
        rank_id, step, op_kind, group_name, src_rank, dst_rank, min(is_reference) = 1 AS is_missing,
        max(is_reference) = 0 AS is_new,
        CASE WHEN min(transport_type) <> max(transport_type) THEN ' transport_type' ELSE '' END
        || CASE WHEN max(transit_size) - min(transit_size) > 2e-5 THEN ' transit_size' ELSE '' END
        || CASE WHEN max(transit_time) - min(transit_time) > 2e-5 THEN ' transit_time' ELSE '' END
        || CASE WHEN max(bandwidth) - min(bandwidth)
            > 1e-4 + 3e-4 * abs(max(CASE WHEN is_reference THEN bandwidth END)) THEN ' bandwidth' ELSE '' END
        || CASE WHEN min(op_name) <> max(op_name) THEN ' op_name' ELSE '' END
        || CASE WHEN min(type) <> max(type) THEN ' type' ELSE '' END AS columns
    FROM side
    GROUP BY rank_id, step, op_kind, group_name, src_rank, dst_rank
)
SELECT
    rank_id, (SELECT rank_no FROM rank WHERE id = pair.rank_id) AS rank_no,
    step, op_kind, group_name, src_rank, dst_rank,
    CASE WHEN is_missing THEN 'only in the reference' WHEN is_new THEN 'not in the reference'
        ELSE 'differs in' || columns END AS text
FROM pair
WHERE is_missing OR is_new OR columns <> '';
