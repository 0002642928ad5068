CREATE VIEW check_duplicate AS
-- The same record twice: equal in place, name and times.
--
-- grain: table_name, rank_id
-- uses:  op, api_call, device_task, comm_op, rank
-- cols:
--   table_name  text   table
--   rank_id     -      rank
--   rank_no     -      its number in the job; none if unknown
--   row_count   count  rows that repeat another
--   first_id    -      id of the first of them
WITH found AS (
    SELECT 'op' AS table_name, b.rank_id, count(DISTINCT b.id) AS row_count, min(b.id) AS first_id
    FROM op AS a JOIN op AS b ON b.rank_id = a.rank_id AND b.start_ns = a.start_ns
    WHERE b.id > a.id AND b.end_ns = a.end_ns AND b.thread_id = a.thread_id AND b.name_id = a.name_id
    GROUP BY b.rank_id
    UNION ALL
    SELECT 'api_call', b.rank_id, count(DISTINCT b.id), min(b.id)
    FROM api_call AS a JOIN api_call AS b ON b.rank_id = a.rank_id AND b.start_ns = a.start_ns
    WHERE b.id > a.id AND b.end_ns = a.end_ns AND b.thread_id = a.thread_id AND b.name_id = a.name_id
        AND b.level_id = a.level_id
    GROUP BY b.rank_id
    UNION ALL
    SELECT 'device_task', b.rank_id, count(DISTINCT b.id), min(b.id)
    FROM device_task AS a JOIN device_task AS b ON b.rank_id = a.rank_id AND b.start_ns = a.start_ns
    WHERE b.id > a.id AND b.end_ns = a.end_ns AND b.device_id = a.device_id AND b.stream_no = a.stream_no
        AND b.task_no = a.task_no AND b.context_no IS a.context_no AND b.model_no IS a.model_no AND b.type_id = a.type_id
    GROUP BY b.rank_id
    UNION ALL
    SELECT 'comm_op', b.rank_id, count(DISTINCT b.id), min(b.id)
    FROM comm_op AS a JOIN comm_op AS b ON b.rank_id = a.rank_id AND b.start_ns = a.start_ns
    WHERE b.id > a.id AND b.end_ns = a.end_ns AND b.name_id = a.name_id AND b.comm_group_id IS a.comm_group_id
    GROUP BY b.rank_id
)
SELECT table_name, rank_id, (SELECT rank_no FROM rank WHERE id = found.rank_id) AS rank_no, row_count, first_id
FROM found;
