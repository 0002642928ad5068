CREATE VIEW vendor_task_slice AS
-- Device tasks in the vendor's trace, on the thread of their stream.
--
-- A parent record is left out where its sub-tasks are drawn.  At Level0 the framework prunes names that begin with one
-- of its layers.  The databases hold no batch, and of a copy only the host's task type.  Sizes of copies come at Level2;
-- a copy without an entry of its own then shows zeros.
--
-- grain: id
-- uses:  device_task_named, vendor_rank, memory_copy, string
-- window: self start_ns end_ns
-- cols:
--   id                     -      [key] device_task.id
--   rank_id                -      [key] rank
--   step_id                -      [key] step
--   start_ns               ns     [key] start
--   end_ns                 ns     [key] end
--   is_pruned              -      [key] 1 = left out of trace_view.json
--   ph                     text   X
--   name                   text   kernel, else the task type
--   pid                    int    packed process
--   tid                    int    stream
--   ts                     stamp  start
--   dur                    float  us
--   "args:Model Id"        int    graph
--   "args:Task Type"       text   core of the kernel, what moved a copy, else the task type
--   "args:Physic Stream Id" int   stream
--   "args:Task Id"         int    task
--   "args:Batch Id"        int    batch, where the source holds it
--   "args:Subtask Id"      int    sub-task
--   "args:connection_id"   json   number of the launch; the largest of 64 bits = none
--   "args:size(B)"         int    bytes copied
--   "args:bandwidth(GB/s)" float  bytes a ns
--   "args:operation"       text   direction of the copy
--   "args:Grid Dim"        text   SIMT grid
--   "args:Block Dim"       text   SIMT block
SELECT
    t.id, t.rank_id, t.step_id, t.start_ns, t.end_ns,
    iif(coalesce(r.is_pruned, 0), t.name GLOB 'GE*' OR t.name GLOB 'CANN*' OR t.name GLOB 'AscendCL*'
        OR t.name GLOB 'Runtime*' OR t.name GLOB 'Node*' OR t.name GLOB 'Model*' OR t.name GLOB 'Hccl*'
        OR t.name GLOB 'acl_to_npu*' OR t.name GLOB 'Communication@*', 0) AS is_pruned,
    'X' AS ph,
    t.name,
    (r.pid * 1024 + 14 * 32 | t.device_id) & 4294967295 AS pid,
    t.stream_no AS tid,
    t.start_ns AS ts,
    t.duration_ns / 1000.0 AS dur,
    coalesce(t.model_no, 4294967295) AS "args:Model Id",
    coalesce((SELECT value FROM string WHERE id = c.engine_id),
        iif(t.type = 'MEMCPY_ASYNC', t.type, coalesce(nullif(t.core, 'N/A'), t.type))) AS "args:Task Type",
    t.stream_no AS "args:Physic Stream Id",
    t.task_no AS "args:Task Id",
    t.batch_no AS "args:Batch Id",
    coalesce(t.context_no, 4294967295) AS "args:Subtask Id",
    coalesce(CAST(t.connection_no AS TEXT), '18446744073709551615') AS "args:connection_id",
    iif(t.type_id = (SELECT id FROM string WHERE value = 'MEMCPY_ASYNC'),
        coalesce(c.size_bytes, iif(r.has_copies, 0, NULL)), NULL) AS "args:size(B)",
    iif(t.type_id = (SELECT id FROM string WHERE value = 'MEMCPY_ASYNC'),
        coalesce(iif(c.size_bytes IS NULL, NULL, coalesce(c.size_bytes * 1.0 / nullif(t.duration_ns, 0), 0.0)),
            iif(r.has_copies, 0.0, NULL)), NULL) AS "args:bandwidth(GB/s)",
    iif(t.type = 'MEMCPY_ASYNC', coalesce((SELECT value FROM string WHERE id = c.direction_id),
        iif(r.has_copies, 'other', NULL)), NULL) AS "args:operation",
    nullif(t.grid, 'N/A') AS "args:Grid Dim",
    nullif(t.block, 'N/A') AS "args:Block Dim"
FROM device_task_named t
LEFT JOIN memory_copy c ON c.device_task_id = t.id
    AND t.type_id = (SELECT id FROM string WHERE value = 'MEMCPY_ASYNC')
LEFT JOIN vendor_rank r ON r.rank_id = t.rank_id
WHERE t.is_covered = 0
    AND coalesce(t.connection_no NOT BETWEEN 4000000001 AND 4294967294, 1)
ORDER BY t.rank_id, t.start_ns, t.id;
