CREATE VIEW trace_memory AS
-- Memory over time as counters of our own trace.
--
-- A counter each allocator, the process and device, and each CANN module.
--
-- grain: part, record
-- uses:  memory_record_named, device_memory_named, module_memory_named, rank, trace_base
-- window: self start_ns end_ns
-- cols:
--   record                  -      [key] which row of the part
--   rank_id                 -      [key] rank
--   start_ns                ns     [key] time
--   end_ns                  ns     [key] time
--   part                    -      [key] 0 allocators, 1 process and device, 2 modules
--   ph                      text   C
--   name                    text   PTA, GE, PTA+GE, WORKSPACE, app, device, module NAME
--   pid                     int    process
--   tid                     int    0
--   ts                      ns_us  time since the base
--   "args:allocated bytes"  int    allocated
--   "args:reserved bytes"   int    reserved
--   "args:active bytes"     int    active
--   "args:DDR bytes"        int    DDR in use
--   "args:HBM bytes"        int    HBM in use
SELECT
    m.id AS record, m.rank_id, m.time_ns AS start_ns, m.time_ns AS end_ns,
    0 AS part, 'C' AS ph, m.component AS name,
    m.rank_id * 1000 + coalesce(m.device_id, (SELECT r.device_id FROM rank r WHERE r.id = m.rank_id), 0) * 10 + 6
        AS pid,
    0 AS tid, m.time_ns - (SELECT base_ns FROM trace_base) AS ts,
    m.allocated_bytes AS "args:allocated bytes", m.reserved_bytes AS "args:reserved bytes",
    m.active_bytes AS "args:active bytes", NULL AS "args:DDR bytes", NULL AS "args:HBM bytes"
FROM memory_record_named m
UNION ALL
SELECT
    m.id, m.rank_id, m.time_ns, m.time_ns,
    1, 'C', m.scope, m.rank_id * 1000 + m.device_id * 10 + 6, 0, m.time_ns - (SELECT base_ns FROM trace_base),
    NULL, NULL, NULL, m.ddr_bytes, m.hbm_bytes
FROM device_memory_named m
UNION ALL
SELECT
    m.id, m.rank_id, m.time_ns, m.time_ns,
    2, 'C', 'module ' || m.module, m.rank_id * 1000 + m.device_id * 10 + 6, 0,
    m.time_ns - (SELECT base_ns FROM trace_base), NULL, m.reserved_bytes, NULL, NULL, NULL
FROM module_memory_named m
ORDER BY 2, 5, 3, 1;
