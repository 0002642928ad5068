CREATE VIEW queue_task_named AS
-- Tasks of the host task queue: who enqueued them and when they were taken out.
--
-- grain: id
-- uses:  queue_task, string, thread, step
-- cols:
--   id                 -     queue_task.id
--   rank_id            -     rank it was recorded on
--   correlation_no     -     number that both halves carry
--   op_id              -     op.id of the innermost operator around the enqueue
--   enqueue_name       text  name of the enqueue
--   enqueue_start_ns   ns    Unix epoch
--   enqueue_end_ns     ns    Unix epoch
--   enqueue_thread_id  -     thread.id
--   enqueue_tid        -     its number
--   dequeue_name       text  name of the dequeue
--   dequeue_start_ns   ns    Unix epoch
--   dequeue_end_ns     ns    Unix epoch
--   dequeue_thread_id  -     thread.id
--   dequeue_tid        -     its number
--   queued_ns          ns    from the end of the enqueue to the start of the dequeue
--   step_id            -     step.id
--   step_no            -     number of that step
SELECT
    t.id, t.rank_id, t.correlation_no, t.op_id,
    (SELECT value FROM string WHERE id = t.enqueue_name_id) AS enqueue_name, t.enqueue_start_ns,
    t.enqueue_end_ns, t.enqueue_thread_id,
    (SELECT tid FROM thread WHERE id = t.enqueue_thread_id) AS enqueue_tid,
    (SELECT value FROM string WHERE id = t.dequeue_name_id) AS dequeue_name, t.dequeue_start_ns,
    t.dequeue_end_ns, t.dequeue_thread_id,
    (SELECT tid FROM thread WHERE id = t.dequeue_thread_id) AS dequeue_tid,
    t.dequeue_start_ns - t.enqueue_end_ns AS queued_ns, t.step_id,
    (SELECT step_no FROM step WHERE id = t.step_id) AS step_no
FROM queue_task AS t;
