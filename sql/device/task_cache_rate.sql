CREATE VIEW task_cache_rate AS
-- How tasks used the caches, with what they are.
--
-- A record whose execution cannot be told has the name of the last operator with its stream and task, as the vendor
-- names all of them.
--
-- grain: rank_id, row_no
-- uses:  cache_rate, device_task, kernel, rank, string
-- cols:
--   rank_id         -      rank it was recorded on
--   rank_no         -      number of the rank
--   device_id       -      device number
--   family          text   l2 or tlb (address translation)
--   row_no          -      order of the records
--   stream_no       -      stream
--   task_no         -      task
--   device_task_id  -      device_task.id, where the execution can be told
--   start_ns        ns     start of that execution, Unix epoch
--   end_ns          ns     end of that execution, Unix epoch
--   name            text   operator
--   hit_ratio       ratio  hits / requests
--   victim_ratio    ratio  victims / requests, of L2
--   miss_ratio      ratio  misses / requests, of address translation
WITH last_op AS (
    SELECT rank_id, device_id, stream_no, task_no, kernel_id, max(start_ns)
    FROM device_task
    WHERE kernel_id IS NOT NULL AND EXISTS (SELECT 1 FROM cache_rate WHERE device_task_id IS NULL)
    GROUP BY rank_id, device_id, stream_no, task_no
)
SELECT
    c.rank_id, r.rank_no, c.device_id, c.family, c.row_no, c.stream_no, c.task_no, c.device_task_id, c.start_ns, c.end_ns,
    (
        SELECT value FROM string WHERE id = (
            SELECT name_id FROM kernel WHERE id = CASE WHEN c.device_task_id IS NULL THEN l.kernel_id ELSE t.kernel_id END)
    ) AS name,
    c.hit_ratio, c.victim_ratio, c.miss_ratio
FROM cache_rate c
JOIN rank r ON r.id = c.rank_id
LEFT JOIN device_task t ON t.id = c.device_task_id
LEFT JOIN last_op l
    ON l.rank_id = c.rank_id AND l.device_id = c.device_id AND l.stream_no = c.stream_no AND l.task_no = c.task_no;
