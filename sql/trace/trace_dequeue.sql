CREATE VIEW trace_dequeue AS
-- Tasks taken from the host task queue, as slices of our own trace.
--
-- grain: id
-- uses:  queue_task_named, trace_base
-- window: self start_ns end_ns
-- cols:
--   id                  -      [key] queue_task.id
--   rank_id             -      [key] rank
--   step_id             -      [key] step
--   start_ns            ns     [key] start
--   end_ns              ns     [key] end
--   ph                  text   X
--   name                text   name of the dequeue
--   cat                 text   dequeue
--   pid                 int    process
--   tid                 int    thread
--   ts                  ns_us  start since the base
--   dur                 ns_us  duration
--   "args:op"           int    op.id around the enqueue
--   "args:step"         int    step of the enqueue
--   "args:correlation"  int    number both halves carry
--   "args:queued(us)"   ns_us  from the end of the enqueue to the start of this

-- No lane is stored: the writer finds it.
SELECT
    q.id, q.rank_id, q.step_id, q.dequeue_start_ns AS start_ns,
    coalesce(q.dequeue_end_ns, q.dequeue_start_ns) AS end_ns,
    'X' AS ph, coalesce(q.dequeue_name, 'Dequeue') AS name, 'dequeue' AS cat,
    q.rank_id * 1000 + 1 AS pid,
    coalesce(q.dequeue_thread_id, 0) % 400000 * 10000 + 3000 AS tid,
    q.dequeue_start_ns - (SELECT base_ns FROM trace_base) AS ts,
    coalesce(q.dequeue_end_ns - q.dequeue_start_ns, 0) AS dur,
    q.op_id AS "args:op",
    q.step_no AS "args:step",
    q.correlation_no AS "args:correlation",
    q.queued_ns AS "args:queued(us)"
FROM queue_task_named q
WHERE q.dequeue_start_ns IS NOT NULL
ORDER BY rank_id, start_ns, end_ns DESC, id;
