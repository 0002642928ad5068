CREATE VIEW collective_spread AS
-- Each collective over its ranks: how far apart they started, who came first and waited, who came last.
--
-- grain: run_id, group_name, name
-- uses:  collective_rank
-- cols:
--   run_id         -      run
--   group_name     text   name of the group
--   name           text   operator
--   step_no        -      step on the rank that came first
--   rank_count     count  ranks that recorded it
--   start_ns       ns     start on the first rank
--   end_ns         ns     end on the last rank
--   shortest_ns    ns     shortest duration: what it takes once all are there
--   longest_ns     ns     longest duration: that of the rank that waited most
--   spread_ns      ns     last start - first start
--   first_rank_no  -      rank that started first
--   last_rank_no   -      rank that started last: the one waited for
--   wait_ns        ns     sum of the ranks' waiting; none without task records
WITH placed AS (
    SELECT
        *, row_number() OVER same AS position,
        row_number() OVER (PARTITION BY run_id, group_name, name ORDER BY start_ns DESC, rank_id DESC) AS from_last
    FROM collective_rank
    WINDOW same AS (PARTITION BY run_id, group_name, name ORDER BY start_ns, rank_id)
)
SELECT
    run_id, group_name, name, max(CASE WHEN position = 1 THEN step_no END) AS step_no, count(*) AS rank_count,
    min(start_ns) AS start_ns, max(end_ns) AS end_ns, min(duration_ns) AS shortest_ns, max(duration_ns) AS longest_ns,
    max(start_ns) - min(start_ns) AS spread_ns, max(CASE WHEN position = 1 THEN rank_no END) AS first_rank_no,
    max(CASE WHEN from_last = 1 THEN rank_no END) AS last_rank_no, sum(wait_ns) AS wait_ns
FROM placed
GROUP BY run_id, group_name, name;
