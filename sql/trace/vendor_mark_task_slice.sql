CREATE VIEW vendor_mark_task_slice AS
-- What the device did for mstx marks, in the vendor's trace, on the thread of its stream.
--
-- Connections of marks begin at 4000000001.
--
-- grain: id
-- uses:  device_task_named, mark_named, vendor_rank
-- window: self start_ns end_ns
-- cols:
--   id                      -      [key] device_task.id
--   rank_id                 -      [key] rank
--   step_id                 -      [key] step
--   start_ns                ns     [key] start
--   end_ns                  ns     [key] end
--   connection_no           -      [key] number of the mark
--   peer_start_ns           ns     [key] start of the mark on the host
--   peer_until_ns           ns     [key] its end, at least a ns after its start
--   ph                      text   X
--   name                    text   message of the mark
--   pid                     int    packed process
--   tid                     int    stream
--   ts                      stamp  start
--   dur                     float  us
--   "args:Physic Stream Id" int    stream
--   "args:Task Id"          int    task

-- Source: ascend-db.md section 2.2.
SELECT
    t.id, t.rank_id, t.step_id, t.start_ns, t.end_ns,
    t.connection_no,
    m.start_ns AS peer_start_ns,
    max(m.end_ns, m.start_ns + 1) AS peer_until_ns,
    'X' AS ph,
    coalesce(m.message, 'N/A') AS name,
    (r.pid * 1024 + 14 * 32 | t.device_id) & 4294967295 AS pid,
    t.stream_no AS tid,
    t.start_ns AS ts,
    t.duration_ns / 1000.0 AS dur,
    t.stream_no AS "args:Physic Stream Id",
    t.task_no AS "args:Task Id"
FROM device_task_named t
LEFT JOIN mark_named m ON m.rank_id = t.rank_id AND m.connection_no = t.connection_no
LEFT JOIN vendor_rank r ON r.rank_id = t.rank_id
WHERE t.connection_no BETWEEN 4000000001 AND 4294967294
ORDER BY t.rank_id, t.start_ns, t.id;
