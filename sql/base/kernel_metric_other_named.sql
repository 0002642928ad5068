CREATE VIEW kernel_metric_other_named AS
-- PMU counters that have no column of their own in kernel_metric.
--
-- grain: device_task_id, name
-- uses:  kernel_metric_other, string
-- cols:
--   device_task_id  -     device_task.id
--   rank_id         -     rank it was recorded on
--   name            text  counter
--   value           -     as recorded, in the unit of the counter
SELECT
    t.device_task_id, t.rank_id, (SELECT value FROM string WHERE id = t.name_id) AS name, t.value
FROM kernel_metric_other AS t;
