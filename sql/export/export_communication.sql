CREATE VIEW export_communication AS
-- communication.json: a row an operator or total, transport and packet size.
--
-- Times repeat on the rows of an operator.  The file nests the rows as step, type, op_key.
--
-- grain: rank_id, step_name, type, op_key, transport, packet_size
-- uses:  communication_time, communication_bandwidth
-- file:  communication.json
-- window: comm_op start_ns end_ns
-- cols:
--   rank_id                       -      [key] rank
--   step_name                     text   [key] step and its number
--   type                          text   [key] p2p or collective
--   op_key                        text   [key] operator@group or Total Op Info
--   "Start Timestamp(us)"         json   [optional] start of the first task; none for a total
--   "Elapse Time(ms)"             float  from there to the end of the last task
--   "Transit Time(ms)"            float  transfers over a link
--   "Wait Time(ms)"               float  waiting for other ranks
--   "Synchronization Time(ms)"    float  the part of the waiting that precedes the first transfer
--   "Idle Time(ms)"               float  the rest
--   "Wait Time Ratio"             float  wait / (wait + transit), 4 decimals
--   "Synchronization Time Ratio"  float  synchronization / (synchronization + transit), 4 decimals
--   transport                     text   [key] RDMA, HCCS, PCIE, SDMA or SIO; none if nothing was moved
--   "Transit Size(MB)"            float  bytes moved over the transport / 1e6
--   transport_time                float  [key] Transit Time(ms) of the transport: sum of the durations of its transfers
--   "Bandwidth(GB/s)"             float  [optional] size / time, 4 decimals; none for a total
--   "Large Packet Ratio"          float  [optional] share of packets above 32 MB (RDMA: 0.5 MB); none for a total
--   packet_size                   float  [key] size of a packet in MB; none for SDMA
--   packet_number                 int    [key] packets of that size
--   packet_time                   float  [key] sum of their durations in ms

-- Source: deliverables.md section 11.
SELECT
    t.rank_id,
    t.step_name,
    t.type,
    t.op_key,
    CASE WHEN t.start_ns IS NOT NULL THEN printf('%d.%03d', t.start_ns / 1000, t.start_ns % 1000) END
        AS "Start Timestamp(us)",
    t.elapse_ns / 1e6 AS "Elapse Time(ms)",
    t.transit_ns / 1e6 AS "Transit Time(ms)",
    t.wait_ns / 1e6 AS "Wait Time(ms)",
    t.synchronization_ns / 1e6 AS "Synchronization Time(ms)",
    t.idle_ns / 1e6 AS "Idle Time(ms)",
    coalesce(round(t.wait_ns * 1.0 / nullif(t.wait_ns + t.transit_ns, 0), 4), 0) AS "Wait Time Ratio",
    coalesce(round(t.synchronization_ns * 1.0 / nullif(t.synchronization_ns + t.transit_ns, 0), 4), 0)
        AS "Synchronization Time Ratio",
    b.transport,
    b.size_bytes / 1e6 AS "Transit Size(MB)",
    b.transit_ns / 1e6 AS transport_time,
    b.bandwidth_gbps AS "Bandwidth(GB/s)",
    b.large_ratio AS "Large Packet Ratio",
    b.packet_bytes / 1e6 AS packet_size,
    b.packet_count AS packet_number,
    b.packet_transit_ns / 1e6 AS packet_time
FROM communication_time t
LEFT JOIN communication_bandwidth b
    ON b.rank_id = t.rank_id AND b.step_name = t.step_name AND b.type = t.type AND b.op_key = t.op_key
ORDER BY t.rank_id, t.step_id, t.step_name, t.type DESC, t.is_total, t.start_ns, t.op_key, b.transport, b.packet_bytes;
