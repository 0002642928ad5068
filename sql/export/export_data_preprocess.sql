CREATE VIEW export_data_preprocess AS
-- data_preprocess.csv: tasks of the AI CPU, part by part; at Level2 alone.
--
-- grain: aicpu_task_id
-- uses:  msprof_aicpu, rank_level
-- file:  data_preprocess.csv
-- window: self start_ns end_ns
-- cols:
--   aicpu_task_id        -      [key] the record
--   rank_id              -      [key] rank
--   start_ns             ns     [key] start
--   end_ns               ns     [key] end
--   Device_id            int    device
--   "Timestamp(us)"      stamp  start of the task
--   Node                 text   operator, N/A if none is known
--   "Compute_time(us)"   float  computing
--   "Memcpy_time(us)"    float  copying
--   "Task_time(us)"      float  the task
--   "Dispatch_time(us)"  float  dispatching
--   "Total_time(us)"     float  from being submitted to its end
--   "Stream ID"          int    stream
--   "Task ID"            int    task

-- Source: deliverables.md section 12.
SELECT
    a.aicpu_task_id, a.rank_id, a.start_ns, a.end_ns, a.Device_id, a."Timestamp(us)", a.Node, a."Compute_time(us)",
    a."Memcpy_time(us)", a."Task_time(us)", a."Dispatch_time(us)", a."Total_time(us)", a."Stream ID", a."Task ID"
FROM msprof_aicpu a
WHERE a.rank_id IN (SELECT rank_id FROM rank_level WHERE level_no = 2)
ORDER BY a.rank_id, a.start_ns, a.aicpu_task_id;
