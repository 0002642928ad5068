CREATE VIEW idle_gap AS
-- When a device did nothing between two operators, and why: what came next and when the host launched it.
--
-- grain: id
-- uses:  busy_interval, step, device_task, comm_op, api_call, string, op, device_task_named, comm_op_named
-- cols:
--   id                -   busy_interval.id of the gap
--   rank_id           -   rank
--   device_id         -   device
--   start_ns          ns  end of the work before
--   end_ns            ns  start of the work after
--   duration_ns       ns  end - start
--   step_no           -   step in whose device window the gap begins
--   next_kind         text  kernel or communication: what ends the gap
--   next_name         text  its name
--   next_op           text  operator that launched it
--   next_thread_id    -   thread of that operator
--   next_launch_ns    ns  when the host called for it
--   launch_late_ns    ns  how much of the gap had passed when the host called; 0 if it called before
--   cause             text  late launch: the host called after the gap began; waiting: it had called before and the
--                           device waited for something else; unknown: no call was recorded; end: nothing follows
WITH gap AS (
    SELECT
        g.id, g.rank_id, g.device_id, g.start_ns, g.end_ns, g.step_id,
        (
            SELECT t.id FROM device_task AS t
            WHERE t.rank_id = g.rank_id AND t.start_ns = g.end_ns AND t.device_id = g.device_id
                AND t.kernel_id IS NOT NULL
            ORDER BY t.id LIMIT 1) AS task_id,
        (
            SELECT c.id FROM comm_op AS c
            WHERE c.rank_id = g.rank_id AND c.start_ns = g.end_ns
                AND coalesce(c.device_id, g.device_id) = g.device_id
            ORDER BY c.id LIMIT 1) AS comm_op_id
    FROM busy_interval AS g
    WHERE g.kind = 3
),
followed AS (
    SELECT
        g.*,
        coalesce(
            (SELECT op_id FROM device_task WHERE id = g.task_id), (SELECT op_id FROM comm_op WHERE id = g.comm_op_id)
        ) AS op_id,
        (
            SELECT start_ns FROM api_call
            WHERE id = coalesce(
                (SELECT api_call_id FROM device_task WHERE id = g.task_id),
                (SELECT api_call_id FROM comm_op WHERE id = g.comm_op_id))) AS launch_ns
    FROM gap AS g
)
SELECT
    f.id, f.rank_id, f.device_id, f.start_ns, f.end_ns, f.end_ns - f.start_ns AS duration_ns,
    (SELECT step_no FROM step WHERE id = f.step_id) AS step_no,
    CASE WHEN f.task_id IS NOT NULL THEN 'kernel' WHEN f.comm_op_id IS NOT NULL THEN 'communication' END AS next_kind,
    coalesce(
        (SELECT name FROM device_task_named WHERE id = f.task_id), (SELECT name FROM comm_op_named WHERE id = f.comm_op_id)
    ) AS next_name,
    (SELECT s.value FROM op AS o JOIN string AS s ON s.id = o.name_id WHERE o.id = f.op_id) AS next_op,
    (SELECT thread_id FROM op WHERE id = f.op_id) AS next_thread_id,
    f.launch_ns AS next_launch_ns, max(f.launch_ns - f.start_ns, 0) AS launch_late_ns,
    CASE WHEN coalesce(f.task_id, f.comm_op_id) IS NULL THEN 'end' WHEN f.launch_ns IS NULL THEN 'unknown'
        WHEN f.launch_ns > f.start_ns THEN 'late launch' ELSE 'waiting' END AS cause
FROM followed AS f;
