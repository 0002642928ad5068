CREATE VIEW msprof_aicpu AS
-- aicpu.csv of msprof: tasks of the AI CPU, part by part.
--
-- grain: aicpu_task_id
-- uses:  aicpu_task_named, device_task_named
-- file:  aicpu.csv
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

-- Source: deliverables.md section 12 (data_preprocess.csv), cann-files.md 5.6.
SELECT
    a.id AS aicpu_task_id,
    a.rank_id,
    a.time_ns AS start_ns,
    a.time_ns + coalesce(a.task_ns, 0) AS end_ns,
    a.device_id AS Device_id,
    printf('%d.%03d', a.time_ns / 1000, a.time_ns % 1000) AS "Timestamp(us)",
    coalesce((SELECT t.name FROM device_task_named t WHERE t.id = a.device_task_id AND t.core = 'AI_CPU'), 'N/A')
        AS Node,
    a.compute_ns / 1000.0 AS "Compute_time(us)",
    a.copy_ns / 1000.0 AS "Memcpy_time(us)",
    a.task_ns / 1000.0 AS "Task_time(us)",
    a.dispatch_ns / 1000.0 AS "Dispatch_time(us)",
    a.total_ns / 1000.0 AS "Total_time(us)",
    a.stream_no AS "Stream ID",
    a.task_no AS "Task ID"
FROM aicpu_task_named a
ORDER BY a.rank_id, a.time_ns, a.id;
