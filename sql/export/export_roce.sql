CREATE VIEW export_roce AS
-- roce.csv: what went through each port of the RoCE ports.
--
-- The vendor writes the length of the recording in place of the time, and takes ns for s in its efficiencies.
--
-- grain: rank_id, Device_id, funcId
-- uses:  network_port
-- file:  roce.csv
-- window: counter_sample time_ns time_ns
-- cols:
--   rank_id                       -      [key] rank
--   Device_id                     int    device
--   "Timestamp(us)"               stamp  first sample
--   "Bandwidth(MB/s)"             float  what the port can move, MB of 1024
--   "Rx Bandwidth efficiency(%)"  float  how much of the port is used
--   "rxPacket/s"                 float  packets a second
--   "rxError rate(%)"            float  packets with errors / packets
--   "rxDropped rate(%)"          float  dropped packets / packets
--   "Tx Bandwidth efficiency(%)"  float  how much of the port is used
--   "txPacket/s"                 float  packets a second
--   "txError rate(%)"            float  packets with errors / packets
--   "txDropped rate(%)"          float  dropped packets / packets
--   funcId                        int    port

-- Source: deliverables.md section 12.
SELECT
    r.rank_id,
    r.device_id AS Device_id,
    printf('%d.%03d', r.first_ns / 1000, r.first_ns % 1000) AS "Timestamp(us)",
    round(r.bandwidth / 1048576, 3) AS "Bandwidth(MB/s)",
    round(coalesce(100.0 * r.use_ratio, 0), 3) AS "Rx Bandwidth efficiency(%)",
    round(coalesce(r.packet_rate, 0), 3) AS "rxPacket/s",
    round(coalesce(100.0 * r.error_ratio, 0), 3) AS "rxError rate(%)",
    round(coalesce(100.0 * r.drop_ratio, 0), 3) AS "rxDropped rate(%)",
    round(coalesce(100.0 * t.use_ratio, 0), 3) AS "Tx Bandwidth efficiency(%)",
    round(coalesce(t.packet_rate, 0), 3) AS "txPacket/s",
    round(coalesce(100.0 * t.error_ratio, 0), 3) AS "txError rate(%)",
    round(coalesce(100.0 * t.drop_ratio, 0), 3) AS "txDropped rate(%)",
    r.port_no AS funcId
FROM network_port r
JOIN network_port t
    ON t.rank_id = r.rank_id AND t.device_id = r.device_id AND t.family = r.family AND t.port_no = r.port_no
WHERE r.family = 'ROCE' AND r.way = 'rx' AND t.way = 'tx'
ORDER BY r.rank_id, r.device_id, r.port_no;
