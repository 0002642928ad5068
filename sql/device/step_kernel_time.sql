CREATE VIEW step_kernel_time AS
-- Device time of each kernel name in each step: what makes one step longer than another.
--
-- grain: rank_id, step_id, kernel_name
-- uses:  step_kernel_total, string, step, rank
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
    t.step_id, (SELECT step_no FROM step WHERE id = t.step_id) AS step_no,
    (SELECT value FROM string WHERE id = t.name_id) AS kernel_name,
    sum(t.call_count) AS calls, sum(t.total_ns) AS total_ns
FROM step_kernel_total AS t
GROUP BY t.rank_id, t.step_id, t.name_id;
