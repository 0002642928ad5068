CREATE VIEW trace_api AS
-- CANN calls as slices of our own trace.
--
-- A call that put something on a device ends the flow `op` and starts the flow `launch`; one that launched a graph
-- starts the flow `replay`.
--
-- grain: id
-- uses:  api_call_named, device_task, comm_op, graph_replay, trace_base
-- window: self start_ns end_ns
-- cols:
--   id                 -      [key] api_call.id
--   rank_id            -      [key] rank
--   step_id            -      [key] step
--   start_ns           ns     [key] start
--   end_ns             ns     [key] end
--   "f:op"             -      [key] end of the flow from the operator
--   "s:launch"         -      [key] start of the flow to the device
--   "s:replay"         -      [key] start of the flow to the tasks of a graph
--   ph                 text   X
--   name               text   API
--   cat                text   acl, model, node, communication, runtime
--   pid                int    process
--   tid                int    thread and lane
--   ts                 ns_us  start since the base
--   dur                ns_us  duration
--   "args:op"          int    op.id that made it
--   "args:step"        int    step it starts in
--   "args:connection"  int    number its device records carry
--   "args:mode"        text   struct type
--   "args:item"        text   item
WITH call AS (
    SELECT *, EXISTS (
        SELECT 1 FROM device_task t WHERE t.rank_id = a.rank_id AND t.connection_no = a.connection_no
    ) OR EXISTS (
        SELECT 1 FROM comm_op c WHERE c.rank_id = a.rank_id AND c.connection_no = a.connection_no
    ) AS is_launch
    FROM api_call_named a
)
SELECT
    a.id, a.rank_id, a.step_id, a.start_ns, a.end_ns,
    CASE WHEN a.is_launch AND (EXISTS (SELECT 1 FROM device_task t WHERE t.op_id = a.op_id)
        OR EXISTS (SELECT 1 FROM comm_op c WHERE c.op_id = a.op_id)) THEN a.op_id END AS "f:op",
    CASE WHEN a.is_launch THEN a.id END AS "s:launch",
    g.api_call_id AS "s:replay",
    'X' AS ph, a.name, coalesce(a.level, 'api') AS cat,
    a.rank_id * 1000 + 2 AS pid,
    a.thread_id * 10000 + a.lane AS tid,
    a.start_ns - (SELECT base_ns FROM trace_base) AS ts,
    a.duration_ns AS dur,
    a.op_id AS "args:op",
    a.step_no AS "args:step",
    a.connection_no AS "args:connection",
    a.mode AS "args:mode",
    a.item AS "args:item"
FROM call a
LEFT JOIN (SELECT DISTINCT api_call_id FROM graph_replay) g ON g.api_call_id = a.id
ORDER BY a.rank_id, a.start_ns, a.end_ns DESC;
