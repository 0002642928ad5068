CREATE VIEW api_time AS
-- Host time of each CANN call on each rank.
--
-- grain: rank_id, level, api_name
-- uses:  api_call, string, rank
-- cols:
--   rank_id      -      rank
--   rank_no      -      its number in the job; none if unknown
--   level        text   acl, model, node, communication, runtime or another
--   api_name     text   call
--   calls        count  how often it was called
--   total_ns     ns     sum of durations, calls inside it included
--   self_ns      ns     without the calls directly in it
--   average_ns   ns     total / calls
--   longest_ns   ns     longest call
WITH inner_call AS (
    SELECT parent_id, sum(end_ns - start_ns) AS inner_ns FROM api_call WHERE parent_id IS NOT NULL GROUP BY parent_id
)
SELECT
    a.rank_id, (SELECT rank_no FROM rank WHERE id = a.rank_id) AS rank_no,
    (SELECT value FROM string WHERE id = a.level_id) AS level,
    (SELECT value FROM string WHERE id = a.name_id) AS api_name, count(*) AS calls, sum(a.end_ns - a.start_ns) AS total_ns,
    sum(a.end_ns - a.start_ns) - coalesce(sum(i.inner_ns), 0) AS self_ns,
    sum(a.end_ns - a.start_ns) / count(*) AS average_ns, max(a.end_ns - a.start_ns) AS longest_ns
FROM api_call AS a LEFT JOIN inner_call AS i ON i.parent_id = a.id
GROUP BY a.rank_id, a.level_id, a.name_id;
