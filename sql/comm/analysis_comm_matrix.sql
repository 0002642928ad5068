CREATE VIEW analysis_comm_matrix AS
-- CommAnalyzerMatrix of analysis.db, computed from the profiler's own records.
--
-- grain: rank_id, step, type, hccl_op_name, group_name, src_rank, dst_rank
-- uses:  comm_matrix, rank
-- cols:
--   rank_id         -     rank
--   rank_no         -     its number in the job; none if unknown
--   hccl_op_name    -     kind of operator and place, e.g. allreduce-top1
--   group_name      -     communication group
--   src_rank        -     rank the data came from
--   dst_rank        -     rank it went to
--   transport_type  -     LOCAL, HCCS, PCIE, ...
--   transit_size    MB    bytes moved / 1e6
--   transit_time    ms    sum of the durations of the transfers
--   bandwidth       GB/s  size / time, 4 decimals
--   step            -     step and its number
--   type            -     p2p or collective
--   op_name         -     the operator in that place; empty for total
SELECT
    rank_id,
    (SELECT rank_no FROM rank WHERE id = comm_matrix.rank_id) AS rank_no,
    kind || '-' || place AS hccl_op_name,
    group_name,
    CAST(src_rank_no AS TEXT) AS src_rank,
    CAST(dst_rank_no AS TEXT) AS dst_rank,
    transport AS transport_type,
    size_bytes / 1e6 AS transit_size,
    transit_ns / 1e6 AS transit_time,
    bandwidth_gbps AS bandwidth,
    step_name AS step,
    type,
    coalesce(op_name, '') AS op_name
FROM comm_matrix
WHERE drawn_by = 'database';
