CREATE VIEW export_operator_memory AS
-- operator_memory.csv: a row an allocation.
--
-- First come those of the framework's allocator, then those of the graph engine. The file is about devices: what a
-- recording knows of the host's memory (CPU) is in allocation_named.
--
-- grain: allocation_id
-- uses:  allocation_named
-- file:  operator_memory.csv
-- window: self start_ns end_ns
-- cols:
--   allocation_id                    -      [key] the allocation
--   rank_id                          -      [key] rank
--   step_id                          -      [key] step it was made in
--   start_ns                         ns     [key] allocation
--   end_ns                           ns     [key] until when it is held; never released: end of the session
--   Name                             text   operator; cann:: before those of the graph engine
--   "Size(KB)"                       float  size / 1024
--   "Allocation Time(us)"            stamp  allocation
--   "Release Time(us)"               stamp  free
--   "Active Release Time(us)"        stamp  end of its use by the device
--   "Duration(us)"                   float  release - allocation (with a tab for the framework's)
--   "Active Duration(us)"            float  active release - allocation (with a tab)
--   "Allocation Total Allocated(MB)"  float  allocated after the allocation / 1048576
--   "Allocation Total Reserved(MB)"   float  reserved then
--   "Allocation Total Active(MB)"     float  active then
--   "Release Total Allocated(MB)"     float  allocated after the release
--   "Release Total Reserved(MB)"      float  reserved then
--   "Release Total Active(MB)"        float  active then
--   "Stream Ptr"                     int    stream of the allocation
--   "Device Type"                    text   NPU: and the device
SELECT
    a.id AS allocation_id,
    a.rank_id,
    a.step_id,
    a.start_ns,
    a.end_ns,
    coalesce(CASE a.component WHEN 'GE' THEN 'cann::' ELSE '' END || a.name, '') AS Name,
    a.size_bytes / 1024.0 AS "Size(KB)",
    printf('%d.%03d', a.start_ns / 1000, a.start_ns % 1000) AS "Allocation Time(us)",
    CASE WHEN a.release_ns IS NOT NULL THEN printf('%d.%03d', a.release_ns / 1000, a.release_ns % 1000) END
        AS "Release Time(us)",
    CASE
        WHEN a.active_release_ns IS NOT NULL
            THEN printf('%d.%03d', a.active_release_ns / 1000, a.active_release_ns % 1000)
    END AS "Active Release Time(us)",
    CASE
        WHEN a.release_ns IS NULL OR a.component = 'GE' THEN (a.release_ns - a.start_ns) / 1000.0
        ELSE printf('%d.%03d', (a.release_ns - a.start_ns) / 1000, (a.release_ns - a.start_ns) % 1000) || char(9)
    END AS "Duration(us)",
    CASE WHEN a.active_release_ns IS NOT NULL
        THEN printf('%d.%03d', (a.active_release_ns - a.start_ns) / 1000, (a.active_release_ns - a.start_ns) % 1000)
            || char(9)
    END AS "Active Duration(us)",
    a.start_allocated_bytes / 1048576.0 AS "Allocation Total Allocated(MB)",
    a.start_reserved_bytes / 1048576.0 AS "Allocation Total Reserved(MB)",
    a.start_active_bytes / 1048576.0 AS "Allocation Total Active(MB)",
    a.release_allocated_bytes / 1048576.0 AS "Release Total Allocated(MB)",
    a.release_reserved_bytes / 1048576.0 AS "Release Total Reserved(MB)",
    a.release_active_bytes / 1048576.0 AS "Release Total Active(MB)",
    a.stream_ptr AS "Stream Ptr",
    'NPU:' || a.device_id AS "Device Type"
FROM allocation_named a
WHERE a.component <> 'CPU'
ORDER BY a.id;
