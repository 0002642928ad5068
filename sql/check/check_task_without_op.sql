CREATE VIEW check_task_without_op AS
-- How many device tasks have no framework operator, by reason.
--
-- grain: rank_id, reason
-- uses:  task_without_op
-- cols:
--   rank_id        -      rank
--   rank_no        -      its number in the job; none if unknown
--   reason         text   why, see task_without_op
--   task_count     count  tasks
--   kernel_count   count  those of them whose kernel is known
--   total_ns       ns     sum of their durations
--   first_task_id  -      device_task.id of the first
SELECT
    rank_id, rank_no, reason, count(*) AS task_count, count(kernel_name) AS kernel_count, sum(duration_ns) AS total_ns,
    min(device_task_id) AS first_task_id
FROM task_without_op
GROUP BY rank_id, reason;
