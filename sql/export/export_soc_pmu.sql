CREATE VIEW export_soc_pmu AS
-- soc_pmu.csv: how tasks used the address translation, in the order of the records.
--
-- grain: rank_id, row_no
-- uses:  task_cache_rate
-- file:  soc_pmu.csv
-- window: self start_ns end_ns
-- cols:
--   rank_id        -      [key] rank
--   row_no         -      [key] order of the record
--   start_ns       ns     [key] start of the task's execution, where it can be told
--   end_ns         ns     [key] its end
--   Device_id      int    device
--   "Stream Id"    int    stream
--   "Task Id"      int    task
--   "TLB Hit Rate"   float  hits / requests, 0 without requests
--   "TLB Miss Rate"  float  misses / requests, 0 without requests
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
    coalesce(round(r.hit_ratio, 6), 0) AS "TLB Hit Rate",
    coalesce(round(r.miss_ratio, 6), 0) AS "TLB Miss Rate",
    coalesce(r.name, 'N/A') AS "Op Name"
FROM task_cache_rate r
WHERE r.family = 'tlb'
ORDER BY r.rank_id, r.row_no;
