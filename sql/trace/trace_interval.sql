CREATE VIEW trace_interval AS
-- Computing, communication, exposed communication and free time of a device in our own trace.
--
-- grain: id
-- uses:  device, busy_interval, step, trace_base
-- window: self start_ns end_ns
-- cols:
--   id           -      [key] busy_interval.id
--   rank_id      -      [key] rank
--   step_id      -      [key] step
--   start_ns     ns     [key] start
--   end_ns       ns     [key] end
--   device_id    -      [key] device
--   kind         -      [key] kind of interval
--   ph           text   X
--   name         text   kind
--   cat          text   interval
--   pid          int    process
--   tid          int    thread of the kind
--   ts           ns_us  start since the base
--   dur          ns_us  duration
--   "args:step"  int    step it starts in

-- Device and kind drive the search, so that the index on (rank, device, kind, start) serves a window.
WITH kind (kind, name) AS (
    VALUES (0, 'computing'), (1, 'communication'), (2, 'communication not overlapped'), (3, 'free')
)
SELECT
    b.id, b.rank_id, b.step_id, b.start_ns, b.end_ns, d.device_id, k.kind,
    'X' AS ph, k.name, 'interval' AS cat,
    b.rank_id * 1000 + b.device_id * 10 + 5 AS pid,
    b.kind * 1000 + 1000 AS tid,
    b.start_ns - (SELECT base_ns FROM trace_base) AS ts,
    b.end_ns - b.start_ns AS dur,
    (SELECT s.step_no FROM step s WHERE s.id = b.step_id) AS "args:step"
FROM device d
CROSS JOIN kind k
CROSS JOIN busy_interval b ON b.rank_id = d.rank_id AND b.device_id = d.device_id AND b.kind = k.kind
ORDER BY b.rank_id, d.device_id, k.kind, b.start_ns, b.id;
