CREATE VIEW trace_thread AS
-- Threads of our own trace, without their extra lanes: lane n of a thread has the number tid + n.
--
-- Host threads have a number of their own for each kind of slice, since only slices of one kind are sure to nest.
--
-- grain: pid, tid
-- uses:  thread, stream, comm_group_named, comm_group, device, rank
-- cols:
--   rank_id  -  rank
--   pid      -  process
--   tid      -  thread
--   name     -  thread, stream, group or plane

-- The remainders keep numbers below 2^32: ids of a rank's threads and groups follow each other.
WITH RECURSIVE kind (kind, name) AS (
    VALUES (0, ' operators'), (1, ' Python'), (2, ' enqueue'), (3, ' dequeue'), (4, ' GC'), (5, ' marks')
),
interval (kind, name) AS (
    VALUES (0, 'computing'), (1, 'communication'), (2, 'communication not overlapped'), (3, 'free')
),
plane (comm_group_id, plane_no, plane_count) AS (
    SELECT id, 0, plane_count FROM comm_group WHERE plane_count > 0
    UNION ALL
    SELECT comm_group_id, plane_no + 1, plane_count FROM plane WHERE plane_no + 1 < plane_count
)
SELECT
    t.rank_id, t.rank_id * 1000 + 1 AS pid, t.id % 400000 * 10000 + k.kind * 1000 AS tid,
    coalesce(t.name || ' (' || t.tid || ')', 'Thread ' || t.tid) || k.name AS name
FROM thread t
CROSS JOIN kind k
WHERE CASE k.kind WHEN 0 THEN t.op_count WHEN 1 THEN t.python_count WHEN 2 THEN t.queue_count WHEN 3 THEN t.queue_count
    WHEN 4 THEN t.gc_count ELSE t.mark_count END > 0
UNION ALL
SELECT id, id * 1000 + 1, 1000, 'Steps' FROM rank
UNION ALL
SELECT t.rank_id, t.rank_id * 1000 + 2, t.id % 400000 * 10000, coalesce(t.name || ' (' || t.tid || ')', 'Thread ' || t.tid)
FROM thread t
WHERE t.api_count > 0
UNION ALL
SELECT s.rank_id, s.rank_id * 1000 + s.device_id * 10 + 3, s.stream_no * 1000 + 1000 + p.part * 500,
    'Stream ' || s.stream_no || CASE p.part WHEN 1 THEN ' parents' ELSE '' END
FROM stream s CROSS JOIN (SELECT 0 AS part UNION ALL SELECT 1) p
UNION ALL
SELECT d.rank_id, d.rank_id * 1000 + d.device_id * 10 + 3, 1, 'Steps' FROM device d
UNION ALL
SELECT g.rank_id, g.rank_id * 1000 + d.device_id * 10 + 4, g.id % 40000 * 100000, 'Group ' || g.name
FROM comm_group_named g JOIN device d ON d.rank_id = g.rank_id
UNION ALL
SELECT g.rank_id, g.rank_id * 1000 + d.device_id * 10 + 4, g.id % 40000 * 100000 + 99000, 'No plane of ' || g.name
FROM comm_group_named g JOIN device d ON d.rank_id = g.rank_id
UNION ALL
SELECT d.rank_id, d.rank_id * 1000 + d.device_id * 10 + 4, 1, 'No group' FROM device d
UNION ALL
SELECT g.rank_id, g.rank_id * 1000 + d.device_id * 10 + 4, g.id % 40000 * 100000 + (p.plane_no + 1) * 1000,
    'Plane ' || p.plane_no || ' of ' || g.name
FROM plane p JOIN comm_group_named g ON g.id = p.comm_group_id JOIN device d ON d.rank_id = g.rank_id
UNION ALL
SELECT d.rank_id, d.rank_id * 1000 + d.device_id * 10 + 5, i.kind * 1000 + 1000, i.name
FROM device d CROSS JOIN interval i;
