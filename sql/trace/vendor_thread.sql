CREATE VIEW vendor_thread AS
-- Threads of the vendor's processes: those that have anything to show.
--
-- A thread that takes work from the task queue sorts behind all threads of the framework.
--
-- grain: rank_id, pid, tid
-- uses:  vendor_rank, thread, stream, vendor_comm_group, device, busy_interval
-- cols:
--   rank_id     -  rank
--   pid         -  number of the process
--   tid         -  number of the thread
--   name        -  name
--   sort_index  -  place among the threads of the process
WITH RECURSIVE plane (rank_id, tid, name, remaining) AS (
    SELECT rank_id, tid, name, plane_count FROM vendor_comm_group
    UNION ALL
    SELECT
        rank_id, tid + 1, 'Plane ' || CASE WHEN name GLOB 'Plane *' THEN substr(name, 7) + 1 ELSE 0 END, remaining - 1
    FROM plane
    WHERE remaining > 0
),
kind (tid, name) AS (
    VALUES (0, 'Computing'), (1, 'Communication'), (2, 'Communication(Not Overlapped)'), (3, 'Free')
)
SELECT
    t.rank_id, t.pid, t.tid, 'Thread ' || t.tid AS name,
    CASE WHEN t.is_dequeue THEN (
        SELECT max(o.tid) + 1 FROM thread o WHERE o.rank_id = t.rank_id AND (o.op_count > 0 OR o.queue_count > 0)
    ) ELSE t.tid END AS sort_index
FROM thread t
WHERE t.op_count > 0 OR t.queue_count > 0
UNION ALL
SELECT t.rank_id, r.gc_pid, t.tid, 'Python GC', t.tid
FROM thread t JOIN vendor_rank r ON r.rank_id = t.rank_id WHERE t.gc_count > 0
UNION ALL
SELECT t.rank_id, r.mark_pid, t.tid, 'Thread ' || t.tid, t.tid
FROM thread t JOIN vendor_rank r ON r.rank_id = t.rank_id WHERE t.mark_count > 0
UNION ALL
SELECT t.rank_id, r.cann_pid, t.tid, 'Thread ' || t.tid, t.tid
FROM thread t JOIN vendor_rank r ON r.rank_id = t.rank_id WHERE t.api_count > 0
UNION ALL
SELECT
    s.rank_id, (r.pid * 1024 + 14 * 32 | s.device_id) & 4294967295, s.stream_no, 'Stream ' || s.stream_no, s.stream_no
FROM stream s JOIN vendor_rank r ON r.rank_id = s.rank_id
UNION ALL
SELECT p.rank_id, (r.pid * 1024 + 16 * 32 | r.device_id) & 4294967295, p.tid, p.name, p.tid
FROM plane p JOIN vendor_rank r ON r.rank_id = p.rank_id
UNION ALL
SELECT d.rank_id, (r.pid * 1024 + 31 * 32 | d.device_id) & 4294967295, k.tid, k.name, k.tid
FROM device d CROSS JOIN kind k JOIN vendor_rank r ON r.rank_id = d.rank_id
WHERE EXISTS (SELECT 1 FROM busy_interval b WHERE b.rank_id = d.rank_id AND b.device_id = d.device_id);
