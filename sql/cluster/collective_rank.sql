CREATE VIEW collective_rank AS
-- Each communication operator on each rank, beside the same one on the other ranks of its group.
--
-- Who came late is in late_ns; what each rank did in wait_ns, transit_ns and idle_ns, which add up to elapse_ns.
-- Operators of one name and group are the same one; ranks on other hosts have other clocks, so compare starts with
-- care.
--
-- grain: comm_op_id
-- uses:  comm_op, rank, comm_group, comm_op_time, string, step
-- cols:
--   comm_op_id     -      comm_op.id
--   run_id         -      run
--   group_name     text   name of the group
--   name           text   operator, such as hcom_allReduce__123_0_1
--   rank_id        -      rank.id
--   rank_no        -      rank in the job
--   step_no        -      step
--   start_ns       ns     start on this rank
--   end_ns         ns     end on this rank
--   duration_ns    ns     end - start
--   rank_count     count  ranks that recorded it
--   late_ns        ns     start after the first rank's: how long that one waited for this
--   elapse_ns      ns     first start to last end of its tasks, on the plane that leads; none without task records
--   wait_ns        ns     of elapse: waiting for other ranks; none without task records and at Level0
--   transit_ns     ns     of elapse: moving data; none as above
--   idle_ns        ns     of elapse: the rest, neither waiting nor moving data; none as above
--   wait_ratio     ratio  wait / elapse
--   transit_ratio  ratio  transit / elapse
--   idle_ratio     ratio  idle / elapse
SELECT
    c.id AS comm_op_id, r.run_id, g.value AS group_name, n.value AS name, c.rank_id, r.rank_no,
    (SELECT step_no FROM step WHERE id = c.step_id) AS step_no, c.start_ns, c.end_ns, c.end_ns - c.start_ns AS duration_ns,
    count(*) OVER same AS rank_count, c.start_ns - min(c.start_ns) OVER same AS late_ns, t.elapse_ns, t.wait_ns,
    t.transit_ns, t.idle_ns, t.wait_ns * 1.0 / nullif(t.elapse_ns, 0) AS wait_ratio,
    t.transit_ns * 1.0 / nullif(t.elapse_ns, 0) AS transit_ratio, t.idle_ns * 1.0 / nullif(t.elapse_ns, 0) AS idle_ratio
FROM comm_op AS c
JOIN rank AS r ON r.id = c.rank_id
JOIN string AS n ON n.id = c.name_id
LEFT JOIN comm_group AS q ON q.id = c.comm_group_id
LEFT JOIN string AS g ON g.id = q.name_id
LEFT JOIN comm_op_time AS t ON t.comm_op_id = c.id
WINDOW same AS (PARTITION BY r.run_id, q.name_id, c.name_id);
