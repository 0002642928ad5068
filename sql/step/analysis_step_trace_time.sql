CREATE VIEW analysis_step_trace_time AS
-- StepTraceTime of analysis.db, computed from the profiler's own records.
--
-- Its window is step.task_start_ns to task_end_ns: an operator counts in the step in whose window it starts, with its
-- whole duration. Free is the time between operators of the step, so neither lead-in nor tail: it is
-- step_breakdown.free_ns, and less than Free of step_trace_time.csv.
--
-- grain: rank_id, deviceId, step
-- uses:  step_time, step, op, rank
-- cols:
--   rank_id                                         -   rank
--   rank_no                                         -   its number in the job; none if unknown
--   deviceId                                        -   device
--   step                                            -   number of the step; none without steps
--   computing                                       us  time with a kernel running
--   communication_not_overlapped                    us  communication while no kernel ran
--   overlapped                                      us  communication while a kernel ran
--   communication                                   us  time with a communication operator running
--   free                                            us  time between operators
--   stage                                           us  from the first operator to the end of the last, without bubble
--   bubble                                          us  sum of receive operators
--   communication_not_overlapped_and_exclude_receive  us  communication_not_overlapped - bubble, at least 0
--   preparing                                       us  from the host's start of the step to the first operator

-- Source: ascend-db.md section 10.
SELECT
    t.rank_id,
    (SELECT rank_no FROM rank WHERE id = t.rank_id) AS rank_no,
    t.device_id AS deviceId,
    CAST(s.step_no AS TEXT) AS step,
    t.computing_ns / 1000.0 AS computing,
    t.communication_not_overlapped_ns / 1000.0 AS communication_not_overlapped,
    (t.communication_ns - t.communication_not_overlapped_ns) / 1000.0 AS overlapped,
    t.communication_ns / 1000.0 AS communication,
    t.free_ns / 1000.0 AS free,
    coalesce(t.last_end_ns - t.first_start_ns - t.bubble_ns, 0) / 1000.0 AS stage,
    t.bubble_ns / 1000.0 AS bubble,
    max(t.communication_not_overlapped_ns - t.bubble_ns, 0) / 1000.0
        AS communication_not_overlapped_and_exclude_receive,
    CASE WHEN t.computing_ns > 0
        THEN t.first_start_ns - coalesce(s.start_ns, (SELECT min(o.start_ns) FROM op o WHERE o.rank_id = t.rank_id))
        ELSE 0 END / 1000.0 AS preparing
FROM step_time t
LEFT JOIN step s ON s.id = t.step_id;
