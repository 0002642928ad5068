CREATE VIEW analysis_comm_time AS
-- CommAnalyzerTime of analysis.db, computed from the profiler's own records.
--
-- grain: rank_id, hccl_op_name, group_name, step
-- uses:  comm_op_label, comm_op_step, comm_op_time, rank
-- cols:
--   rank_id               -   rank
--   rank_no               -   its number in the job; none if unknown
--   hccl_op_name          -   operator
--   group_name            -   communication group
--   start_timestamp       us  start of its first task
--   elapse_time           ms  from there to the end of its last task
--   transit_time          ms  transfers over a link
--   wait_time             ms  waiting for other ranks
--   synchronization_time  ms  the part of the waiting that precedes the first transfer
--   idle_time             ms  the rest
--   step                  -   step and its number
--   type                  -   p2p or collective
SELECT
    o.rank_id,
    (SELECT rank_no FROM rank WHERE id = o.rank_id) AS rank_no,
    o.name AS hccl_op_name,
    o.group_name,
    t.start_ns / 1000.0 AS start_timestamp,
    t.elapse_ns / 1e6 AS elapse_time,
    t.transit_ns / 1e6 AS transit_time,
    t.wait_ns / 1e6 AS wait_time,
    t.synchronization_ns / 1e6 AS synchronization_time,
    t.idle_ns / 1e6 AS idle_time,
    s.step_name AS step,
    o.type
FROM comm_op_label o
JOIN comm_op_step s ON s.comm_op_id = o.comm_op_id AND s.drawn_by = 'database'
JOIN comm_op_time t ON t.comm_op_id = o.comm_op_id;
