CREATE VIEW trace_forward_flow AS
-- Flows of our own trace from forward operators to their backward operators on other threads.
--
-- grain: id
-- uses:  forward_backward, op, trace_base
-- window: op start_ns end_ns
-- cols:
--   rank_id        -      [key] rank
--   step_id        -      [key] step of the end
--   start_ns       ns     [key] start of the slice at the end
--   end_ns         ns     [key] end of the slice at the end
--   peer_start_ns  ns     [key] start of the slice at the beginning
--   peer_until_ns  ns     [key] its end, at least a ns after its start
--   peer_step_id   -      [key] its step
--   name           text   name of the flow
--   id             int    number of the flow, unique under its name
--   from_pid       int    process where it begins
--   from_tid       int    thread and lane where it begins
--   from_ts        ns_us  start of that slice since the base
--   to_pid         int    process where it ends
--   to_tid         int    thread and lane where it ends
--   to_ts          ns_us  start of that slice since the base
SELECT
    l.rank_id, b.step_id, b.start_ns, b.end_ns,
    f.start_ns AS peer_start_ns, max(f.end_ns, f.start_ns + 1) AS peer_until_ns, f.step_id AS peer_step_id,
    'forward_backward' AS name, l.forward_op_id AS id,
    l.rank_id * 1000 + 1 AS from_pid, f.thread_id % 400000 * 10000 + f.lane AS from_tid,
    f.start_ns - (SELECT base_ns FROM trace_base) AS from_ts,
    l.rank_id * 1000 + 1 AS to_pid, b.thread_id % 400000 * 10000 + b.lane AS to_tid,
    b.start_ns - (SELECT base_ns FROM trace_base) AS to_ts
FROM forward_backward l
JOIN op f ON f.id = l.forward_op_id
JOIN op b ON b.id = l.backward_op_id
WHERE f.thread_id <> b.thread_id
ORDER BY l.rank_id, b.start_ns, l.forward_op_id;
