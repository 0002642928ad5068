CREATE VIEW msprof_operator_memory AS
-- operator_memory.csv of msprof: a row an allocation of the graph engine.
--
-- What is never released has zeros where its release would be told, as msprof writes it.
--
-- grain: allocation_id
-- uses:  allocation_named
-- file:  operator_memory.csv
-- window: self start_ns end_ns
-- cols:
--   allocation_id                     -      [key] the allocation
--   rank_id                           -      [key] rank
--   step_id                           -      [key] step it was made in
--   start_ns                          ns     [key] allocation
--   end_ns                            ns     [key] until when it is held; never released: end of the session
--   Device_id                         int    device
--   Name                              text   operator
--   "Size(KB)"                        float  size / 1024
--   "Allocation Time(us)"             stamp  allocation
--   "Duration(us)"                    float  release - allocation
--   "Allocation Total Allocated(KB)"  float  allocated after the allocation / 1024
--   "Allocation Total Reserved(KB)"   float  reserved then
--   "Release Total Allocated(KB)"     float  allocated after the release
--   "Release Total Reserved(KB)"      float  reserved then
--   Device                            text   NPU: and the device

-- Source: deliverables.md section 15; all but GE rows are the framework's own.
SELECT
    a.id AS allocation_id,
    a.rank_id,
    a.step_id,
    a.start_ns,
    a.end_ns,
    a.device_id AS Device_id,
    coalesce(a.name, '') AS Name,
    round(a.size_bytes / 1024.0, 3) AS "Size(KB)",
    printf('%d.%03d', a.start_ns / 1000, a.start_ns % 1000) AS "Allocation Time(us)",
    coalesce(a.release_ns - a.start_ns, 0) / 1000.0 AS "Duration(us)",
    round(coalesce(a.start_allocated_bytes, 0) / 1024.0, 3) AS "Allocation Total Allocated(KB)",
    round(coalesce(a.start_reserved_bytes, 0) / 1024.0, 3) AS "Allocation Total Reserved(KB)",
    round(coalesce(a.release_allocated_bytes, 0) / 1024.0, 3) AS "Release Total Allocated(KB)",
    round(coalesce(a.release_reserved_bytes, 0) / 1024.0, 3) AS "Release Total Reserved(KB)",
    'NPU:' || a.device_id AS Device
FROM allocation_named a
WHERE a.component = 'GE'
ORDER BY a.id;
