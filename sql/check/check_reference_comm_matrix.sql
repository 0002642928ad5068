CREATE VIEW check_reference_comm_matrix AS
-- Places of the communication matrix that we compute differently from what analysis.db said.
--
-- grain: rank_id, step, op_kind, group_name, src_rank, dst_rank
-- uses:  reference_comm_matrix, analysis_comm_matrix
-- cols:
--   rank_id     -     rank
--   step        -     step and its number
--   op_kind     -     kind of operator and place, e.g. allreduce-top1
--   group_name  -     communication group
--   src_rank    -     rank the data came from
--   dst_rank    -     rank it went to
--   text        text  columns that differ beyond the rounding of the reference, or which side lacks the row
WITH pair AS (
    SELECT
        r.rank_id, r.step, r.op_kind, r.group_name, r.src_rank, r.dst_rank, a.rank_id IS NULL AS is_missing,
        CASE WHEN a.transport_type <> r.transport_type THEN ' transport_type' ELSE '' END
        || CASE WHEN abs(a.transit_size - r.transit_size) > 2e-5 THEN ' transit_size' ELSE '' END
        || CASE WHEN abs(a.transit_time - r.transit_time) > 2e-5 THEN ' transit_time' ELSE '' END
        || CASE WHEN abs(a.bandwidth - r.bandwidth) > 1e-4 + 3e-4 * abs(r.bandwidth) THEN ' bandwidth' ELSE '' END
        || CASE WHEN a.op_name <> coalesce(r.op_name, '') THEN ' op_name' ELSE '' END
        || CASE WHEN a.type <> r.type THEN ' type' ELSE '' END AS columns
    FROM reference_comm_matrix r
    LEFT JOIN analysis_comm_matrix a ON a.rank_id = r.rank_id AND a.step IS r.step AND a.hccl_op_name = r.op_kind
        AND a.group_name = r.group_name AND a.src_rank IS r.src_rank AND a.dst_rank IS r.dst_rank
)
SELECT
    rank_id, step, op_kind, group_name, src_rank, dst_rank,
    CASE WHEN is_missing THEN 'only in the reference' ELSE 'differs in' || columns END AS text
FROM pair
WHERE is_missing OR columns <> ''
UNION ALL
SELECT a.rank_id, a.step, a.hccl_op_name, a.group_name, a.src_rank, a.dst_rank, 'not in the reference'
FROM analysis_comm_matrix a
WHERE a.rank_id IN (SELECT rank_id FROM reference_comm_matrix)
    AND NOT EXISTS (
        SELECT 1 FROM reference_comm_matrix r
        WHERE r.rank_id = a.rank_id AND r.step IS a.step AND r.op_kind = a.hccl_op_name
            AND r.group_name = a.group_name AND r.src_rank IS a.src_rank AND r.dst_rank IS a.dst_rank
    );
