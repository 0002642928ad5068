CREATE VIEW vendor_dequeue_slice AS
-- Tasks taken from the host task queue, in the vendor's trace.
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
--   name                  text   Dequeue@operator
--   pid                   int    process of the thread
--   tid                   int    thread
--   ts                    stamp  start
--   dur                   float  us
--   cat                   text   dequeue
--   "args:correlation_id" int    number both halves carry
SELECT
    q.id, q.rank_id, q.step_id, q.dequeue_start_ns AS start_ns, q.dequeue_end_ns AS end_ns,
    'X' AS ph,
    q.dequeue_name AS name,
    coalesce((SELECT t.pid FROM thread t WHERE t.id = q.dequeue_thread_id), 0) AS pid,
    coalesce(q.dequeue_tid, 0) AS tid,
    q.dequeue_start_ns AS ts,
    (q.dequeue_end_ns - q.dequeue_start_ns) / 1000.0 AS dur,
    'dequeue' AS cat,
    q.correlation_no AS "args:correlation_id"
FROM queue_task_named q
WHERE q.dequeue_start_ns IS NOT NULL
ORDER BY q.rank_id, q.dequeue_start_ns, q.id;
