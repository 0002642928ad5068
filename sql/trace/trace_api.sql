CREATE VIEW trace_api AS
-- CANN calls as slices of our own trace.
--
-- grain: id
-- uses:  api_call_named, trace_base
-- window: self start_ns end_ns
-- cols:
--   id                 -      [key] api_call.id
--   rank_id            -      [key] rank
--   step_id            -      [key] step
--   start_ns           ns     [key] start
--   end_ns             ns     [key] end
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
SELECT
    a.id, a.rank_id, a.step_id, a.start_ns, a.end_ns,
    'X' AS ph, a.name, coalesce(a.level, 'api') AS cat,
    a.rank_id * 1000 + 2 AS pid,
    a.thread_id % 400000 * 10000 + a.lane AS tid,
    a.start_ns - (SELECT base_ns FROM trace_base) AS ts,
    a.duration_ns AS dur,
    a.op_id AS "args:op",
    a.step_no AS "args:step",
    a.connection_no AS "args:connection",
    a.mode AS "args:mode",
    a.item AS "args:item"
FROM api_call_named a
ORDER BY rank_id, start_ns, end_ns DESC, id;
