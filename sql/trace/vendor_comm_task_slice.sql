CREATE VIEW vendor_comm_task_slice AS
-- Tasks of communication operations in the vendor's trace, on the threads of their planes.
--
-- There are none at Level0.
--
-- grain: id
-- uses:  comm_task_named, vendor_comm_group, vendor_rank, device_task
-- window: self start_ns end_ns
-- cols:
--   id                             -      [key] comm_task.id
--   rank_id                        -      [key] rank
--   step_id                        -      [key] step
--   start_ns                       ns     [key] start
--   end_ns                         ns     [key] end
--   ph                             text   X
--   name                           text   task type
--   pid                            int    packed process
--   tid                            int    thread of the plane
--   ts                             stamp  start
--   dur                            float  us
--   "args:notify_id"               text   notification
--   "args:duration estimated(us)"  float  what the library expected, where the source holds it
--   "args:stream id"               int    stream
--   "args:task id"                 int    task
--   "args:context id"              int    sub-task
--   "args:task type"               text   task type
--   "args:src rank"                int    sending rank of the group
--   "args:dst rank"                int    receiving rank of the group
--   "args:transport type"          text   SDMA, RDMA, LOCAL ...
--   "args:size(Byte)"              int    bytes
--   "args:data type"               text   type of the elements
--   "args:link type"               text   HCCS, PCIE ...
--   "args:bandwidth(GB/s)"         float  bytes a ns
--   "args:model id"                int    graph
SELECT
    t.id, t.rank_id, (SELECT d.step_id FROM device_task d WHERE d.id = t.device_task_id) AS step_id,
    t.start_ns, t.end_ns,
    'X' AS ph,
    t.type AS name,
    (r.pid * 1024 + 16 * 32 | t.device_id) & 4294967295 AS pid,
    g.tid + t.plane_no + 1 AS tid,
    t.start_ns AS ts,
    t.duration_ns / 1000.0 AS dur,
    coalesce(CAST(t.notify_no AS TEXT), 'N/A') AS "args:notify_id",
    t.estimated_us AS "args:duration estimated(us)",
    t.stream_no AS "args:stream id",
    t.task_no AS "args:task id",
    coalesce(t.context_no, 4294967295) AS "args:context id",
    t.type AS "args:task type",
    coalesce(t.src_rank_no, 4294967295) AS "args:src rank",
    coalesce(t.dst_rank_no, 4294967295) AS "args:dst rank",
    coalesce(t.transport, 'N/A') AS "args:transport type",
    t.size_bytes AS "args:size(Byte)",
    coalesce(t.data_type, 'N/A') AS "args:data type",
    coalesce(t.link_type, 'N/A') AS "args:link type",
    coalesce(t.bandwidth / 1e9, t.size_bytes * 1.0 / nullif(t.duration_ns, 0), 0.0) AS "args:bandwidth(GB/s)",
    coalesce(t.model_no, 4294967295) AS "args:model id"
FROM comm_task_named t
JOIN vendor_rank r ON r.rank_id = t.rank_id
JOIN vendor_comm_group g ON g.comm_group_id = t.comm_group_id
WHERE t.plane_no IS NOT NULL AND NOT r.is_pruned
ORDER BY t.rank_id, t.start_ns, t.id;
