CREATE VIEW export_task_time AS
-- task_time.csv: a row a task of the device.
--
-- A parent record is left out where its sub-tasks are there.  kernel_name is the symbol of the device binary as the
-- launch told it; databases hold none, so that there it is the operator's name.
--
-- grain: rank_id, Device_id, start_ns, stream_id, task_id
-- uses:  device_task, kernel, rank, string
-- file:  task_time.csv
-- window: self start_ns end_ns
-- cols:
--   rank_id           -       [key] rank
--   step_id           -       [key] step in whose device window it starts
--   start_ns          ns      [key] start
--   end_ns            ns      [key] end
--   Device_id         int     device
--   kernel_name       text    symbol or operator, N/A without
--   kernel_type       text    core type, else the type of the task
--   stream_id         int     stream
--   task_id           int     task
--   "task_time(us)"   fixed3  end - start
--   "task_start(us)"  stamp   start
--   "task_stop(us)"   stamp   end
SELECT
    t.rank_id,
    t.step_id,
    t.start_ns,
    t.end_ns,
    t.device_id AS Device_id,
    coalesce((
        SELECT s.value FROM kernel k
        JOIN string s ON s.id = CASE (SELECT input_kind FROM rank WHERE id = t.rank_id)
            WHEN 'raw profile' THEN k.symbol_id ELSE k.name_id END
        WHERE k.id = t.kernel_id), 'N/A') AS kernel_name,
    (
        SELECT value FROM string
        WHERE id = coalesce((SELECT core_id FROM kernel WHERE id = t.kernel_id), t.type_id)) AS kernel_type,
    t.stream_no AS stream_id,
    t.task_no AS task_id,
    (t.end_ns - t.start_ns) / 1000.0 AS "task_time(us)",
    printf('%d.%03d', t.start_ns / 1000, t.start_ns % 1000) AS "task_start(us)",
    printf('%d.%03d', t.end_ns / 1000, t.end_ns % 1000) AS "task_stop(us)"
FROM device_task t
WHERE NOT t.is_covered
ORDER BY t.rank_id, t.start_ns;
