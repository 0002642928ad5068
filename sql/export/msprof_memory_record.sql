CREATE VIEW msprof_memory_record AS
-- memory_record.csv of msprof: totals of the graph engine's memory over time.
--
-- grain: memory_record_id
-- uses:  memory_record, string
-- file:  memory_record.csv
-- window: self start_ns end_ns
-- cols:
--   memory_record_id       -      [key] the record
--   rank_id                -      [key] rank
--   start_ns               ns     [key] time of the record
--   end_ns                 ns     [key] the same
--   Device_id              int    device
--   Component              text   GE
--   "Timestamp(us)"        stamp  time of the record
--   "Total Allocated(KB)"  float  allocated / 1024
--   "Total Reserved(KB)"   float  reserved / 1024
--   Device                 text   NPU: and the device

-- Source: deliverables.md section 15; all other components are the framework's own.
SELECT
    m.id AS memory_record_id,
    m.rank_id,
    m.time_ns AS start_ns,
    m.time_ns AS end_ns,
    m.device_id AS Device_id,
    c.value AS Component,
    printf('%d.%03d', m.time_ns / 1000, m.time_ns % 1000) AS "Timestamp(us)",
    round(m.allocated_bytes / 1024.0, 3) AS "Total Allocated(KB)",
    round(m.reserved_bytes / 1024.0, 3) AS "Total Reserved(KB)",
    'NPU:' || m.device_id AS Device
FROM memory_record m
JOIN string c ON c.id = m.component_id AND c.value = 'GE'
ORDER BY m.rank_id, m.id;
