CREATE VIEW memory_copy_named AS
-- Sizes and directions of memory copies.
--
-- grain: device_task_id
-- uses:  memory_copy, device_task, string
-- cols:
--   device_task_id  -      device_task.id
--   rank_id         -      rank it was recorded on
--   device_id       -      device number
--   start_ns        ns     start, Unix epoch
--   end_ns          ns     end, Unix epoch
--   duration_ns     ns     end - start
--   size_bytes      bytes  bytes copied
--   direction       text   host to device ...
--   engine          text   what moved it, as the device says

-- CROSS JOIN: from the device tasks to the copies, so that a time window uses their index.
SELECT
    t.device_task_id, d.rank_id AS rank_id, d.device_id AS device_id, d.start_ns AS start_ns, d.end_ns AS end_ns,
    d.end_ns - d.start_ns AS duration_ns, t.size_bytes,
    (SELECT value FROM string WHERE id = t.direction_id) AS direction,
    (SELECT value FROM string WHERE id = t.engine_id) AS engine
FROM device_task AS d CROSS JOIN memory_copy AS t ON t.device_task_id = d.id;
