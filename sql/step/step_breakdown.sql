CREATE VIEW step_breakdown AS
-- Where the time of each step went on each device; the parts add up to device_ns.
--
-- The whole: device_ns = lead_in_ns + computing_ns + communication_exposed_ns + free_ns + tail_ns. It is the step's
-- device window, from step.device_start_ns (start of its first task on the device, a copy among them) to
-- step.device_end_ns (end of its last one, or of the step on the host if that is later), widened where an operator of
-- the step reaches out of it.
-- Operators (kernels, collectives) count in the step in which they start, as analysis.db counts them: computing,
-- communication and free are its numbers.
-- Another cut of idle time is idle_gap_ns: the sum of the step's rows in idle_gap, which is Free of
-- step_trace_time.csv. Gaps are not cut at the window: it holds free_ns, all of the time from the step's last operator
-- to the first one of the next step, and for the first step also the time before its first operator.
--
-- grain: rank_id, device_id, step_id
-- uses:  step_time, step, busy_interval, busy_total, rank
-- cols:
--   rank_id                    -      rank
--   rank_no                    -      its number in the job; none if unknown
--   device_id                  -      device
--   step_id                    -      step; none without steps: then all that was recorded
--   step_no                    -      number of the step
--   step_ns                    ns     the step on the host, from start to end
--   device_ns                  ns     device window of the step
--   lead_in_ns                 ns     from the start of the window to the first operator; copies may run in it
--   computing_ns               ns     a kernel ran
--   communication_ns           ns     a communication operator ran
--   overlapped_ns              ns     both at once
--   communication_exposed_ns   ns     a communication operator ran and no kernel
--   free_ns                    ns     neither, between the first operator and the end of the last
--   tail_ns                    ns     from the end of the last operator to the end of the window
--   idle_ns                    ns     lead_in + free + tail
--   idle_gap_ns                ns     sum of idle_gap.duration_ns of the gaps of the step; none if no launch was linked
--   overlap_ratio              ratio  overlapped / communication; none without communication
--   busy_ratio                 ratio  (computing + communication_exposed) / device; none if nothing ran

-- Where no launch was linked there is no window of the text files: then the window of the step's tasks.
-- Without steps the window reaches over the gaps before the first and after the last operator.
WITH drawn AS (
    SELECT
        t.*, s.step_no, s.end_ns - s.start_ns AS step_ns, s.device_start_ns, s.device_end_ns,
        min(t.first_start_ns, coalesce(
            s.device_start_ns, s.task_start_ns,
            (SELECT min(start_ns) FROM busy_interval WHERE rank_id = t.rank_id AND device_id = t.device_id AND kind = 3),
            t.first_start_ns)) AS start_ns,
        max(t.last_end_ns, coalesce(
            s.device_end_ns, s.task_end_ns,
            (SELECT max(end_ns) FROM busy_interval WHERE rank_id = t.rank_id AND device_id = t.device_id AND kind = 3),
            t.last_end_ns)) AS end_ns
    FROM step_time AS t LEFT JOIN step AS s ON s.id = t.step_id
)
SELECT
    d.rank_id,
    (SELECT rank_no FROM rank WHERE id = d.rank_id) AS rank_no,
    d.device_id,
    d.step_id,
    d.step_no,
    d.step_ns,
    d.end_ns - d.start_ns AS device_ns,
    d.first_start_ns - d.start_ns AS lead_in_ns,
    d.computing_ns,
    d.communication_ns,
    d.communication_ns - d.communication_not_overlapped_ns AS overlapped_ns,
    d.communication_not_overlapped_ns AS communication_exposed_ns,
    d.free_ns,
    d.end_ns - d.last_end_ns AS tail_ns,
    d.first_start_ns - d.start_ns + d.free_ns + d.end_ns - d.last_end_ns AS idle_ns,
    CASE WHEN d.step_id IS NULL OR d.device_start_ns IS NOT NULL THEN coalesce((
        SELECT sum(g.total_ns) FROM busy_total AS g
        WHERE g.rank_id = d.rank_id AND g.device_id = d.device_id AND g.kind = 3 AND g.step_id IS d.step_id), 0)
        END AS idle_gap_ns,
    1.0 - d.communication_not_overlapped_ns * 1.0 / nullif(d.communication_ns, 0) AS overlap_ratio,
    (d.computing_ns + d.communication_not_overlapped_ns) * 1.0 / nullif(d.end_ns - d.start_ns, 0) AS busy_ratio
FROM drawn AS d;
