CREATE VIEW trace_op_flow AS
-- Flows of our own trace from a framework operator to the calls that launched its work.
--
-- A flow leads straight to a device record where its operator is not that of the call, or the call is unknown.
--
-- grain: id
-- uses:  api_call, op, device_task, comm_op, rank, trace_base
-- window: self start_ns end_ns
-- cols:
--   rank_id        -      [key] rank
--   step_id        -      [key] step of the end
--   start_ns       ns     [key] start of the slice at the end
--   end_ns         ns     [key] end of the slice at the end
--   peer_start_ns  ns     [key] start of the slice at the beginning
--   peer_until_ns  ns     [key] its end, at least a ns after its start
--   peer_step_id   -      [key] its step
--   part           -      [key] 0 to calls, 1 to tasks, 2 to communication
--   name           text   name of the flow
--   id             int    number of the flow, unique under its name
--   from_pid       int    process where it begins
--   from_tid       int    thread and lane where it begins
--   from_ts        ns_us  start of that slice since the base
--   to_pid         int    process where it ends
--   to_tid         int    thread and lane where it ends
--   to_ts          ns_us  start of that slice since the base
SELECT
    a.rank_id, a.step_id, a.start_ns, a.end_ns,
    o.start_ns AS peer_start_ns, max(o.end_ns, o.start_ns + 1) AS peer_until_ns, o.step_id AS peer_step_id,
    0 AS part, 'op' AS name, a.id * 3 AS id,
    o.rank_id * 1000 + 1 AS from_pid, o.thread_id % 400000 * 10000 + o.lane AS from_tid,
    o.start_ns - (SELECT base_ns FROM trace_base) AS from_ts,
    a.rank_id * 1000 + 2 AS to_pid, a.thread_id % 400000 * 10000 + a.lane AS to_tid,
    a.start_ns - (SELECT base_ns FROM trace_base) AS to_ts
FROM api_call a
CROSS JOIN op o ON o.id = a.op_id
WHERE EXISTS (SELECT 1 FROM device_task t WHERE t.rank_id = a.rank_id AND t.connection_no = a.connection_no)
    OR EXISTS (SELECT 1 FROM comm_op c WHERE c.rank_id = a.rank_id AND c.connection_no = a.connection_no)
UNION ALL
SELECT
    t.rank_id, t.step_id, t.start_ns, t.end_ns, o.start_ns, max(o.end_ns, o.start_ns + 1), o.step_id,
    1, 'op', t.id * 3 + 1,
    o.rank_id * 1000 + 1, o.thread_id % 400000 * 10000 + o.lane, o.start_ns - (SELECT base_ns FROM trace_base),
    t.rank_id * 1000 + t.device_id * 10 + 3, t.stream_no * 1000 + 1000 + t.is_covered * 500 + t.lane,
    t.start_ns - (SELECT base_ns FROM trace_base)
FROM device_task t
CROSS JOIN op o ON o.id = t.op_id
LEFT JOIN api_call a ON a.id = t.api_call_id
WHERE a.op_id IS NOT t.op_id
UNION ALL
SELECT
    c.rank_id, c.step_id, c.start_ns, c.end_ns, o.start_ns, max(o.end_ns, o.start_ns + 1), o.step_id,
    2, 'op', c.id * 3 + 2,
    o.rank_id * 1000 + 1, o.thread_id % 400000 * 10000 + o.lane, o.start_ns - (SELECT base_ns FROM trace_base),
    c.rank_id * 1000 + coalesce(c.device_id, (SELECT r.device_id FROM rank r WHERE r.id = c.rank_id), 0) * 10 + 4,
    coalesce(c.comm_group_id % 40000 * 100000, 1) + c.lane,
    c.start_ns - (SELECT base_ns FROM trace_base)
FROM comm_op c
CROSS JOIN op o ON o.id = c.op_id
LEFT JOIN api_call a ON a.id = c.api_call_id
WHERE a.op_id IS NOT c.op_id
ORDER BY 1, 8, 3, 10;
