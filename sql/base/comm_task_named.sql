CREATE VIEW comm_task_named AS
-- Tasks of collectives with times, peers and sizes.
--
-- grain: id
-- uses:  comm_task, device_task, comm_group, comm_group_named, string
-- cols:
--   id              -      comm_task.id
--   rank_id         -      rank it was recorded on
--   device_task_id  -      device_task.id
--   device_id       -      device number
--   start_ns        ns     start, Unix epoch
--   end_ns          ns     end, Unix epoch
--   duration_ns     ns     end - start
--   stream_no       -      stream
--   task_no         -      task
--   context_no      -      sub-task
--   model_no        -      graph
--   comm_op_id      -      comm_op.id it belongs to
--   comm_group_id   -      comm_group.id
--   group_name      text   name of the group
--   name            text   name of the operation
--   type            text   Memcpy, Notify_Wait ...
--   plane_no        -      plane
--   notify_no       -      notification
--   rdma_type       text   kind of RDMA task
--   src_rank_no     -      rank in the group that sends
--   dst_rank_no     -      rank in the group that receives
--   transport       text   SDMA, RDMA, LOCAL ...
--   link_type       text   HCCS, PCIE ...
--   data_type       text   FP16 ...
--   size_bytes      bytes  bytes moved
--   is_master       -      1 = on the master plane
--   bandwidth       -      as recorded, bytes/s
--   lane            -      0, or the extra lane where it nests
--   estimated_us    us     how long the library expected it to take

-- Driven by the device tasks, so that a time window uses their index.
SELECT
    t.id, d.rank_id AS rank_id, t.device_task_id, d.device_id AS device_id, d.start_ns AS start_ns,
    d.end_ns AS end_ns, d.end_ns - d.start_ns AS duration_ns, d.stream_no AS stream_no, d.task_no AS task_no,
    d.context_no AS context_no, d.model_no AS model_no, t.comm_op_id, t.comm_group_id,
    (SELECT name FROM comm_group_named WHERE id = t.comm_group_id) AS group_name,
    (SELECT value FROM string WHERE id = t.name_id) AS name,
    (SELECT value FROM string WHERE id = t.type_id) AS type, t.plane_no, t.notify_no,
    (SELECT value FROM string WHERE id = t.rdma_type_id) AS rdma_type, t.src_rank_no, t.dst_rank_no,
    (SELECT value FROM string WHERE id = t.transport_id) AS transport,
    (SELECT value FROM string WHERE id = t.link_type_id) AS link_type,
    (SELECT value FROM string WHERE id = t.data_type_id) AS data_type, t.size_bytes, t.is_master, t.bandwidth,
    t.lane, t.estimated_us
FROM device_task AS d JOIN comm_task AS t ON t.device_task_id = d.id;
