CREATE VIEW vendor_queue_flow AS
-- Arrows of the vendor's trace from an enqueue to its dequeue; each half that was seen has its event.
--
-- grain: queue_task_id, ph
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
--   part           -      [key] 0 enqueue, 1 dequeue
--   queue_task_id  -      [key] queue_task.id
--   ph             text   s or f
--   bp             text   e
--   name           text   enqueue_to_dequeue
--   id             int    correlation number
--   pid            int    process
--   tid            int    thread
--   ts             stamp  start of this half
--   cat            text   async_task_queue
SELECT
    q.rank_id, q.step_id, q.enqueue_start_ns AS start_ns, q.enqueue_end_ns AS end_ns,
    q.dequeue_start_ns AS peer_start_ns, max(q.dequeue_end_ns, q.dequeue_start_ns + 1) AS peer_until_ns,
    q.step_id AS peer_step_id, 0 AS part, q.id AS queue_task_id,
    's' AS ph, 'e' AS bp, 'enqueue_to_dequeue' AS name, q.correlation_no AS id,
    coalesce((SELECT t.pid FROM thread t WHERE t.id = q.enqueue_thread_id), 0) AS pid,
    coalesce(q.enqueue_tid, 0) AS tid, q.enqueue_start_ns AS ts, 'async_task_queue' AS cat
FROM queue_task_named q
WHERE q.enqueue_start_ns IS NOT NULL
UNION ALL
SELECT
    q.rank_id, q.step_id, q.dequeue_start_ns, q.dequeue_end_ns,
    q.enqueue_start_ns, max(q.enqueue_end_ns, q.enqueue_start_ns + 1), q.step_id, 1, q.id,
    'f', 'e', 'enqueue_to_dequeue', q.correlation_no,
    coalesce((SELECT t.pid FROM thread t WHERE t.id = q.dequeue_thread_id), 0), coalesce(q.dequeue_tid, 0),
    q.dequeue_start_ns, 'async_task_queue'
FROM queue_task_named q
WHERE q.dequeue_start_ns IS NOT NULL
ORDER BY 1, 8, 3, 9;
