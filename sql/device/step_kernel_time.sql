CREATE VIEW step_kernel_time AS
-- Device time of each kernel name in each step: what makes one step longer than another.
--
-- grain: rank_id, step_id, kernel_name
-- uses:  device_task, kernel, string, step, rank
-- cols:
--   rank_id      -      rank
--   rank_no      -      its number in the job; none if unknown
--   step_id      -      step whose device window holds the kernel's start; none outside of steps
--   step_no      -      number of that step
--   kernel_name  text   name as the device reported it
--   calls        count  executions
--   total_ns     ns     sum of durations
SELECT
    t.rank_id, (SELECT rank_no FROM rank WHERE id = t.rank_id) AS rank_no,
    t.step_id, s.step_no, n.value AS kernel_name,
    count(*) AS calls, sum(t.end_ns - t.start_ns) AS total_ns
FROM device_task AS t
JOIN kernel AS k ON k.id = t.kernel_id
JOIN string AS n ON n.id = k.name_id
LEFT JOIN step AS s ON s.id = t.step_id
WHERE k.is_schedule = 0
GROUP BY t.rank_id, t.step_id, k.name_id;
