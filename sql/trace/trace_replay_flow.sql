CREATE VIEW trace_replay_flow AS
-- Flows of our own trace from the call that launched a graph to the tasks of that replay.
--
-- grain: id
-- uses:  device_task, graph_replay, api_call, trace_base
-- window: self start_ns end_ns
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
    t.rank_id, t.step_id, t.start_ns, t.end_ns,
    a.start_ns AS peer_start_ns, max(a.end_ns, a.start_ns + 1) AS peer_until_ns, a.step_id AS peer_step_id,
    'replay' AS name, t.id,
    a.rank_id * 1000 + 2 AS from_pid, a.thread_id % 400000 * 10000 + a.lane AS from_tid,
    a.start_ns - (SELECT base_ns FROM trace_base) AS from_ts,
    t.rank_id * 1000 + t.device_id * 10 + 3 AS to_pid,
    t.stream_no * 1000 + 1000 + t.is_covered * 500 + t.lane AS to_tid,
    t.start_ns - (SELECT base_ns FROM trace_base) AS to_ts
FROM device_task t
CROSS JOIN graph_replay g ON g.id = t.graph_replay_id
CROSS JOIN api_call a ON a.id = g.api_call_id
ORDER BY t.rank_id, t.start_ns, t.id;
