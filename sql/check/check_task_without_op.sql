CREATE VIEW check_task_without_op AS
-- Kernels, and tasks of unknown launch, that have no framework operator, by reason.
--
-- Tasks that are no kernels and whose reason is known (marks, waits outside of operators ...) are in task_without_op
-- alone.
--
-- grain: rank_id, reason
-- uses:  task_without_op
-- cols:
--   rank_id        -      rank
--   rank_no        -      its number in the job; none if unknown
--   reason         text   why, see task_without_op
--   task_count     count  tasks, those that are no kernels included
--   kernel_count   count  those of them whose kernel is known
--   total_ns       ns     sum of their durations
--   first_task_id  -      device_task.id of the first
SELECT
    rank_id, rank_no, reason, count(*) AS task_count, count(kernel_name) AS kernel_count, sum(duration_ns) AS total_ns,
    min(device_task_id) AS first_task_id
FROM task_without_op
GROUP BY rank_id, reason
HAVING count(kernel_name) > 0 OR reason = 'launch not recorded';
