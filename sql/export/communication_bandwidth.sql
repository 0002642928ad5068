CREATE VIEW communication_bandwidth AS
-- Bandwidths of communication.json: a row an operator, transport and packet size, and their totals.
--
-- grain: rank_id, step_name, type, op_key, transport, packet_bytes
-- uses:  comm_op_label, comm_op_step, comm_op_bandwidth, comm_op_packet
-- cols:
--   rank_id            -      rank
--   step_name          -      step and its number
--   type               -      p2p or collective
--   op_key             -      operator@group or Total Op Info
--   transport          -      RDMA, HCCS, PCIE, SDMA or SIO
--   size_bytes         bytes  bytes moved over the transport
--   transit_ns         ns     sum of the durations of the transfers
--   bandwidth_gbps     GB/s   size / time, 4 decimals; none for a total
--   large_ratio        ratio  share of large packets, 4 decimals, 0 for SDMA; none for a total
--   packet_bytes       bytes  size of a packet; none for SDMA
--   packet_count       count  packets of that size
--   packet_transit_ns  ns     sum of their durations
WITH op AS (
    SELECT o.rank_id, o.comm_op_id, s.step_name, o.type, o.name || '@' || o.group_name AS op_key
    FROM comm_op_label o
    JOIN comm_op_step s ON s.comm_op_id = o.comm_op_id AND s.drawn_by = 'text'
),
moved AS (
    SELECT
        o.rank_id, o.step_name, o.type, o.op_key, b.transport, b.size_bytes, b.transit_ns,
        coalesce(round(b.bandwidth_gbps, 4), 0) AS bandwidth_gbps,
        CASE b.transport WHEN 'SDMA' THEN 0 ELSE round(b.large_packet_count * 1.0 / b.packet_count, 4) END
            AS large_ratio
    FROM op o
    JOIN comm_op_bandwidth b ON b.comm_op_id = o.comm_op_id
    UNION ALL
    SELECT
        o.rank_id, o.step_name, o.type, 'Total Op Info', b.transport, sum(b.size_bytes), sum(b.transit_ns), NULL, NULL
    FROM op o
    JOIN comm_op_bandwidth b ON b.comm_op_id = o.comm_op_id
    GROUP BY o.rank_id, o.step_name, o.type, b.transport
),
packet AS (
    SELECT o.rank_id, o.step_name, o.type, o.op_key, p.transport, p.packet_bytes, p.packet_count, p.transit_ns
    FROM op o
    JOIN comm_op_packet p ON p.comm_op_id = o.comm_op_id AND p.transport <> 'SDMA'
    UNION ALL
    SELECT
        o.rank_id, o.step_name, o.type, 'Total Op Info', p.transport, p.packet_bytes, sum(p.packet_count),
        sum(p.transit_ns)
    FROM op o
    JOIN comm_op_packet p ON p.comm_op_id = o.comm_op_id AND p.transport <> 'SDMA'
    GROUP BY o.rank_id, o.step_name, o.type, p.transport, p.packet_bytes
)
SELECT
    m.rank_id, m.step_name, m.type, m.op_key, m.transport, m.size_bytes, m.transit_ns, m.bandwidth_gbps, m.large_ratio,
    p.packet_bytes, p.packet_count, p.transit_ns AS packet_transit_ns
FROM moved m
LEFT JOIN packet p ON p.rank_id = m.rank_id AND p.step_name = m.step_name AND p.type = m.type AND p.op_key = m.op_key
    AND p.transport = m.transport;
