CREATE VIEW trace_op AS
-- Framework operators as slices of our own trace.
--
-- grain: id
-- uses:  op_named, trace_base
-- window: self start_ns end_ns
-- cols:
--   id                     -      [key] op.id
--   rank_id                -      [key] rank
--   step_id                -      [key] step
--   start_ns               ns     [key] start
--   end_ns                 ns     [key] end
--   ph                     text   X
--   name                   text   operator, or ProfilerStep#N
--   cat                    text   op
--   pid                    int    process
--   tid                    int    thread and lane
--   ts                     ns_us  start since the base
--   dur                    ns_us  duration
--   "args:op"              int    op.id
--   "args:step"            int    step it starts in
--   "args:sequence"        int    pairs forward and backward
--   "args:shapes"          text   input shapes
--   "args:types"           text   input types
--   "args:call stack"      text   innermost frame first
--   "args:module"          text   module hierarchy
SELECT
    o.id, o.rank_id, o.step_id, o.start_ns, o.end_ns,
    'X' AS ph, o.name, 'op' AS cat,
    o.rank_id * 1000 + 1 AS pid,
    o.thread_id % 400000 * 10000 + o.lane AS tid,
    o.start_ns - (SELECT base_ns FROM trace_base) AS ts,
    o.duration_ns AS dur,
    o.id AS "args:op",
    o.step_no AS "args:step",
    o.sequence_no AS "args:sequence",
    o.shapes AS "args:shapes",
    o.dtypes AS "args:types",
    o.call_stack AS "args:call stack",
    o.module AS "args:module"
FROM op_named o
ORDER BY rank_id, start_ns, end_ns DESC, id;
