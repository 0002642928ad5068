CREATE VIEW trace_comm_op AS
-- Communication operations as slices of our own trace, on the thread of their group.
--
-- grain: id
-- uses:  comm_op_named, rank, trace_base
-- window: self start_ns end_ns
-- cols:
--   id                  -      [key] comm_op.id
--   rank_id             -      [key] rank
--   step_id             -      [key] step
--   start_ns            ns     [key] start
--   end_ns              ns     [key] end
--   ph                  text   X
--   name                text   operation
--   cat                 text   communication
--   pid                 int    process
--   tid                 int    group and lane
--   ts                  ns_us  start since the base
--   dur                 ns_us  duration
--   "args:operation"    int    comm_op.id
--   "args:op"           int    op.id that launched it
--   "args:step"         int    step it starts in
--   "args:group"        text   group
--   "args:ranks"        int    ranks that take part
--   "args:type"         text   kind of operation
--   "args:elements"     int    elements
--   "args:data type"    text   type of the elements
--   "args:algorithm"    text   algorithm
--   "args:wait(us)"     ns_us  gap to the kernel before it
--   "args:connection"   int    number of the launch
SELECT
    o.id, o.rank_id, o.step_id, o.start_ns, o.end_ns,
    'X' AS ph, o.name, 'communication' AS cat,
    o.rank_id * 1000 + coalesce(o.device_id, (SELECT r.device_id FROM rank r WHERE r.id = o.rank_id), 0) * 10 + 4
        AS pid,
    coalesce(o.comm_group_id % 40000 * 100000, 1) + o.lane AS tid,
    o.start_ns - (SELECT base_ns FROM trace_base) AS ts,
    o.duration_ns AS dur,
    o.id AS "args:operation", o.op_id AS "args:op", o.step_no AS "args:step", o.group_name AS "args:group",
    o.rank_count AS "args:ranks", o.op_type AS "args:type", o.element_count AS "args:elements",
    o.data_type AS "args:data type", o.algorithm AS "args:algorithm", o.wait_ns AS "args:wait(us)",
    o.connection_no AS "args:connection"
FROM comm_op_named o
ORDER BY rank_id, start_ns, end_ns DESC, id;
