CREATE VIEW export_memory_record AS
-- memory_record.csv: totals of each memory component over time.
--
-- The process's own totals (APP) come first, then the records as they were made, without those of the host's memory.
--
-- grain: rank_id, block, row_no
-- uses:  memory_record, device_memory, string
-- file:  memory_record.csv
-- window: self start_ns end_ns
-- cols:
--   rank_id                -      [key] rank
--   start_ns               ns     [key] time of the record
--   end_ns                 ns     [key] the same
--   block                  -      [key] 0 for APP, 1 for the rest
--   row_no                 -      [key] order of the record in its block
--   Component              text   APP, PTA, GE, PTA+GE, WORKSPACE, ...
--   "Timestamp(us)"        stamp  time of the record
--   "Total Allocated(MB)"  float  allocated / 1048576; none for APP
--   "Total Reserved(MB)"   float  reserved / 1048576
--   "Total Active(MB)"     float  active / 1048576; none for APP and GE
--   "Stream Ptr"           int    stream
--   "Device Type"          text   NPU: and the device

-- Source: deliverables.md section 8.
SELECT
    d.rank_id,
    d.time_ns AS start_ns,
    d.time_ns AS end_ns,
    0 AS block,
    d.id AS row_no,
    'APP' AS Component,
    printf('%d.%03d', d.time_ns / 1000, d.time_ns % 1000) AS "Timestamp(us)",
    NULL AS "Total Allocated(MB)",
    (coalesce(d.ddr_bytes, 0) + coalesce(d.hbm_bytes, 0)) / 1048576.0 AS "Total Reserved(MB)",
    NULL AS "Total Active(MB)",
    NULL AS "Stream Ptr",
    'NPU:' || d.device_id AS "Device Type"
FROM device_memory d
JOIN string s ON s.id = d.scope_id AND s.value = 'app'
UNION ALL
SELECT
    m.rank_id, m.time_ns, m.time_ns, 1, m.id, c.value, printf('%d.%03d', m.time_ns / 1000, m.time_ns % 1000),
    m.allocated_bytes / 1048576.0, m.reserved_bytes / 1048576.0,
    CASE WHEN c.value <> 'GE' THEN m.active_bytes / 1048576.0 END, m.stream_ptr, 'NPU:' || m.device_id
FROM memory_record m
JOIN string c ON c.id = m.component_id AND c.value <> 'CPU'
ORDER BY rank_id, block, row_no;
