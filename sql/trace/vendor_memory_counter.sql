CREATE VIEW vendor_memory_counter AS
-- Memory of a device over time as counters of the vendor's trace.
--
-- Three series for the process, three for the device.
--
-- grain: id, name
-- uses:  device_memory_named, vendor_rank
-- window: self start_ns end_ns
-- cols:
--   id         -      [key] device_memory.id
--   rank_id    -      [key] rank
--   start_ns   ns     [key] time
--   end_ns     ns     [key] time
--   ph         text   C
--   name       text   APP/DDR, APP/HBM, APP/Memory, Device/DDR ...
--   pid        int    packed process
--   tid        int    0
--   ts         stamp  time
--   "args:KB"  float  bytes / 1024
WITH part (part) AS (VALUES ('DDR'), ('HBM'), ('Memory'))
SELECT
    m.id, m.rank_id, m.time_ns AS start_ns, m.time_ns AS end_ns,
    'C' AS ph,
    CASE m.scope WHEN 'app' THEN 'APP/' ELSE 'Device/' END || p.part AS name,
    (r.pid * 1024 + 17 * 32 | m.device_id) & 4294967295 AS pid,
    0 AS tid,
    m.time_ns AS ts,
    CASE p.part WHEN 'DDR' THEN m.ddr_bytes WHEN 'HBM' THEN m.hbm_bytes
        ELSE coalesce(m.ddr_bytes, 0) + coalesce(m.hbm_bytes, 0) END / 1024.0 AS "args:KB"
FROM device_memory_named m
CROSS JOIN part p
LEFT JOIN vendor_rank r ON r.rank_id = m.rank_id
WHERE CASE p.part WHEN 'DDR' THEN m.ddr_bytes WHEN 'HBM' THEN m.hbm_bytes ELSE 0 END IS NOT NULL;
