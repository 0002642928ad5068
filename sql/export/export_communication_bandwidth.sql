CREATE VIEW export_communication_bandwidth AS
-- communication.json, its bandwidths: a row an operator, transport and packet size, and rows for the totals.
--
-- The writer nests the rows below those of export_communication; transports without a row are written as zeros.
--
-- grain: rank_id, step_name, type, op_key, transport, packet_bytes
-- uses:  comm_op_label, comm_op_step, comm_op_bandwidth, comm_op_packet, rank_level
-- window: comm_op start_ns end_ns
-- cols:
--   rank_id               -      [key] rank
--   step_id               -      [key] step; none without steps
--   step_name             text   [key] step and its number
--   type                  text   [key] p2p or collective
--   op_key                text   [key] operator@group or Total Op Info
--   transport             text   [key] RDMA, HCCS, PCIE, SDMA or SIO
--   packet_bytes          bytes  [key] size of the packets the last columns are about; none for SDMA
--   "Transit Size(MB)"    float  bytes moved over the transport / 1e6
--   "Transit Time(ms)"    float  sum of the durations of the transfers
--   "Bandwidth(GB/s)"     float  [optional] size / time, 4 decimals; none for a total
--   "Large Packet Ratio"  float  [optional] share of packets above 32 MB (RDMA: 0.5 MB); none for a total
--   packet_size           float  [optional] size of a packet in MB
--   packet_count          int    [optional] packets of that size
--   packet_time           float  [optional] sum of their durations in ms
WITH op AS (
    SELECT o.rank_id, o.comm_op_id, s.step_id, s.step_name, o.type, o.name || '@' || o.group_name AS op_key
    FROM comm_op_label o
    JOIN comm_op_step s ON s.comm_op_id = o.comm_op_id AND s.drawn_by = 'text'
    WHERE o.rank_id IN (SELECT rank_id FROM rank_level WHERE level_no >= 1)
),
moved AS (
    SELECT o.rank_id, o.step_id, o.step_name, o.type, o.op_key, b.transport, b.size_bytes, b.transit_ns,
        coalesce(round(b.bandwidth_gbps, 4), 0) AS bandwidth,
        CASE b.transport WHEN 'SDMA' THEN 0 ELSE round(b.large_packet_count * 1.0 / b.packet_count, 4) END AS large_ratio
    FROM op o
    JOIN comm_op_bandwidth b ON b.comm_op_id = o.comm_op_id
    UNION ALL
    SELECT o.rank_id, o.step_id, o.step_name, o.type, 'Total Op Info', b.transport, sum(b.size_bytes), sum(b.transit_ns),
        NULL, NULL
    FROM op o
    JOIN comm_op_bandwidth b ON b.comm_op_id = o.comm_op_id
    GROUP BY o.rank_id, o.step_id, o.step_name, o.type, b.transport
),
packet AS (
    SELECT o.rank_id, o.step_name, o.type, o.op_key, p.transport, p.packet_bytes, p.packet_count, p.transit_ns
    FROM op o
    JOIN comm_op_packet p ON p.comm_op_id = o.comm_op_id AND p.transport <> 'SDMA'
    UNION ALL
    SELECT o.rank_id, o.step_name, o.type, 'Total Op Info', p.transport, p.packet_bytes, sum(p.packet_count),
        sum(p.transit_ns)
    FROM op o
    JOIN comm_op_packet p ON p.comm_op_id = o.comm_op_id AND p.transport <> 'SDMA'
    GROUP BY o.rank_id, o.step_name, o.type, p.transport, p.packet_bytes
)
SELECT
    m.rank_id, m.step_id, m.step_name, m.type, m.op_key, m.transport, p.packet_bytes,
    m.size_bytes / 1e6 AS "Transit Size(MB)",
    m.transit_ns / 1e6 AS "Transit Time(ms)",
    m.bandwidth AS "Bandwidth(GB/s)",
    m.large_ratio AS "Large Packet Ratio",
    p.packet_bytes / 1e6 AS packet_size,
    p.packet_count,
    p.transit_ns / 1e6 AS packet_time
FROM moved m
LEFT JOIN packet p ON p.rank_id = m.rank_id AND p.step_name = m.step_name AND p.type = m.type AND p.op_key = m.op_key
    AND p.transport = m.transport
ORDER BY m.rank_id, m.step_id, m.step_name, m.type DESC, m.op_key, m.transport, p.packet_bytes;
