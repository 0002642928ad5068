CREATE VIEW trace_task AS
-- Device tasks as slices of our own trace, all of them.
--
-- A parent record stands on a thread of its own below its stream.
--
-- grain: id
-- uses:  device_task_named, graph_replay_named, memory_copy, string, trace_base
-- window: self start_ns end_ns
-- cols:
--   id                     -      [key] device_task.id
--   rank_id                -      [key] rank
--   step_id                -      [key] step
--   start_ns               ns     [key] start
--   end_ns                 ns     [key] end
--   ph                     text   X
--   name                   text   kernel, else the task type
--   cat                    text   kernel or task
--   pid                    int    process
--   tid                    int    stream and lane
--   ts                     ns_us  start since the base
--   dur                    ns_us  duration
--   "args:task"            int    device_task.id
--   "args:op"              int    op.id that launched it
--   "args:link"            text   rule that found the operator
--   "args:step"            int    step it starts in
--   "args:type"            text   raw task type
--   "args:op type"         text   operator type
--   "args:core"            text   AI_CORE, AI_VECTOR_CORE ...
--   "args:blocks"          int    cores used
--   "args:mix blocks"      int    cores of the other kind
--   "args:input shapes"    text   as recorded
--   "args:input types"     text   input types
--   "args:input formats"   text   input formats
--   "args:output shapes"   text   as recorded
--   "args:output types"    text   output types
--   "args:wait(us)"        ns_us  gap to the kernel before it
--   "args:stream"          int    stream
--   "args:task id"         int    task
--   "args:batch"           int    which round of task numbers on its stream
--   "args:context"         int    sub-task
--   "args:model"           int    graph
--   "args:replay"          int    n-th execution of the graph
--   "args:connection"      int    number of the launch
--   "args:bytes"           int    bytes copied
--   "args:engine"          text   what moved a copy, as the device says
SELECT
    t.id, t.rank_id, t.step_id, t.start_ns, t.end_ns,
    'X' AS ph, t.name, CASE WHEN t.kernel_id IS NULL THEN 'task' ELSE 'kernel' END AS cat,
    t.rank_id * 1000 + t.device_id * 10 + 3 AS pid,
    t.stream_no * 1000 + 1000 + t.is_covered * 500 + t.lane AS tid,
    t.start_ns - (SELECT base_ns FROM trace_base) AS ts,
    t.duration_ns AS dur,
    t.id AS "args:task", t.op_id AS "args:op", t.link_rule AS "args:link", t.step_no AS "args:step",
    t.type AS "args:type", t.op_type AS "args:op type", t.core AS "args:core", t.block_count AS "args:blocks",
    t.mix_block_count AS "args:mix blocks", t.input_shapes AS "args:input shapes", t.input_dtypes AS "args:input types",
    t.input_formats AS "args:input formats", t.output_shapes AS "args:output shapes",
    t.output_dtypes AS "args:output types", t.wait_ns AS "args:wait(us)", t.stream_no AS "args:stream",
    t.task_no AS "args:task id", t.batch_no AS "args:batch", t.context_no AS "args:context", t.model_no AS "args:model",
    (SELECT r.replay_no FROM graph_replay_named r WHERE r.id = t.graph_replay_id) AS "args:replay",
    t.connection_no AS "args:connection",
    c.size_bytes AS "args:bytes",
    (SELECT value FROM string WHERE id = c.engine_id) AS "args:engine"
FROM device_task_named t
LEFT JOIN memory_copy c ON c.device_task_id = t.id
ORDER BY t.rank_id, t.start_ns, t.end_ns DESC, t.id;
