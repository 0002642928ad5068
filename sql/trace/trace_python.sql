CREATE VIEW trace_python AS
-- Python frames as slices of our own trace.
--
-- grain: id
-- uses:  python_call_named, trace_base
-- window: self start_ns end_ns
-- cols:
--   id             -      [key] python_call.id
--   rank_id        -      [key] rank
--   step_id        -      [key] step
--   start_ns       ns     [key] start
--   end_ns         ns     [key] end
--   ph             text   X
--   name           text   function, or nn.Module: class_k
--   cat            text   python
--   pid            int    process
--   tid            int    thread and lane
--   ts             ns_us  start since the base
--   dur            ns_us  duration
--   "args:step"    int    step it starts in
--   "args:module"  text   module hierarchy
SELECT
    p.id, p.rank_id, p.step_id, p.start_ns, p.end_ns,
    'X' AS ph, p.name, 'python' AS cat,
    p.rank_id * 1000 + 1 AS pid,
    p.thread_id % 400000 * 10000 + 1000 + p.lane AS tid,
    p.start_ns - (SELECT base_ns FROM trace_base) AS ts,
    p.duration_ns AS dur,
    p.step_no AS "args:step",
    p.module AS "args:module"
FROM python_call_named p
ORDER BY rank_id, start_ns, end_ns DESC, id;
