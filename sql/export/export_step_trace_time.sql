CREATE VIEW export_step_trace_time AS
-- step_trace_time.csv: a row a step and device; without steps one row over everything.
--
-- Its window is the step's device window (step.device_start_ns to device_end_ns), its times are the intervals of the
-- overlap analysis: one counts in the step in which it starts, with its whole length. So Free is the sum of idle_gap of
-- that step, and holds the time before its first and after its last operator; step_breakdown and analysis.db tell those
-- apart (see step_breakdown).
-- A sum of nothing reads 0, not 0.0. Computed in whole ns; the vendor's doubles are up to 0.25 us off in Stage and
-- Preparing.
--
-- grain: rank_id, Device_id, step_id
-- uses:  step_piece, step, op
-- file:  step_trace_time.csv
-- window: step_piece start_ns end_ns
-- cols:
--   rank_id                           -      [key] rank
--   step_id                           -      [key] step; none without steps
--   Device_id                         int    device
--   Step                              int    number of the step
--   Computing                         float  us with a kernel running
--   "Communication(Not Overlapped)"   float  us with a communication operator running and no kernel
--   Overlapped                        float  us with both
--   Communication                     float  us with a communication operator running
--   Free                              float  us with neither
--   Stage                             float  us from the first interval to the end of the last, without bubble
--   Bubble                            float  us of receive operators
--   "Communication(Not Overlapped and Exclude Receive)"  float  the third column - bubble, at least 0
--   Preparing                         float  us from the host's start of the step to the first kernel or communication

-- Source: deliverables.md section 6.
WITH total AS (
    SELECT
        rank_id, device_id, step_id, min(start_ns) AS start_ns, max(end_ns) AS end_ns,
        sum((kind = 0) * (end_ns - start_ns)) AS computing_ns,
        sum((kind = 1) * (end_ns - start_ns)) AS communication_ns,
        sum((kind = 2) * (end_ns - start_ns)) AS exposed_ns,
        sum((kind = 3) * (end_ns - start_ns)) AS free_ns,
        sum((kind = 4) * (end_ns - start_ns)) AS bubble_ns,
        min(CASE WHEN kind < 2 THEN start_ns END) AS first_ns
    FROM step_piece
    WHERE step_id IS NOT NULL OR rank_id NOT IN (SELECT rank_id FROM step)
    GROUP BY rank_id, device_id, step_id
)
SELECT
    t.rank_id,
    t.step_id,
    t.device_id AS Device_id,
    s.step_no AS Step,
    CASE t.computing_ns WHEN 0 THEN 0 ELSE t.computing_ns / 1000.0 END AS Computing,
    CASE t.exposed_ns WHEN 0 THEN 0 ELSE t.exposed_ns / 1000.0 END AS "Communication(Not Overlapped)",
    CASE t.communication_ns WHEN 0 THEN 0 ELSE (t.communication_ns - t.exposed_ns) / 1000.0 END AS Overlapped,
    CASE t.communication_ns WHEN 0 THEN 0 ELSE t.communication_ns / 1000.0 END AS Communication,
    CASE t.free_ns WHEN 0 THEN 0 ELSE t.free_ns / 1000.0 END AS Free,
    (t.end_ns - t.start_ns - t.bubble_ns) / 1000.0 AS Stage,
    CASE t.bubble_ns WHEN 0 THEN 0 ELSE t.bubble_ns / 1000.0 END AS Bubble,
    CASE WHEN t.exposed_ns > t.bubble_ns THEN (t.exposed_ns - t.bubble_ns) / 1000.0 ELSE 0 END
        AS "Communication(Not Overlapped and Exclude Receive)",
    (t.first_ns - coalesce(s.start_ns, (SELECT min(o.start_ns) FROM op o WHERE o.rank_id = t.rank_id))) / 1000.0
        AS Preparing
FROM total t
LEFT JOIN step s ON s.id = t.step_id
ORDER BY t.rank_id, t.device_id, s.step_no;
