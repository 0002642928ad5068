CREATE VIEW comm_group_time AS
-- Communication time of each group and kind of operator on each rank: which group is slow, and whether it moves or waits.
--
-- grain: rank_id, group_name, op_type
-- uses:  comm_op_named, comm_op_time, comm_group
-- cols:
--   rank_id      -      rank
--   group_name   text   name of the group
--   alias        text   name that the framework gave it
--   op_type      text   hcom_allReduce_ ...
--   calls        count  operators
--   total_ns     ns     sum of durations
--   average_ns   ns     total / calls
--   longest_ns   ns     longest operator
--   transit_ns   ns     of total: moving data; none without task records
--   wait_ns      ns     of total: waiting for other ranks; none without task records
--   wait_ratio   ratio  wait / (wait + transit)
SELECT
    c.rank_id, c.group_name, (SELECT alias FROM comm_group WHERE id = c.comm_group_id) AS alias, c.op_type,
    count(*) AS calls, sum(c.duration_ns) AS total_ns, sum(c.duration_ns) / count(*) AS average_ns,
    max(c.duration_ns) AS longest_ns, sum(t.transit_ns) AS transit_ns, sum(t.wait_ns) AS wait_ns,
    sum(t.wait_ns) * 1.0 / nullif(sum(t.wait_ns) + sum(t.transit_ns), 0) AS wait_ratio
FROM comm_op_named AS c LEFT JOIN comm_op_time AS t ON t.comm_op_id = c.id
GROUP BY c.rank_id, c.comm_group_id, c.op_type;
