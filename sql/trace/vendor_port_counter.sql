CREATE VIEW vendor_port_counter AS
-- Network ports in the vendor's trace, an event a sample and direction; rates of 1, not percent.
--
-- grain: rank_id, pid, name, start_ns
-- uses:  counter, counter_sample, vendor_rank
-- window: self start_ns end_ns
-- cols:
--   rank_id                         -      [key] rank
--   start_ns                        ns     [key] time
--   end_ns                          ns     [key] time
--   ph                              text   C
--   name                            text   Port 0/Rx ...
--   pid                             int    packed process
--   tid                             int    0
--   ts                              stamp  time
--   "args:Rx Dropped Rate"  float  dropped packets / packets
--   "args:Rx Error Rate"  float  packets with errors / packets
--   "args:Rx Packets"  float  packets/s
--   "args:Rx Bandwidth Efficiency"  float  how much of the port is used
--   "args:Tx Dropped Rate"  float  dropped packets / packets
--   "args:Tx Error Rate"  float  packets with errors / packets
--   "args:Tx Packets"  float  packets/s
--   "args:Tx Bandwidth Efficiency"  float  how much of the port is used

-- Source: deliverables.md 1.1, 1.8; the efficiency as the vendor's public parser has it (see network_port).
WITH port AS (
    SELECT
        p.rank_id, p.device_id, p.family, p.instance_no, substr(p.name, 1, 2) AS way, p.id AS packet_rate_id,
        max(CASE o.name WHEN 'bandwidth' THEN o.id END) AS bandwidth_id,
        max(CASE o.name WHEN substr(p.name, 1, 2) || 'ByteRate' THEN o.id END) AS byte_rate_id,
        max(CASE o.name WHEN substr(p.name, 1, 2) || 'Packets' THEN o.id END) AS packets_id,
        max(CASE o.name WHEN substr(p.name, 1, 2) || 'Errors' THEN o.id END) AS errors_id,
        max(CASE o.name WHEN substr(p.name, 1, 2) || 'Dropped' THEN o.id END) AS dropped_id
    FROM counter p
    JOIN counter o
        ON o.rank_id = p.rank_id AND o.device_id = p.device_id AND o.family = p.family AND o.instance_no = p.instance_no
    WHERE p.family IN ('NIC', 'ROCE') AND p.name IN ('rxPacketRate', 'txPacketRate')
    GROUP BY p.id
)
SELECT
    rank_id, start_ns, start_ns AS end_ns, 'C' AS ph,
    'Port ' || instance_no || '/' || upper(substr(way, 1, 1)) || 'x' AS name, pid, 0 AS tid, start_ns AS ts,
    CASE way WHEN 'rx' THEN drop_ratio END AS "args:Rx Dropped Rate",
    CASE way WHEN 'rx' THEN error_ratio END AS "args:Rx Error Rate",
    CASE way WHEN 'rx' THEN packet_rate END AS "args:Rx Packets",
    CASE way WHEN 'rx' THEN use_ratio END AS "args:Rx Bandwidth Efficiency",
    CASE way WHEN 'tx' THEN drop_ratio END AS "args:Tx Dropped Rate",
    CASE way WHEN 'tx' THEN error_ratio END AS "args:Tx Error Rate",
    CASE way WHEN 'tx' THEN packet_rate END AS "args:Tx Packets",
    CASE way WHEN 'tx' THEN use_ratio END AS "args:Tx Bandwidth Efficiency"
FROM (
    SELECT
        p.rank_id, p.instance_no, p.way, s.time_ns AS start_ns, s.value AS packet_rate,
        (r.pid * 1024 + CASE p.family WHEN 'NIC' THEN 21 ELSE 22 END * 32 | p.device_id) & 4294967295 AS pid,
        coalesce(d.value / nullif(n.value, 0), 0) AS drop_ratio, coalesce(e.value / nullif(n.value, 0), 0) AS error_ratio,
        round(8 * y.value / b.value, 3) AS use_ratio
    FROM port p
    CROSS JOIN counter_sample s ON s.counter_id = p.packet_rate_id
    CROSS JOIN counter_sample b ON b.counter_id = p.bandwidth_id AND b.time_ns = s.time_ns AND b.value > 0
    LEFT JOIN counter_sample y ON y.counter_id = p.byte_rate_id AND y.time_ns = s.time_ns
    LEFT JOIN counter_sample n ON n.counter_id = p.packets_id AND n.time_ns = s.time_ns
    LEFT JOIN counter_sample e ON e.counter_id = p.errors_id AND e.time_ns = s.time_ns
    LEFT JOIN counter_sample d ON d.counter_id = p.dropped_id AND d.time_ns = s.time_ns
    LEFT JOIN vendor_rank r ON r.rank_id = p.rank_id
    WHERE s.value IS NOT NULL
);
