CREATE VIEW check_launch_order AS
-- Device tasks that start before the call that launched them: the two clocks disagree.
--
-- In sound profiles the clocks of host and device agree to some tens of microseconds, so less than 100 us is not told.
-- Tasks of captured graphs are left out: their call is the one that was captured.
--
-- grain: rank_id
-- uses:  device_task, api_call, rank
-- cols:
--   rank_id        -      rank
--   rank_no        -      its number in the job; none if unknown
--   task_count     count  tasks that do so
--   most_ns        ns     longest time that one is early
--   first_task_id  -      device_task.id of the first
SELECT t.rank_id, (SELECT rank_no FROM rank WHERE id = t.rank_id) AS rank_no, count(*) AS task_count,
    max(a.start_ns - t.start_ns) AS most_ns, min(t.id) AS first_task_id
FROM device_task AS t JOIN api_call AS a ON a.id = t.api_call_id
WHERE t.start_ns < a.start_ns - 100000 AND t.graph_replay_id IS NULL
GROUP BY t.rank_id;
