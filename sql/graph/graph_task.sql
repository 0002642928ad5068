CREATE VIEW graph_task AS
-- Which captured operator each task of a replay ran, and which line of Python called it.
--
-- grain: device_task_id
-- uses:  device_task, graph_replay, graph_node_origin, step
-- window: self start_ns end_ns
-- cols:
--   device_task_id      -     device_task.id
--   rank_id             -     rank
--   rank_no             -     its number in the job; none if unknown
--   start_ns            ns    start
--   end_ns              ns    end
--   duration_ns         ns    end - start
--   step_no             -     step it starts in
--   model_no            -     number of the graph
--   generation          -     how often its first model stream was captured before
--   replay_no           -     n-th execution of the graph
--   graph_replay_id     -     graph_replay.id
--   graph_node_id       -     graph_node.id: the captured task
--   stream_no           -     model stream
--   original_stream_no  -     stream that was captured
--   task_no             -     task on the model stream
--   origin              text  how much of the captured task is known, see graph_node_origin
--   kernel_name         text  kernel
--   op_type             text  operator type
--   input_shapes        text  shapes, tensors separated by ;
--   op_id               -     op.id that was captured
--   op_name             text  its name
--   framework_op        text  framework operator behind it, see op_framework
--   code_line           text  line of Python that called it; none if the capture, or stacks, were not recorded

-- CROSS JOIN: from the device tasks on, so that a time window uses their index.
SELECT
    t.id AS device_task_id, t.rank_id, o.rank_no, t.start_ns, t.end_ns, t.end_ns - t.start_ns AS duration_ns,
    (SELECT step_no FROM step WHERE id = t.step_id) AS step_no, o.model_no, o.generation,
    (SELECT replay_no FROM graph_replay WHERE id = t.graph_replay_id) AS replay_no, t.graph_replay_id, t.graph_node_id,
    o.stream_no, o.original_stream_no, o.task_no, o.origin, o.kernel_name, o.op_type, o.input_shapes, o.op_id, o.op_name,
    o.framework_op, o.code_line
FROM device_task AS t
CROSS JOIN graph_node_origin AS o ON o.graph_node_id = t.graph_node_id;
