CREATE VIEW step_breakdown AS
-- Where the time of each step went on each device: computing, communication alone, both at once, nothing.
--
-- grain: rank_id, device_id, step_id
-- uses:  step_time, step
-- cols:
--   rank_id                    -      rank
--   device_id                  -      device
--   step_id                    -      step; none without steps
--   step_no                    -      number of the step
--   step_ns                    ns     the step on the host, from start to end
--   device_ns                  ns     from the first operator on the device to the end of the last
--   computing_ns               ns     a kernel ran
--   communication_ns           ns     a communication operator ran
--   overlapped_ns              ns     both at once
--   communication_exposed_ns   ns     a communication operator ran and no kernel
--   free_ns                    ns     neither, between operators
--   overlap_ratio              ratio  overlapped / communication; none without communication
--   busy_ratio                 ratio  (device - free) / device; none if nothing ran
SELECT
    t.rank_id,
    t.device_id,
    t.step_id,
    s.step_no,
    s.end_ns - s.start_ns AS step_ns,
    t.last_end_ns - t.first_start_ns AS device_ns,
    t.computing_ns,
    t.communication_ns,
    t.communication_ns - t.communication_not_overlapped_ns AS overlapped_ns,
    t.communication_not_overlapped_ns AS communication_exposed_ns,
    t.free_ns,
    1.0 - t.communication_not_overlapped_ns * 1.0 / nullif(t.communication_ns, 0) AS overlap_ratio,
    1.0 - t.free_ns * 1.0 / nullif(t.last_end_ns - t.first_start_ns, 0) AS busy_ratio
FROM step_time t
LEFT JOIN step s ON s.id = t.step_id;
