CREATE VIEW vendor_queue_flow AS
-- Arrows of the vendor's trace from an enqueue to its dequeue; each half that was seen has its event.
--
-- grain: rank_id, id, ph
-- uses:  queue_task_named, thread
-- window: self start_ns end_ns
-- cols:
--   rank_id        -      [key] rank
--   step_id        -      [key] step
--   start_ns       ns     [key] start of this half
--   end_ns         ns     [key] end of this half
--   peer_start_ns  ns     [key] start of the other half
--   peer_until_ns  ns     [key] its end, at least a ns after its start
--   peer_step_id   -      [key] step, the same for both
--   ph             text   s or f
--   bp             text   e
--   name           text   enqueue_to_dequeue
--   id             int    correlation number
--   pid            int    process
--   tid            int    thread
--   ts             stamp  start of this half
--   cat            text   async_task_queue
SELECT
    rank_id, step_id, enqueue_start_ns AS start_ns, enqueue_end_ns AS end_ns,
    dequeue_start_ns AS peer_start_ns, max(dequeue_end_ns, dequeue_start_ns + 1) AS peer_until_ns,
    step_id AS peer_step_id,
    's' AS ph, 'e' AS bp, 'enqueue_to_dequeue' AS name, correlation_no AS id,
    coalesce((SELECT t.pid FROM thread t WHERE t.id = enqueue_thread_id), 0) AS pid, coalesce(enqueue_tid, 0) AS tid,
    enqueue_start_ns AS ts, 'async_task_queue' AS cat
FROM queue_task_named
WHERE enqueue_start_ns IS NOT NULL
UNION ALL
SELECT
    rank_id, step_id, dequeue_start_ns, dequeue_end_ns,
    enqueue_start_ns, max(enqueue_end_ns, enqueue_start_ns + 1), step_id,
    'f', 'e', 'enqueue_to_dequeue', correlation_no,
    coalesce((SELECT t.pid FROM thread t WHERE t.id = dequeue_thread_id), 0), coalesce(dequeue_tid, 0),
    dequeue_start_ns, 'async_task_queue'
FROM queue_task_named
WHERE dequeue_start_ns IS NOT NULL;
