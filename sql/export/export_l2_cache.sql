CREATE VIEW export_l2_cache AS
-- l2_cache.csv: how tasks used the L2 cache, in the order of the records.
--
-- grain: rank_id, row_no
-- uses:  task_cache_rate, device
-- file:  l2_cache.csv
-- window: self start_ns end_ns
-- cols:
--   rank_id        -      [key] rank
--   row_no         -      [key] order of the record
--   start_ns       ns     [key] start of the task's execution, where it can be told
--   end_ns         ns     [key] its end
--   Device_id      int    device
--   "Stream Id"    int    stream
--   "Task Id"      int    task
--   "Hit Rate"     text   hits / requests on chips without a task scheduler of their own (910A, 310P), else N/A
--   "Victim Rate"  float  victims / requests, 0 without requests
--   "Op Name"      text   operator, N/A if the task is none

-- Source: deliverables.md section 12.
SELECT
    r.rank_id,
    r.row_no,
    r.start_ns,
    r.end_ns,
    r.device_id AS Device_id,
    r.stream_no AS "Stream Id",
    r.task_no AS "Task Id",
    CASE
        WHEN (r.rank_id, r.device_id) IN (
            SELECT rank_id, device_id FROM device WHERE chip_name IN ('Ascend910A', 'Ascend310P'))
            THEN coalesce(round(r.hit_ratio, 6), 0)
        ELSE 'N/A'
    END AS "Hit Rate",
    coalesce(round(r.victim_ratio, 6), 0) AS "Victim Rate",
    coalesce(r.name, 'N/A') AS "Op Name"
FROM task_cache_rate r
WHERE r.family = 'l2'
ORDER BY r.rank_id, r.row_no;
