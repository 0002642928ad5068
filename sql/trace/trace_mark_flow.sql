CREATE VIEW trace_mark_flow AS
-- Flows of our own trace from an mstx mark of the host to what the device did for it.
--
-- grain: id
-- uses:  device_task, mark, step, trace_base
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
    m.start_ns AS peer_start_ns, max(m.end_ns, m.start_ns + 1) AS peer_until_ns,
    (SELECT s.id FROM step s WHERE s.rank_id = m.rank_id AND s.start_ns <= m.start_ns AND m.start_ns < s.end_ns)
        AS peer_step_id,
    'mark' AS name, t.id,
    m.rank_id * 1000 + 1 AS from_pid, m.thread_id % 400000 * 10000 + 5000 + m.lane AS from_tid,
    m.start_ns - (SELECT base_ns FROM trace_base) AS from_ts,
    t.rank_id * 1000 + t.device_id * 10 + 3 AS to_pid,
    t.stream_no * 1000 + 1000 + t.is_covered * 500 + t.lane AS to_tid,
    t.start_ns - (SELECT base_ns FROM trace_base) AS to_ts
FROM device_task t
JOIN mark m ON m.rank_id = t.rank_id AND m.connection_no = t.connection_no
WHERE t.connection_no BETWEEN 4000000001 AND 4294967294
ORDER BY t.rank_id, t.start_ns, t.id;
