CREATE VIEW msprof_npu_mem AS
-- npu_mem.csv of msprof: memory of the device over time, of this process and of all.
--
-- grain: device_memory_id
-- uses:  device_memory, string
-- file:  npu_mem.csv
-- window: self start_ns end_ns
-- cols:
--   device_memory_id  -      [key] the record
--   rank_id           -      [key] rank
--   start_ns          ns     [key] time of the record
--   end_ns            ns     [key] the same
--   Device_id         int    device
--   event             text   APP (this process) or Device (all)
--   "ddr(KB)"         int    DDR
--   "hbm(KB)"         int    HBM
--   "memory(KB)"      int    both together
--   "timestamp(us)"   stamp  time of the record

-- Source: deliverables.md section 15.
SELECT
    m.id AS device_memory_id,
    m.rank_id,
    m.time_ns AS start_ns,
    m.time_ns AS end_ns,
    m.device_id AS Device_id,
    CASE s.value WHEN 'app' THEN 'APP' WHEN 'device' THEN 'Device' ELSE 'Unknown' END AS event,
    coalesce(m.ddr_bytes, 0) / 1024 AS "ddr(KB)",
    coalesce(m.hbm_bytes, 0) / 1024 AS "hbm(KB)",
    (coalesce(m.ddr_bytes, 0) + coalesce(m.hbm_bytes, 0)) / 1024 AS "memory(KB)",
    printf('%d.%03d', m.time_ns / 1000, m.time_ns % 1000) AS "timestamp(us)"
FROM device_memory m
LEFT JOIN string s ON s.id = m.scope_id
ORDER BY m.rank_id, m.id;
