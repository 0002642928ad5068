CREATE VIEW network_port AS
-- What each network port of the devices received (rx) and sent (tx), from the first sample to the last.
--
-- Rates are what the running totals grew by in that time; of a single sample those that it holds.  The use of a port is
-- reckoned as the vendor does: as if its bandwidth, which databases call bytes, were bits.
--
-- grain: rank_id, device_id, family, port_no, way
-- uses:  counter, counter_sample
-- window: counter_sample time_ns time_ns
-- cols:
--   rank_id      -      rank
--   device_id    -      device
--   family       text   NIC or ROCE
--   port_no      -      port
--   way          text   rx or tx
--   first_ns     ns     first sample
--   bandwidth    -      bytes/s that the port can move
--   byte_rate    -      bytes/s that it moved
--   use_ratio    ratio  8 * byte_rate / bandwidth
--   packet_rate  -      packets/s that it moved
--   error_ratio  ratio  packets with errors / packets
--   drop_ratio   ratio  dropped packets / packets
WITH series AS (
    SELECT
        c.rank_id, c.device_id, c.family, c.instance_no, c.name, min(s.time_ns) AS first_ns, avg(s.value) AS mean,
        max(s.value) - min(s.value) AS growth, nullif(max(s.time_ns) - min(s.time_ns), 0) / 1e9 AS seconds
    FROM counter c
    CROSS JOIN counter_sample s ON s.counter_id = c.id
    WHERE c.family IN ('NIC', 'ROCE')
    GROUP BY c.id
),
port AS (
    SELECT
        rank_id, device_id, family, instance_no, substr(name, 1, 2) AS way, min(first_ns) AS first_ns,
        max(CASE substr(name, 3) WHEN 'Bytes' THEN growth / seconds END) AS byte_growth,
        max(CASE substr(name, 3) WHEN 'ByteRate' THEN mean END) AS byte_rate,
        max(CASE substr(name, 3) WHEN 'Packets' THEN growth / seconds END) AS packet_growth,
        max(CASE substr(name, 3) WHEN 'PacketRate' THEN mean END) AS packet_rate,
        max(CASE substr(name, 3) WHEN 'Packets' THEN growth END) AS packets,
        max(CASE substr(name, 3) WHEN 'Errors' THEN growth END) AS errors,
        max(CASE substr(name, 3) WHEN 'Dropped' THEN growth END) AS dropped
    FROM series
    WHERE substr(name, 1, 2) IN ('rx', 'tx')
    GROUP BY rank_id, device_id, family, instance_no, way
)
SELECT
    p.rank_id, p.device_id, p.family, p.instance_no AS port_no, p.way, p.first_ns, b.mean AS bandwidth,
    coalesce(p.byte_growth, p.byte_rate) AS byte_rate,
    8 * coalesce(p.byte_growth, p.byte_rate) / nullif(b.mean, 0) AS use_ratio,
    coalesce(p.packet_growth, p.packet_rate) AS packet_rate,
    p.errors / nullif(p.packets, 0) AS error_ratio, p.dropped / nullif(p.packets, 0) AS drop_ratio
FROM port p
LEFT JOIN series b
    ON b.rank_id = p.rank_id AND b.device_id = p.device_id AND b.family = p.family AND b.instance_no = p.instance_no
        AND b.name = 'bandwidth';
