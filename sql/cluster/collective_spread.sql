CREATE VIEW collective_spread AS
-- Each collective over its ranks: how far apart they started, who came first, who came last.
--
-- What the ranks did meanwhile is in wait_ns, transit_ns and idle_ns, which add up to elapse_ns.
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
--   shortest_ns    ns     shortest duration on any rank; waiting and idle time are in it
--   longest_ns     ns     longest duration on any rank
--   last_rank_ns   ns     duration on the rank that started last: what it took once all were there, idle time included
--   spread_ns      ns     last start - first start
--   first_rank_no  -      rank that started first
--   last_rank_no   -      rank that started last: the one waited for
--   elapse_ns      ns     sum over the ranks of its time, see collective_rank; none without task records
--   wait_ns        ns     of elapse: waiting for other ranks; none without task records and at Level0
--   transit_ns     ns     of elapse: moving data; none as above
--   idle_ns        ns     of elapse: the rest; none as above
--   wait_ratio     ratio  wait / (wait + transit + idle)
--   transit_ratio  ratio  transit / (wait + transit + idle)
--   idle_ratio     ratio  idle / (wait + transit + idle)
WITH placed AS (
    SELECT
        *, row_number() OVER same AS position,
        row_number() OVER (PARTITION BY run_id, group_name, name ORDER BY start_ns DESC, rank_id DESC) AS from_last
    FROM collective_rank
    WINDOW same AS (PARTITION BY run_id, group_name, name ORDER BY start_ns, rank_id)
),
spread AS (
    SELECT
        run_id, group_name, name, max(CASE WHEN position = 1 THEN step_no END) AS step_no, count(*) AS rank_count,
        min(start_ns) AS start_ns, max(end_ns) AS end_ns, min(duration_ns) AS shortest_ns, max(duration_ns) AS longest_ns,
        max(CASE WHEN from_last = 1 THEN duration_ns END) AS last_rank_ns, max(start_ns) - min(start_ns) AS spread_ns,
        max(CASE WHEN position = 1 THEN rank_no END) AS first_rank_no,
        max(CASE WHEN from_last = 1 THEN rank_no END) AS last_rank_no, sum(elapse_ns) AS elapse_ns,
        sum(wait_ns) AS wait_ns, sum(transit_ns) AS transit_ns, sum(idle_ns) AS idle_ns,
        nullif(sum(wait_ns + transit_ns + idle_ns), 0) AS known_ns
    FROM placed
    GROUP BY run_id, group_name, name
)
SELECT
    run_id, group_name, name, step_no, rank_count, start_ns, end_ns, shortest_ns, longest_ns, last_rank_ns, spread_ns,
    first_rank_no, last_rank_no, elapse_ns, wait_ns, transit_ns, idle_ns, wait_ns * 1.0 / known_ns AS wait_ratio,
    transit_ns * 1.0 / known_ns AS transit_ratio, idle_ns * 1.0 / known_ns AS idle_ratio
FROM spread;
