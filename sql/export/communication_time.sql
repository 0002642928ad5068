CREATE VIEW communication_time AS
-- Times of communication.json: a row an operator, and a row for the total of each type in each step.
--
-- A rank profiled at Level0 has none.
--
-- grain: rank_id, step_name, type, op_key
-- uses:  comm_op_label, comm_op_step, comm_op_time, rank_level
-- cols:
--   rank_id             -   rank
--   step_id             -   step; none without steps
--   step_name           -   step and its number
--   type                -   p2p or collective
--   op_key              -   operator@group or Total Op Info
--   is_total            -   1 = the total
--   start_ns            ns  start of the first task; none for a total
--   elapse_ns           ns  from there to the end of the last task
--   transit_ns          ns  transfers over a link
--   wait_ns             ns  waiting for other ranks
--   synchronization_ns  ns  the part of the waiting that precedes the first transfer
--   idle_ns             ns  the rest

-- Source: deliverables.md section 0.
WITH timed AS (
    SELECT
        o.rank_id, s.step_id, s.step_name, o.type, o.name || '@' || o.group_name AS op_key, t.start_ns, t.elapse_ns,
        t.transit_ns, t.wait_ns, t.synchronization_ns, t.idle_ns
    FROM comm_op_label o
    JOIN comm_op_step s ON s.comm_op_id = o.comm_op_id AND s.drawn_by = 'text'
    JOIN comm_op_time t ON t.comm_op_id = o.comm_op_id
    WHERE o.rank_id IN (SELECT rank_id FROM rank_level WHERE level_no >= 1)
)
SELECT
    rank_id, step_id, step_name, type, op_key, 0 AS is_total, start_ns, elapse_ns, transit_ns, wait_ns,
    synchronization_ns, idle_ns
FROM timed
UNION ALL
SELECT
    rank_id, step_id, step_name, type, 'Total Op Info', 1, NULL, sum(elapse_ns), sum(transit_ns), sum(wait_ns),
    sum(synchronization_ns), sum(idle_ns)
FROM timed
GROUP BY rank_id, step_id, step_name, type;
