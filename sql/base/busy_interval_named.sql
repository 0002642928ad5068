CREATE VIEW busy_interval_named AS
-- When a device computed, communicated, did only that, or nothing.
--
-- The intervals of one kind do not touch.  A time window is quick for a given device and kind.
--
-- grain: id
-- uses:  busy_interval, step
-- cols:
--   id           -     busy_interval.id
--   rank_id      -     rank it was recorded on
--   device_id    -     device number
--   kind         -     0 to 3, see kind_name
--   kind_name    text  computing, communication, communication_not_overlapped, free
--   start_ns     ns    start, Unix epoch
--   end_ns       ns    end, Unix epoch
--   duration_ns  ns    end - start
--   step_id      -     step.id: in whose device window (device_start_ns to device_end_ns) it starts
--   step_no      -     number of that step
SELECT
    t.id, t.rank_id, t.device_id, t.kind,
    CASE t.kind WHEN 0 THEN 'computing' WHEN 1 THEN 'communication' WHEN 2 THEN 'communication_not_overlapped'
        WHEN 3 THEN 'free' END AS kind_name,
    t.start_ns, t.end_ns, t.end_ns - t.start_ns AS duration_ns, t.step_id,
    (SELECT step_no FROM step WHERE id = t.step_id) AS step_no
FROM busy_interval AS t;
