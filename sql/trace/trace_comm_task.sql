CREATE VIEW trace_comm_task AS
-- Tasks of communication operations as slices of our own trace, on the thread of their plane.
--
-- The same tasks stand on their streams, too (trace_task); the flows lead there.
--
-- grain: id
-- uses:  comm_task_named, device_task, trace_base
-- window: self start_ns end_ns
-- cols:
--   id                    -      [key] comm_task.id
--   rank_id               -      [key] rank
--   step_id               -      [key] step
--   start_ns              ns     [key] start
--   end_ns                ns     [key] end
--   ph                    text   X
--   name                  text   Memcpy, Notify_Wait ...
--   cat                   text   communication task
--   pid                   int    process
--   tid                   int    plane and lane
--   ts                    ns_us  start since the base
--   dur                   ns_us  duration
--   "args:operation"      int    comm_op.id it belongs to
--   "args:task"           int    device_task.id
--   "args:from rank"      int    sending rank of the group
--   "args:to rank"        int    receiving rank of the group
--   "args:transport"      text   SDMA, RDMA, LOCAL ...
--   "args:link"           text   HCCS, PCIE ...
--   "args:bytes"          int    bytes moved
--   "args:notification"   int    notification
--   "args:master"         int    1 = on the master plane
--   "args:stream"         int    stream
--   "args:expected(us)"   float  how long the library expected it to take
SELECT
    t.id, t.rank_id, (SELECT d.step_id FROM device_task d WHERE d.id = t.device_task_id) AS step_id,
    t.start_ns, t.end_ns,
    'X' AS ph, coalesce(t.type, 'task') AS name, 'communication task' AS cat,
    t.rank_id * 1000 + t.device_id * 10 + 4 AS pid,
    coalesce(t.comm_group_id, 0) % 40000 * 100000 + (coalesce(t.plane_no, 98) + 1) * 1000 + t.lane AS tid,
    t.start_ns - (SELECT base_ns FROM trace_base) AS ts,
    t.duration_ns AS dur,
    t.comm_op_id AS "args:operation", t.device_task_id AS "args:task", t.src_rank_no AS "args:from rank",
    t.dst_rank_no AS "args:to rank", t.transport AS "args:transport", t.link_type AS "args:link",
    t.size_bytes AS "args:bytes", t.notify_no AS "args:notification", t.is_master AS "args:master",
    t.stream_no AS "args:stream", t.estimated_us AS "args:expected(us)"
FROM comm_task_named t
ORDER BY rank_id, start_ns, end_ns DESC, id;
