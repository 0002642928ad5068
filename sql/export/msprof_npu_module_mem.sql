CREATE VIEW msprof_npu_module_mem AS
-- npu_module_mem.csv of msprof: whole KB reserved by each CANN component over time.
--
-- A negative number reads -1.
--
-- grain: module_memory_id
-- uses:  module_memory, string
-- file:  npu_module_mem.csv
-- window: self start_ns end_ns
-- cols:
--   module_memory_id      -      [key] the record
--   rank_id               -      [key] rank
--   start_ns              ns     [key] time of the record
--   end_ns                ns     [key] the same
--   Device_id             int    device
--   Component             text   component
--   "Timestamp(us)"       stamp  time of the record
--   "Total Reserved(KB)"  int    reserved
--   Device                text   NPU: and the device

-- Source: deliverables.md sections 9 and 15.
SELECT
    m.id AS module_memory_id,
    m.rank_id,
    m.time_ns AS start_ns,
    m.time_ns AS end_ns,
    m.device_id AS Device_id,
    c.value AS Component,
    printf('%d.%03d', m.time_ns / 1000, m.time_ns % 1000) AS "Timestamp(us)",
    CASE WHEN m.reserved_bytes < 0 THEN -1 ELSE m.reserved_bytes / 1024 END AS "Total Reserved(KB)",
    'NPU:' || m.device_id AS Device
FROM module_memory m
JOIN string c ON c.id = m.module_id
ORDER BY m.rank_id, m.module_id, m.time_ns;
