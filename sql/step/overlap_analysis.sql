CREATE VIEW overlap_analysis AS
-- Intervals of each device: computing, communication, communication not overlapped by computing, free.
--
-- Disjoint within a kind; deliverables.md section 1.6.
--
-- grain: rank_id, device_id, type, start_ns
-- uses:  busy_interval
-- cols:
--   rank_id      -   rank
--   device_id    -   device
--   type         -   0 Computing, 1 Communication, 2 Communication(Not Overlapped), 3 Free
--   name         -   the type as the vendor's trace writes it
--   start_ns     ns  start
--   end_ns       ns  end
--   duration_ns  ns  end - start
--   step_id      -   step in whose device window it starts
SELECT
    rank_id,
    device_id,
    kind AS type,
    CASE kind WHEN 0 THEN 'Computing' WHEN 1 THEN 'Communication' WHEN 2 THEN 'Communication(Not Overlapped)'
        ELSE 'Free' END AS name,
    start_ns,
    end_ns,
    end_ns - start_ns AS duration_ns,
    step_id
FROM busy_interval;
