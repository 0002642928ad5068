CREATE VIEW vendor_op_slice AS
-- Framework operators in the vendor's trace.
--
-- Shapes without text are an empty text where types were recorded (the databases hold no empty texts).
--
-- grain: id
-- uses:  op_named
-- window: self start_ns end_ns
-- cols:
--   id                      -      [key] op.id
--   rank_id                 -      [key] rank
--   step_id                 -      [key] step
--   start_ns                ns     [key] start
--   end_ns                  ns     [key] end
--   ph                      text   X
--   name                    text   operator
--   pid                     int    process of the thread
--   tid                     int    thread
--   ts                      stamp  start
--   dur                     float  us
--   cat                     text   cpu_op
--   "args:Sequence number"  int    pairs forward and backward; -1 = none
--   "args:Fwd thread id"    int    0 in forward
--   "args:Input Dims"       text   shapes
--   "args:Input type"       text   types
--   "args:Call stack"       text   innermost frame first
--   "args:Module Hierarchy" text   modules, outermost first
SELECT
    o.id, o.rank_id, o.step_id, o.start_ns, o.end_ns,
    'X' AS ph,
    o.name,
    coalesce(o.pid, 0) AS pid,
    coalesce(o.tid, 0) AS tid,
    o.start_ns AS ts,
    o.duration_ns / 1000.0 AS dur,
    'cpu_op' AS cat,
    coalesce(o.sequence_no, -1) AS "args:Sequence number",
    coalesce(o.forward_thread_no, 0) AS "args:Fwd thread id",
    coalesce(o.shapes, CASE WHEN o.dtypes IS NOT NULL THEN '' END) AS "args:Input Dims",
    o.dtypes AS "args:Input type",
    o.call_stack AS "args:Call stack",
    o.module AS "args:Module Hierarchy"
FROM op_named o
ORDER BY o.rank_id, o.start_ns, o.id;
