CREATE VIEW task_type_time AS
-- Device time of each kind of task on each stream: kernels, copies, events, waits.
--
-- grain: rank_id, device_id, stream_no, type
-- uses:  stream_total, string, rank
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
    t.device_id, t.stream_no, (SELECT value FROM string WHERE id = t.type_id) AS type, sum(t.task_count) AS calls,
    sum(t.total_ns) AS total_ns, sum(t.total_ns) / sum(t.task_count) AS average_ns, max(t.longest_ns) AS longest_ns
FROM stream_total AS t
GROUP BY t.rank_id, t.device_id, t.stream_no, t.type_id;
