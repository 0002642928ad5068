CREATE VIEW task_type_time AS
-- Device time of each kind of task on each stream: kernels, copies, events, waits.
--
-- grain: rank_id, device_id, stream_no, type
-- uses:  device_task, string, rank
-- cols:
--   rank_id     -      rank
--   rank_no     -      its number in the job; none if unknown
--   device_id   -      device
--   stream_no   -      stream
--   type        text   KERNEL_AICORE, MEMCPY_ASYNC, EVENT_WAIT ...
--   calls       count  executions
--   total_ns    ns     sum of durations
--   average_ns  ns     total / calls
--   longest_ns  ns     longest execution
SELECT
    t.rank_id, (SELECT rank_no FROM rank WHERE id = t.rank_id) AS rank_no,
    t.device_id, t.stream_no, s.value AS type, count(*) AS calls,
    sum(t.end_ns - t.start_ns) AS total_ns,
    sum(t.end_ns - t.start_ns) / count(*) AS average_ns, max(t.end_ns - t.start_ns) AS longest_ns
FROM device_task AS t JOIN string AS s ON s.id = t.type_id
WHERE t.is_covered = 0
GROUP BY t.rank_id, t.device_id, t.stream_no, t.type_id;
