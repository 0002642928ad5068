CREATE VIEW collective_rank AS
-- Each communication operator on each rank, beside the same one on the other ranks of its group: who came late, who waited.
-- Operators of one name and group are the same one; ranks on other hosts have other clocks, so compare starts with care.
--
-- grain: comm_op_id
-- uses:  comm_op, rank, comm_group, comm_op_time, string, step
-- cols:
--   comm_op_id    -      comm_op.id
--   run_id        -      run
--   group_name    text   name of the group
--   name          text   operator, such as hcom_allReduce__123_0_1
--   rank_id       -      rank.id
--   rank_no       -      rank in the job
--   step_no       -      step
--   start_ns      ns     start on this rank
--   end_ns        ns     end on this rank
--   duration_ns   ns     end - start
--   rank_count    count  ranks that recorded it
--   late_ns       ns     start after the first rank's: how long that one waited for this
--   wait_ns       ns     time it waited for other ranks, from its tasks; none without task records
--   transit_ns    ns     time it moved data, from its tasks; none without task records
SELECT
    c.id AS comm_op_id, r.run_id, g.value AS group_name, n.value AS name, c.rank_id, r.rank_no,
    (SELECT step_no FROM step WHERE id = c.step_id) AS step_no, c.start_ns, c.end_ns, c.end_ns - c.start_ns AS duration_ns,
    count(*) OVER same AS rank_count, c.start_ns - min(c.start_ns) OVER same AS late_ns, t.wait_ns, t.transit_ns
FROM comm_op AS c
JOIN rank AS r ON r.id = c.rank_id
JOIN string AS n ON n.id = c.name_id
LEFT JOIN comm_group AS q ON q.id = c.comm_group_id
LEFT JOIN string AS g ON g.id = q.name_id
LEFT JOIN comm_op_time AS t ON t.comm_op_id = c.id
WINDOW same AS (PARTITION BY r.run_id, q.name_id, c.name_id);
