CREATE VIEW check_time_order AS
-- Records that end before they begin.
--
-- grain: table_name, rank_id
-- uses:  op, queue_task, python_call, api_call, gc_event, mark, step, device_task, comm_op, allocation,
--        graph_replay, rank
-- cols:
--   table_name  text   table
--   rank_id     -      rank
--   rank_no     -      its number in the job; none if unknown
--   row_count   count  rows that do so
--   first_id    -      id of the first
WITH found AS (
    SELECT 'op' AS table_name, rank_id, count(*) AS row_count, min(id) AS first_id
    FROM op WHERE end_ns < start_ns GROUP BY rank_id
    UNION ALL
    SELECT 'queue_task', rank_id, count(*), min(id) FROM queue_task
    WHERE enqueue_end_ns < enqueue_start_ns OR dequeue_end_ns < dequeue_start_ns OR dequeue_start_ns < enqueue_start_ns
    GROUP BY rank_id
    UNION ALL
    SELECT 'python_call', rank_id, count(*), min(id) FROM python_call WHERE end_ns < start_ns GROUP BY rank_id
    UNION ALL
    SELECT 'api_call', rank_id, count(*), min(id) FROM api_call WHERE end_ns < start_ns GROUP BY rank_id
    UNION ALL
    SELECT 'gc_event', rank_id, count(*), min(id) FROM gc_event WHERE end_ns < start_ns GROUP BY rank_id
    UNION ALL
    SELECT 'mark', rank_id, count(*), min(id) FROM mark WHERE end_ns < start_ns GROUP BY rank_id
    UNION ALL
    SELECT 'step', rank_id, count(*), min(id) FROM step WHERE end_ns < start_ns GROUP BY rank_id
    UNION ALL
    SELECT 'device_task', rank_id, count(*), min(id) FROM device_task WHERE end_ns < start_ns GROUP BY rank_id
    UNION ALL
    SELECT 'comm_op', rank_id, count(*), min(id) FROM comm_op WHERE end_ns < start_ns GROUP BY rank_id
    UNION ALL
    SELECT 'allocation', rank_id, count(*), min(id) FROM allocation
    WHERE release_ns < start_ns OR active_release_ns < start_ns GROUP BY rank_id
    UNION ALL
    SELECT 'graph_replay', rank_id, count(*), min(id) FROM graph_replay WHERE end_ns < start_ns GROUP BY rank_id
)
SELECT table_name, rank_id, (SELECT rank_no FROM rank WHERE id = found.rank_id) AS rank_no, row_count, first_id
FROM found;
