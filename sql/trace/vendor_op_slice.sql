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
    id, rank_id, step_id, start_ns, end_ns,
    'X' AS ph,
    name,
    coalesce(pid, 0) AS pid,
    coalesce(tid, 0) AS tid,
    start_ns AS ts,
    duration_ns / 1000.0 AS dur,
    'cpu_op' AS cat,
    coalesce(sequence_no, -1) AS "args:Sequence number",
    coalesce(forward_thread_no, 0) AS "args:Fwd thread id",
    coalesce(shapes, CASE WHEN dtypes IS NOT NULL THEN '' END) AS "args:Input Dims",
    dtypes AS "args:Input type",
    call_stack AS "args:Call stack",
    module AS "args:Module Hierarchy"
FROM op_named;
