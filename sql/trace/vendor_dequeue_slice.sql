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
    id, rank_id, step_id, dequeue_start_ns AS start_ns, dequeue_end_ns AS end_ns,
    'X' AS ph,
    dequeue_name AS name,
    coalesce((SELECT t.pid FROM thread t WHERE t.id = dequeue_thread_id), 0) AS pid,
    coalesce(dequeue_tid, 0) AS tid,
    dequeue_start_ns AS ts,
    (dequeue_end_ns - dequeue_start_ns) / 1000.0 AS dur,
    'dequeue' AS cat,
    correlation_no AS "args:correlation_id"
FROM queue_task_named
WHERE dequeue_start_ns IS NOT NULL;
