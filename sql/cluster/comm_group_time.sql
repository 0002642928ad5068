CREATE VIEW comm_group_time AS
-- Communication time of each group and kind of operator on each rank: moving data, waiting or idle.
--
-- grain: rank_id, group_name, op_type
-- uses:  comm_op_named, comm_op_time, comm_group, rank
-- cols:
--   rank_id        -      rank
--   rank_no        -      its number in the job; none if unknown
--   group_name     text   name of the group
--   alias          text   name that the framework gave it
--   op_type        text   hcom_allReduce_ ...
--   calls          count  operators
--   total_ns       ns     sum of durations
--   average_ns     ns     total / calls
--   longest_ns     ns     longest operator
--   elapse_ns      ns     sum of first start to last end of their tasks; none without task records
--   transit_ns     ns     of elapse: moving data; none without task records and at Level0
--   wait_ns        ns     of elapse: waiting for other ranks; none as above
--   idle_ns        ns     of elapse: the rest, neither waiting nor moving data; none as above
--   transit_ratio  ratio  transit / (transit + wait + idle)
--   wait_ratio     ratio  wait / (transit + wait + idle)
--   idle_ratio     ratio  idle / (transit + wait + idle)
WITH summed AS (
    SELECT
        c.rank_id, c.group_name, c.comm_group_id, c.op_type, count(*) AS calls, sum(c.duration_ns) AS total_ns,
        max(c.duration_ns) AS longest_ns, sum(t.elapse_ns) AS elapse_ns, sum(t.transit_ns) AS transit_ns,
        sum(t.wait_ns) AS wait_ns, sum(t.idle_ns) AS idle_ns,
        nullif(sum(t.transit_ns + t.wait_ns + t.idle_ns), 0) AS known_ns
    FROM comm_op_named AS c LEFT JOIN comm_op_time AS t ON t.comm_op_id = c.id
    GROUP BY c.rank_id, c.comm_group_id, c.op_type
)
SELECT
    s.rank_id, (SELECT rank_no FROM rank WHERE id = s.rank_id) AS rank_no, s.group_name,
    (SELECT alias FROM comm_group WHERE id = s.comm_group_id) AS alias, s.op_type, s.calls, s.total_ns,
    s.total_ns / s.calls AS average_ns, s.longest_ns, s.elapse_ns, s.transit_ns, s.wait_ns, s.idle_ns,
    s.transit_ns * 1.0 / s.known_ns AS transit_ratio, s.wait_ns * 1.0 / s.known_ns AS wait_ratio,
    s.idle_ns * 1.0 / s.known_ns AS idle_ratio
FROM summed AS s;
