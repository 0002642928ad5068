CREATE VIEW comm_op_link AS
-- What each communication operator moved between each pair of ranks, over all planes.
--
-- Transfers on the chip are included.
--
-- grain: comm_op_id, src_rank_no, dst_rank_no
-- uses:  comm_op_task
-- cols:
--   comm_op_id      -      the operator
--   src_rank_no     -      rank the data came from
--   dst_rank_no     -      rank it went to; the source itself if none is recorded
--   transport       -      LOCAL, HCCS, PCIE, SIO, ...
--   size_bytes      bytes  bytes moved
--   transit_ns      ns     sum of the durations of the transfers
--   bandwidth_gbps  GB/s   size / time, 4 decimals as the vendor rounds it before ranking; 0 without time
SELECT
    comm_op_id,
    src_rank_no,
    coalesce(dst_rank_no, src_rank_no) AS dst_rank_no,
    max(link_name) AS transport,
    sum(size_bytes) AS size_bytes,
    sum(end_ns - start_ns) AS transit_ns,
    coalesce(round(sum(size_bytes) * 1.0 / nullif(sum(end_ns - start_ns), 0), 4), 0) AS bandwidth_gbps
FROM comm_op_task
WHERE transfer_kind IN ('packet', 'local') AND src_rank_no IS NOT NULL
GROUP BY comm_op_id, src_rank_no, coalesce(dst_rank_no, src_rank_no);
