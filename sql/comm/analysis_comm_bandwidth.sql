CREATE VIEW analysis_comm_bandwidth AS
-- CommAnalyzerBandwidth of analysis.db, computed from the profiler's own records.
--
-- grain: rank_id, hccl_op_name, group_name, step, transport_type, package_size
-- uses:  comm_op_label, comm_op_step, comm_op_bandwidth, comm_op_packet, rank
-- cols:
--   rank_id             -      rank
--   rank_no             -      its number in the job; none if unknown
--   hccl_op_name        -      operator
--   group_name          -      communication group
--   transport_type      -      HCCS, PCIE, SIO, RDMA, or SDMA for their sum without RDMA
--   transit_size        MB     bytes moved over the transport / 1e6
--   transit_time        ms     sum of the durations of the transfers
--   bandwidth           GB/s   size / time, 4 decimals
--   large_packet_ratio  ratio  share of large packets, 4 decimals; 0 for SDMA
--   package_size        MB     size of a packet; 0 for SDMA
--   count               count  packets of that size; 0 for SDMA
--   total_duration      ms     sum of their durations; 0 for SDMA
--   step                -      step and its number
--   type                -      p2p or collective
SELECT
    o.rank_id,
    (SELECT rank_no FROM rank WHERE id = o.rank_id) AS rank_no,
    o.name AS hccl_op_name,
    o.group_name,
    b.transport AS transport_type,
    b.size_bytes / 1e6 AS transit_size,
    b.transit_ns / 1e6 AS transit_time,
    coalesce(round(b.bandwidth_gbps, 4), 0) AS bandwidth,
    CASE b.transport WHEN 'SDMA' THEN 0 ELSE round(b.large_packet_count * 1.0 / b.packet_count, 4) END
        AS large_packet_ratio,
    coalesce(p.packet_bytes / 1e6, 0) AS package_size,
    coalesce(p.packet_count, 0) AS count,
    coalesce(p.transit_ns / 1e6, 0) AS total_duration,
    s.step_name AS step,
    o.type
FROM comm_op_label o
JOIN comm_op_step s ON s.comm_op_id = o.comm_op_id AND s.drawn_by = 'database'
JOIN comm_op_bandwidth b ON b.comm_op_id = o.comm_op_id
LEFT JOIN comm_op_packet p
    ON p.comm_op_id = b.comm_op_id AND p.transport = b.transport AND b.transport <> 'SDMA'
WHERE b.size_bytes + b.transit_ns > 0;
