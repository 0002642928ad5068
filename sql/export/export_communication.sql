CREATE VIEW export_communication AS
-- communication.json, its times: a row an operator, and a row for the total of each type in each step.
--
-- The writer nests the rows: step, type, operator@group, Communication Time Info (deliverables.md section 11).
-- A rank profiled at Level0 has none.
--
-- grain: rank_id, step_name, type, op_key
-- uses:  comm_op_label, comm_op_step, comm_op_time, rank_level
-- file:  communication.json
-- window: comm_op start_ns end_ns
-- cols:
--   rank_id                            -      [key] rank
--   step_id                            -      [key] step; none without steps
--   step_name                          text   [key] step and its number
--   type                               text   [key] p2p or collective
--   op_key                             text   [key] operator@group or Total Op Info
--   "Start Timestamp(us)"              json   [optional] start of the first task; none for a total
--   "Elapse Time(ms)"                  float  from there to the end of the last task
--   "Transit Time(ms)"                 float  transfers over a link
--   "Wait Time(ms)"                    float  waiting for other ranks
--   "Synchronization Time(ms)"         float  the part of the waiting that precedes the first transfer
--   "Idle Time(ms)"                    float  the rest
--   "Wait Time Ratio"                  float  wait / (wait + transit), 4 decimals
--   "Synchronization Time Ratio"       float  synchronization / (synchronization + transit), 4 decimals
WITH timed AS (
    SELECT
        o.rank_id, s.step_id, s.step_name, o.type, o.name || '@' || o.group_name AS op_key, t.start_ns, t.elapse_ns,
        t.transit_ns, t.wait_ns, t.synchronization_ns, t.idle_ns
    FROM comm_op_label o
    JOIN comm_op_step s ON s.comm_op_id = o.comm_op_id AND s.drawn_by = 'text'
    JOIN comm_op_time t ON t.comm_op_id = o.comm_op_id
    WHERE o.rank_id IN (SELECT rank_id FROM rank_level WHERE level_no >= 1)
),
listed AS (
    SELECT *, 0 AS is_total FROM timed
    UNION ALL
    SELECT
        rank_id, step_id, step_name, type, 'Total Op Info', NULL, sum(elapse_ns), sum(transit_ns), sum(wait_ns),
        sum(synchronization_ns), sum(idle_ns), 1
    FROM timed
    GROUP BY rank_id, step_id, step_name, type
)
SELECT
    rank_id,
    step_id,
    step_name,
    type,
    op_key,
    printf('%d.%03d', start_ns / 1000, start_ns % 1000) AS "Start Timestamp(us)",
    elapse_ns / 1e6 AS "Elapse Time(ms)",
    transit_ns / 1e6 AS "Transit Time(ms)",
    wait_ns / 1e6 AS "Wait Time(ms)",
    synchronization_ns / 1e6 AS "Synchronization Time(ms)",
    idle_ns / 1e6 AS "Idle Time(ms)",
    coalesce(round(wait_ns * 1.0 / nullif(wait_ns + transit_ns, 0), 4), 0) AS "Wait Time Ratio",
    coalesce(round(synchronization_ns * 1.0 / nullif(synchronization_ns + transit_ns, 0), 4), 0)
        AS "Synchronization Time Ratio"
FROM listed
ORDER BY rank_id, step_id, step_name, type DESC, is_total, start_ns, op_key;
