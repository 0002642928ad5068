CREATE VIEW vendor_enqueue_slice AS
-- Tasks put into the host task queue, in the vendor's trace.
--
-- The name takes the operator from the other half, where that was seen; older generations write a bare Enqueue.
--
-- grain: id
-- uses:  queue_task_named, thread
-- window: self start_ns end_ns
-- cols:
--   id                    -      [key] queue_task.id
--   rank_id               -      [key] rank
--   step_id               -      [key] step
--   start_ns              ns     [key] start
--   end_ns                ns     [key] end
--   ph                    text   X
--   name                  text   Enqueue@operator
--   pid                   int    process of the thread
--   tid                   int    thread
--   ts                    stamp  start
--   dur                   float  us
--   cat                   text   enqueue
--   "args:correlation_id" int    number both halves carry
SELECT
    q.id, q.rank_id, q.step_id, q.enqueue_start_ns AS start_ns, q.enqueue_end_ns AS end_ns,
    'X' AS ph,
    CASE WHEN q.dequeue_name GLOB 'Dequeue@*' THEN 'Enqueue' || substr(q.dequeue_name, 8) ELSE q.enqueue_name END AS name,
    coalesce((SELECT t.pid FROM thread t WHERE t.id = q.enqueue_thread_id), 0) AS pid,
    coalesce(q.enqueue_tid, 0) AS tid,
    q.enqueue_start_ns AS ts,
    (q.enqueue_end_ns - q.enqueue_start_ns) / 1000.0 AS dur,
    'enqueue' AS cat,
    q.correlation_no AS "args:correlation_id"
FROM queue_task_named q
WHERE q.enqueue_start_ns IS NOT NULL
ORDER BY q.rank_id, q.enqueue_start_ns, q.id;
