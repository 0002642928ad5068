CREATE VIEW idle_gap AS
-- When a device ran neither kernel nor collective, what came next, and why it did not come sooner.
--
-- A gap lies between two operators (kernels, collectives).  The first gap of a device begins where its first copy or
-- event does, its last one ends where the last of these does.  Copies may run in a gap, see copy_ns.
-- A gap counts with its whole length in the step in whose device window (step.device_start_ns to device_end_ns) it
-- begins.  So the gaps of a step add up to step_breakdown.idle_gap_ns, which is Free of step_trace_time.csv; those with
-- place = 'between' alone add up to step_breakdown.free_ns, which is free of analysis.db (it draws windows by operators of
-- its own, step.task_start_ns to task_end_ns: where these hold other operators the sums differ).
--
-- grain: id
-- uses:  busy_kind, busy_interval, step, step_time, device_task, comm_op, api_call, string, op, op_framework,
--        device_task_named, comm_op_named, rank
-- cols:
--   id                 -     busy_interval.id of the gap
--   rank_id            -     rank
--   rank_no            -     its number in the job; none if unknown
--   device_id          -     device
--   start_ns           ns    end of the operator before; of the first gap: start of the device's first copy or event
--   end_ns             ns    start of the operator after; of the last gap: end of the device's last copy or event
--   duration_ns        ns    end - start
--   copy_ns            ns    time in the gap in which copies ran
--   step_no            -     step in whose device window the gap begins
--   place              text  before the first operator of that step, between two of them, after its last one (until the
--                            next step's first), or outside of steps
--   next_kind          text  kernel or communication: what ends the gap
--   next_name          text  its name
--   next_op            text  operator that launched it
--   next_framework_op  text  framework operator behind that, see op_framework
--   next_thread_id     -     thread of the operator
--   next_launch_ns     ns    when the host called for it
--   launch_late_ns     ns    how much of the gap had passed when the host called; 0 if it called before
--   cause              text  end: no operator follows; copy: copies ran for at least half of the gap; late launch: the
--                            host called after the gap began; waiting: it had called before and the device waited for
--                            something else; unknown: no call was recorded
WITH gap AS (
    SELECT
        g.id, g.rank_id, g.device_id, g.start_ns, g.end_ns, g.step_id, coalesce(g.copy_ns, 0) AS copy_ns,
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
    FROM busy_kind AS k
    JOIN busy_interval AS g ON g.rank_id = k.rank_id AND g.device_id = k.device_id AND g.kind = k.kind
    WHERE k.kind = 3
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
    f.id, f.rank_id, (SELECT rank_no FROM rank WHERE id = f.rank_id) AS rank_no, f.device_id, f.start_ns, f.end_ns,
    f.end_ns - f.start_ns AS duration_ns, f.copy_ns,
    (SELECT step_no FROM step WHERE id = f.step_id) AS step_no,
    CASE WHEN t.first_start_ns IS NULL THEN 'outside' WHEN f.end_ns <= t.first_start_ns THEN 'before'
        WHEN f.start_ns >= t.last_end_ns THEN 'after' ELSE 'between' END AS place,
    CASE WHEN f.task_id IS NOT NULL THEN 'kernel' WHEN f.comm_op_id IS NOT NULL THEN 'communication' END AS next_kind,
    coalesce(
        (SELECT name FROM device_task_named WHERE id = f.task_id), (SELECT name FROM comm_op_named WHERE id = f.comm_op_id)
    ) AS next_name,
    (SELECT s.value FROM op AS o JOIN string AS s ON s.id = o.name_id WHERE o.id = f.op_id) AS next_op,
    (SELECT framework_op FROM op_framework WHERE op_id = f.op_id) AS next_framework_op,
    (SELECT thread_id FROM op WHERE id = f.op_id) AS next_thread_id,
    f.launch_ns AS next_launch_ns, max(f.launch_ns - f.start_ns, 0) AS launch_late_ns,
    CASE WHEN coalesce(f.task_id, f.comm_op_id) IS NULL THEN 'end'
        WHEN f.copy_ns > 0 AND f.copy_ns * 2 >= f.end_ns - f.start_ns THEN 'copy' WHEN f.launch_ns IS NULL THEN 'unknown'
        WHEN f.launch_ns > f.start_ns THEN 'late launch' ELSE 'waiting' END AS cause
FROM followed AS f
LEFT JOIN step_time AS t ON t.rank_id = f.rank_id AND t.step_id IS f.step_id AND t.device_id = f.device_id;
