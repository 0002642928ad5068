CREATE VIEW trace_step AS
-- Steps as slices of our own trace: on the host their range, on devices the window of their kernels.
--
-- grain: id, device_id
-- uses:  step, device, trace_base
-- window: self start_ns end_ns
-- cols:
--   id           -      [key] step.id
--   rank_id      -      [key] rank
--   step_id      -      [key] step
--   device_id    -      [key] device, none for the host
--   start_ns     ns     [key] start
--   end_ns       ns     [key] end
--   ph           text   X
--   name         text   Step n
--   cat          text   step
--   pid          int    process
--   tid          int    thread
--   ts           ns_us  start since the base
--   dur          ns_us  duration
--   "args:step"  int    number of the step

-- No lane is stored: the writer finds it.
WITH place AS (
    SELECT id, rank_id, NULL AS device_id, start_ns, end_ns, step_no, rank_id * 1000 + 1 AS pid, 1000 AS tid FROM step
    UNION ALL
    SELECT
        s.id, s.rank_id, d.device_id, s.device_start_ns, s.device_end_ns, s.step_no,
        s.rank_id * 1000 + d.device_id * 10 + 3, 1
    FROM step s
    JOIN device d ON d.rank_id = s.rank_id
    WHERE s.device_start_ns <= s.device_end_ns
)
SELECT
    p.id, p.rank_id, p.id AS step_id, p.device_id, p.start_ns, p.end_ns,
    'X' AS ph, 'Step ' || p.step_no AS name, 'step' AS cat, p.pid, p.tid,
    p.start_ns - (SELECT base_ns FROM trace_base) AS ts,
    p.end_ns - p.start_ns AS dur,
    p.step_no AS "args:step"
FROM place p
ORDER BY p.rank_id, p.start_ns, p.end_ns DESC;
