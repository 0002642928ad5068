CREATE VIEW api_time AS
-- Host time of each CANN call on each rank.
--
-- grain: rank_id, level, api_name
-- uses:  api_total, string, rank
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
SELECT
    a.rank_id, (SELECT rank_no FROM rank WHERE id = a.rank_id) AS rank_no,
    (SELECT value FROM string WHERE id = a.level_id) AS level,
    (SELECT value FROM string WHERE id = a.name_id) AS api_name, sum(a.call_count) AS calls, sum(a.total_ns) AS total_ns,
    sum(a.total_ns - a.inner_ns) AS self_ns, sum(a.total_ns) / sum(a.call_count) AS average_ns,
    max(a.longest_ns) AS longest_ns
FROM api_total AS a
GROUP BY a.rank_id, a.level_id, a.name_id;
