CREATE VIEW module_time AS
-- Host and device time of each module of the model on each rank.
--
-- A rank whose operators carry their module (with_modules) is told by that; any other by the `nn.Module: …` frames of
-- its Python stacks: the operators that run inside a frame on its thread, so a module includes the modules in it.
-- The backward pass runs outside of these frames and is not in them.
--
-- grain: rank_id, module
-- uses:  op, python_call, string, device_task, rank
-- cols:
--   rank_id          -      rank
--   rank_no          -      its number in the job; none if unknown
--   module           text   class and number of the instance, or the module hierarchy
--   source           text   op or python: how it was found
--   calls            count  frames of the module; operators in it if source is op
--   host_total_ns    ns     sum of the frames; of the outermost operators if source is op
--   op_count         count  operators in it
--   kernel_count     count  kernels these launched
--   device_total_ns  ns     sum of their durations
WITH cost AS (
    SELECT op_id, count(*) AS kernel_count, sum(end_ns - start_ns) AS device_ns
    FROM device_task
    WHERE op_id IS NOT NULL AND kernel_id IS NOT NULL
    GROUP BY op_id
),
frame AS (
    SELECT p.id, p.rank_id, p.thread_id, p.start_ns, p.end_ns, p.name_id, s.value AS name
    FROM python_call AS p JOIN string AS s ON s.id = p.name_id
    WHERE s.value >= 'nn.Module: ' AND s.value < 'nn.Module:!'
        AND p.rank_id NOT IN (SELECT rank_id FROM op WHERE module_id IS NOT NULL)
),
held AS (
    SELECT f.id, count(o.id) AS op_count, sum(c.kernel_count) AS kernel_count, sum(c.device_ns) AS device_ns
    FROM frame AS f
    LEFT JOIN op AS o ON o.rank_id = f.rank_id AND o.start_ns >= f.start_ns AND o.start_ns < f.end_ns
        AND o.thread_id = f.thread_id AND o.end_ns <= f.end_ns
    LEFT JOIN cost AS c ON c.op_id = o.id
    GROUP BY f.id
)
SELECT
    f.rank_id, (SELECT rank_no FROM rank WHERE id = f.rank_id) AS rank_no,
    substr(f.name, 12) AS module, 'python' AS source, count(*) AS calls,
    sum(f.end_ns - f.start_ns) AS host_total_ns, sum(h.op_count) AS op_count,
    coalesce(sum(h.kernel_count), 0) AS kernel_count, coalesce(sum(h.device_ns), 0) AS device_total_ns
FROM frame AS f JOIN held AS h ON h.id = f.id
GROUP BY f.rank_id, f.name_id
UNION ALL
SELECT
    o.rank_id, (SELECT rank_no FROM rank WHERE id = o.rank_id), (SELECT value FROM string WHERE id = o.module_id), 'op',
    count(*),
    sum(CASE WHEN o.module_id IS (SELECT module_id FROM op WHERE id = o.parent_id) THEN 0 ELSE o.end_ns - o.start_ns END),
    count(*), coalesce(sum(c.kernel_count), 0), coalesce(sum(c.device_ns), 0)
FROM op AS o LEFT JOIN cost AS c ON c.op_id = o.id
WHERE o.module_id IS NOT NULL
GROUP BY o.rank_id, o.module_id;
