CREATE VIEW trace_enqueue AS
-- Tasks put into the host task queue, as slices of our own trace.
--
-- The name takes the operator from the other half, where that was seen.
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
--   name                text   name of the enqueue
--   cat                 text   enqueue
--   pid                 int    process
--   tid                 int    thread
--   ts                  ns_us  start since the base
--   dur                 ns_us  duration
--   "args:op"           int    op.id around it
--   "args:step"         int    step it starts in
--   "args:correlation"  int    number both halves carry

-- No lane is stored: the writer finds it.
SELECT
    q.id, q.rank_id, q.step_id, q.enqueue_start_ns AS start_ns,
    coalesce(q.enqueue_end_ns, q.enqueue_start_ns) AS end_ns,
    'X' AS ph,
    CASE WHEN q.dequeue_name GLOB 'Dequeue@*' THEN 'Enqueue' || substr(q.dequeue_name, 8)
        ELSE coalesce(q.enqueue_name, 'Enqueue') END AS name,
    'enqueue' AS cat,
    q.rank_id * 1000 + 1 AS pid,
    coalesce(q.enqueue_thread_id, 0) % 400000 * 10000 + 2000 AS tid,
    q.enqueue_start_ns - (SELECT base_ns FROM trace_base) AS ts,
    coalesce(q.enqueue_end_ns - q.enqueue_start_ns, 0) AS dur,
    q.op_id AS "args:op",
    q.step_no AS "args:step",
    q.correlation_no AS "args:correlation"
FROM queue_task_named q
WHERE q.enqueue_start_ns IS NOT NULL
ORDER BY rank_id, start_ns, end_ns DESC, id;
