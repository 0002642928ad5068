CREATE VIEW overlap_analysis AS
-- Intervals of each device: computing, communication, exposed communication, free.
--
-- Exposed is communication while no kernel ran. Intervals are disjoint within a kind and cover the device from its
-- first to its last record, steps or not; a free one is a row of idle_gap. One counts in the step in whose device
-- window (step.device_start_ns to device_end_ns) it starts, with its whole length.
--
-- grain: rank_id, device_id, type, start_ns
-- uses:  busy_kind, busy_interval, rank
-- cols:
--   rank_id      -   rank
--   rank_no      -   its number in the job; none if unknown
--   device_id    -   device
--   type         -   0 Computing, 1 Communication, 2 Communication(Not Overlapped), 3 Free
--   name         -   the type as the vendor's trace writes it
--   start_ns     ns  start
--   end_ns       ns  end
--   duration_ns  ns  end - start
--   step_id      -   step in whose device window it starts

-- Source: deliverables.md section 1.6.
SELECT
    g.rank_id,
    (SELECT rank_no FROM rank WHERE id = g.rank_id) AS rank_no,
    g.device_id,
    g.kind AS type,
    CASE g.kind WHEN 0 THEN 'Computing' WHEN 1 THEN 'Communication' WHEN 2 THEN 'Communication(Not Overlapped)'
        ELSE 'Free' END AS name,
    g.start_ns,
    g.end_ns,
    g.end_ns - g.start_ns AS duration_ns,
    g.step_id
FROM busy_kind AS k
JOIN busy_interval AS g ON g.rank_id = k.rank_id AND g.device_id = k.device_id AND g.kind = k.kind;
