CREATE VIEW task_without_op AS
-- Every device task that belongs to no framework operator, and why.
--
-- No operators recorded: the rank has none at all. Of a task of a graph: replayed by a call that was not recorded;
-- captured and replayed outside of operators; captured before the recording and replayed outside of operators. Of any
-- other: enqueue not recorded (its launch lies in a dequeue whose other half is missing); enqueued outside of operators;
-- launched outside of operators; mark of the program (it is no work of any operator); mark of the profiler (it switches
-- the recording on and off); part of a task (whose operator is not known either); launch not recorded (no call on the host is known to have launched it).
--
-- grain: device_task_id
-- uses:  device_task, kernel, string, op, api_call, queue_task, graph, graph_replay, rank
-- cols:
--   device_task_id  -     device_task.id
--   rank_id         -     rank
--   rank_no         -     its number in the job; none if unknown
--   device_id       -     device
--   stream_no       -     stream
--   start_ns        ns    Unix epoch
--   duration_ns     ns    end - start
--   type            text  KERNEL_AICORE, EVENT_WAIT ...
--   kernel_name     text  its kernel; none if it is no kernel or nothing told which
--   reason          text  see above
SELECT
    t.id AS device_task_id, t.rank_id, (SELECT rank_no FROM rank WHERE id = t.rank_id) AS rank_no, t.device_id,
    t.stream_no, t.start_ns, t.end_ns - t.start_ns AS duration_ns,
    (SELECT value FROM string WHERE id = t.type_id) AS type,
    (SELECT value FROM string WHERE id = (SELECT name_id FROM kernel WHERE id = t.kernel_id)) AS kernel_name,
    CASE
        WHEN NOT EXISTS (SELECT 1 FROM op AS o WHERE o.rank_id = t.rank_id) THEN 'no operators recorded'
        WHEN t.graph_replay_id IS NOT NULL THEN (
            SELECT CASE
                WHEN r.api_call_id IS NULL THEN 'replayed by a call that was not recorded'
                WHEN (SELECT captured_ns FROM graph WHERE id = r.graph_id) IS NULL
                    THEN 'captured before the recording and replayed outside of operators'
                ELSE 'captured and replayed outside of operators' END
            FROM graph_replay AS r WHERE r.id = t.graph_replay_id)
        WHEN t.api_call_id IS NOT NULL THEN (
            SELECT CASE
                WHEN a.queue_task_id IS NULL THEN 'launched outside of operators'
                WHEN (SELECT enqueue_start_ns FROM queue_task WHERE id = a.queue_task_id) IS NULL
                    THEN 'enqueue not recorded'
                ELSE 'enqueued outside of operators' END
            FROM api_call AS a WHERE a.id = t.api_call_id)
        WHEN t.connection_no BETWEEN 4000000001 AND 4294967294 THEN 'mark of the program'
        WHEN t.type_id IN (SELECT id FROM string WHERE value IN ('PROFILING_ENABLE', 'PROFILING_DISABLE'))
            THEN 'mark of the profiler'
        WHEN t.connection_no IS NULL AND t.context_no IS NOT NULL AND t.is_covered = 0 THEN 'part of a task'
        ELSE 'launch not recorded' END AS reason
FROM device_task AS t
WHERE t.op_id IS NULL;
