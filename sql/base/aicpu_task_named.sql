CREATE VIEW aicpu_task_named AS
-- Tasks of the AI CPU, part by part.
--
-- grain: id
-- uses:  aicpu_task, device_task, kernel, string
-- cols:
--   id              -     aicpu_task.id
--   rank_id         -     rank it was recorded on
--   device_id       -     device number
--   time_ns         ns    Unix epoch
--   name            text  operator
--   stream_no       -     stream
--   task_no         -     task
--   compute_ns      ns    computing
--   copy_ns         ns    copying
--   task_ns         ns    the task
--   dispatch_ns     ns    dispatching
--   total_ns        ns    all of it
--   device_task_id  -     device_task.id it was in
SELECT
    t.id, t.rank_id, t.device_id, t.time_ns,
    (
        SELECT value FROM string WHERE id = coalesce(
            t.name_id,
            (SELECT k.name_id FROM device_task d JOIN kernel k ON k.id = d.kernel_id WHERE d.id = t.device_task_id))
    ) AS name,
    t.stream_no, t.task_no, t.compute_ns, t.copy_ns, t.task_ns, t.dispatch_ns, t.total_ns, t.device_task_id
FROM aicpu_task AS t;
