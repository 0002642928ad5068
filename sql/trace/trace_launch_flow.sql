CREATE VIEW trace_launch_flow AS
-- Flows of our own trace from a CANN call to each task and communication operation that it launched.
--
-- grain: id
-- uses:  device_task, comm_op, api_call, rank, trace_base
-- window: self start_ns end_ns
-- cols:
--   rank_id        -      [key] rank
--   step_id        -      [key] step of the end
--   start_ns       ns     [key] start of the slice at the end
--   end_ns         ns     [key] end of the slice at the end
--   peer_start_ns  ns     [key] start of the slice at the beginning
--   peer_until_ns  ns     [key] its end, at least a ns after its start
--   peer_step_id   -      [key] its step
--   part           -      [key] 0 to tasks, 1 to communication
--   name           text   name of the flow
--   id             int    number of the flow, unique under its name
--   from_pid       int    process where it begins
--   from_tid       int    thread and lane where it begins
--   from_ts        ns_us  start of that slice since the base
--   to_pid         int    process where it ends
--   to_tid         int    thread and lane where it ends
--   to_ts          ns_us  start of that slice since the base
SELECT
    t.rank_id, t.step_id, t.start_ns, t.end_ns,
    a.start_ns AS peer_start_ns, max(a.end_ns, a.start_ns + 1) AS peer_until_ns, a.step_id AS peer_step_id,
    0 AS part, 'launch' AS name, t.id * 2 AS id,
    a.rank_id * 1000 + 2 AS from_pid, a.thread_id % 400000 * 10000 + a.lane AS from_tid,
    a.start_ns - (SELECT base_ns FROM trace_base) AS from_ts,
    t.rank_id * 1000 + t.device_id * 10 + 3 AS to_pid,
    t.stream_no * 1000 + 1000 + t.is_covered * 500 + t.lane AS to_tid,
    t.start_ns - (SELECT base_ns FROM trace_base) AS to_ts
FROM device_task t
CROSS JOIN api_call a ON a.id = t.api_call_id AND a.connection_no = t.connection_no
UNION ALL
SELECT
    c.rank_id, c.step_id, c.start_ns, c.end_ns,
    a.start_ns, max(a.end_ns, a.start_ns + 1), a.step_id,
    1, 'launch', c.id * 2 + 1,
    a.rank_id * 1000 + 2, a.thread_id % 400000 * 10000 + a.lane, a.start_ns - (SELECT base_ns FROM trace_base),
    c.rank_id * 1000 + coalesce(c.device_id, (SELECT r.device_id FROM rank r WHERE r.id = c.rank_id), 0) * 10 + 4,
    coalesce(c.comm_group_id % 40000 * 100000, 1) + c.lane,
    c.start_ns - (SELECT base_ns FROM trace_base)
FROM comm_op c
CROSS JOIN api_call a ON a.id = c.api_call_id AND a.connection_no = c.connection_no
ORDER BY 1, 8, 3, 10;
