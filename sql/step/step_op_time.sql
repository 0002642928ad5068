CREATE VIEW step_op_time AS
-- Where each step spent its time on the host, by operator: order by host_self_ns for the dear ones.
--
-- Operators belong to the step in which they start. Of the thread that steps, host_self_ns adds up to the step: the row
-- ProfilerStep#… is what was spent there in no operator, in Python above all. Other threads add theirs.
--
-- grain: rank_id, step_id, op_name
-- uses:  step, op, op_work, string, rank
-- cols:
--   rank_id          -      rank
--   rank_no          -      its number in the job; none if unknown
--   step_id          -      step
--   step_no          -      number of the step
--   op_name          text   operator
--   calls            count  how often it ran
--   host_total_ns    ns     sum of its ranges; one inside another of the same name counts twice
--   host_self_ns     ns     without the operators directly in it
--   device_self_ns   ns     kernels and copies it launched itself
--   host_self_ratio  ratio  host_self / the step on the host

-- The window finds them by the index of op, which knows no steps.
SELECT
    s.rank_id, (SELECT rank_no FROM rank WHERE id = s.rank_id) AS rank_no, s.id AS step_id, s.step_no,
    (SELECT value FROM string WHERE id = o.name_id) AS op_name, count(*) AS calls,
    sum(o.end_ns - o.start_ns) AS host_total_ns, sum(o.end_ns - o.start_ns - coalesce(w.inner_ns, 0)) AS host_self_ns,
    coalesce(sum(w.device_ns), 0) AS device_self_ns,
    sum(o.end_ns - o.start_ns - coalesce(w.inner_ns, 0)) * 1.0 / nullif(s.end_ns - s.start_ns, 0) AS host_self_ratio
FROM step AS s
JOIN op AS o ON o.rank_id = s.rank_id AND o.start_ns >= s.start_ns AND o.start_ns < s.end_ns AND o.step_id = s.id
LEFT JOIN op_work AS w ON w.id = o.id
GROUP BY s.rank_id, s.id, o.name_id;
