CREATE VIEW trace_queue_flow AS
-- Flows of our own trace from an enqueue to its dequeue.
--
-- grain: id
-- uses:  queue_task, trace_base
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

-- The writer repeats the lanes that it gave to these slices.
SELECT
    q.rank_id, q.step_id, q.dequeue_start_ns AS start_ns, coalesce(q.dequeue_end_ns, q.dequeue_start_ns) AS end_ns,
    q.enqueue_start_ns AS peer_start_ns,
    max(coalesce(q.enqueue_end_ns, 0), q.enqueue_start_ns + 1) AS peer_until_ns,
    q.step_id AS peer_step_id,
    'queue' AS name, q.id,
    q.rank_id * 1000 + 1 AS from_pid, coalesce(q.enqueue_thread_id, 0) % 400000 * 10000 + 2000 AS from_tid,
    q.enqueue_start_ns - (SELECT base_ns FROM trace_base) AS from_ts,
    q.rank_id * 1000 + 1 AS to_pid, coalesce(q.dequeue_thread_id, 0) % 400000 * 10000 + 3000 AS to_tid,
    q.dequeue_start_ns - (SELECT base_ns FROM trace_base) AS to_ts
FROM queue_task q
WHERE q.enqueue_start_ns IS NOT NULL AND q.dequeue_start_ns IS NOT NULL
ORDER BY q.rank_id, q.dequeue_start_ns, q.id;
