CREATE VIEW vendor_python_slice AS
-- Python frames in the vendor's trace.
--
-- A module call is named nn.Module: Class_k, and its module id is that k.
--
-- grain: id
-- uses:  python_call_named
-- window: self start_ns end_ns
-- cols:
--   id                       -      [key] python_call.id
--   rank_id                  -      [key] rank
--   step_id                  -      [key] step
--   start_ns                 ns     [key] start
--   end_ns                   ns     [key] end
--   ph                       text   X
--   name                     text   function or module
--   pid                      int    process of the thread
--   tid                      int    thread
--   ts                       stamp  start
--   dur                      float  us
--   cat                      text   python_function
--   "args:Python id"         int    number of the frame, where the source holds it
--   "args:Python parent id"  int    number of the frame around it; 0 = none
--   "args:Python module id"  int    number of the module within its class
SELECT
    p.id, p.rank_id, p.step_id, p.start_ns, p.end_ns,
    'X' AS ph,
    p.name,
    coalesce(p.pid, 0) AS pid,
    coalesce(p.tid, 0) AS tid,
    p.start_ns AS ts,
    p.duration_ns / 1000.0 AS dur,
    'python_function' AS cat,
    p.frame_no AS "args:Python id",
    p.outer_frame_no AS "args:Python parent id",
    CASE WHEN p.name GLOB 'nn.Module: *[0-9]' AND rtrim(p.name, '0123456789') GLOB '*_'
        THEN CAST(substr(p.name, length(rtrim(p.name, '0123456789')) + 1) AS INTEGER) END AS "args:Python module id"
FROM python_call_named p
ORDER BY p.rank_id, p.start_ns, p.id;
