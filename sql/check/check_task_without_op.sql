CREATE VIEW check_task_without_op AS
-- Kernels that no framework operator was found for, by reason.
--
-- grain: rank_id, reason
-- uses:  device_task, op, rank
-- cols:
--   rank_id         -      rank
--   rank_no         -      its number in the job; none if unknown
--   reason          text   no operator recorded: the rank has none at all; replay: a graph whose capture was not profiled,
--                          and replayed outside of any operator; no call: its launch was not recorded; outside: its
--                          launch lies in no operator
--   task_count      count  kernels
--   total_ns        ns     sum of their durations
--   first_task_id   -      device_task.id of the first
WITH lost AS (
    SELECT
        id, rank_id, end_ns - start_ns AS duration_ns,
        CASE
            WHEN NOT EXISTS (SELECT 1 FROM op AS o WHERE o.rank_id = t.rank_id) THEN 'no operator recorded'
            WHEN graph_replay_id IS NOT NULL THEN 'replay'
            WHEN api_call_id IS NULL THEN 'no call'
            ELSE 'outside' END AS reason
    FROM device_task AS t
    WHERE op_id IS NULL AND kernel_id IS NOT NULL
)
SELECT rank_id, (SELECT rank_no FROM rank WHERE id = lost.rank_id) AS rank_no, reason, count(*) AS task_count,
    sum(duration_ns) AS total_ns, min(id) AS first_task_id
FROM lost
GROUP BY rank_id, reason;
