CREATE VIEW device_task_named AS
-- Executions of device tasks, with what their kernels are.
--
-- grain: id
-- uses:  device_task, kernel, kernel_named, string, step, link_rule
-- cols:
--   id               -      device_task.id
--   rank_id          -      rank it was recorded on
--   device_id        -      device number
--   start_ns         ns     start, Unix epoch
--   end_ns           ns     end, Unix epoch
--   duration_ns      ns     end - start
--   stream_no        -      stream
--   task_no          -      task
--   context_no       -      sub-task
--   batch_no         -      batch
--   model_no         -      graph
--   connection_no    -      number of the launching call
--   type_id          -      string.id of the type
--   type             text   raw task type
--   kernel_id        -      kernel.id
--   name_id          -      string.id of the name
--   name             text   kernel, else the type
--   op_type          text   operator type
--   core             text   AI_CORE, AI_VECTOR_CORE, MIX_AIC ...
--   block_count      count  cores used
--   mix_block_count  count  cores of the other kind used
--   input_shapes     text   as recorded, with quotes
--   input_dtypes     text   input types
--   input_formats    text   input formats
--   output_shapes    text   output shapes
--   output_dtypes    text   output types
--   output_formats   text   output formats
--   attributes       text   operator attributes
--   state            text   static, dynamic
--   hf32             text   YES or NO: may compute in HF32
--   grid             text   SIMT grid
--   block            text   SIMT block
--   is_schedule      -      1 = scheduling task of a collective, not an operator
--   api_call_id      -      api_call.id of the launch
--   op_id            -      op.id that launched it
--   link_rule_id     -      link_rule.id that found the operator
--   link_rule        text   name of that rule
--   is_vendor_link   -      1 = the vendor's tools make the same link
--   launch_no        -      0 for the first task of its launch
--   step_id          -      step.id
--   step_no          -      number of that step
--   wait_ns          ns     gap to the kernel before it on the device
--   lane             -      0, or the extra lane where it nests
--   is_covered       -      1 = its sub-tasks are drawn instead
--   graph_node_id    -      graph_node.id it executes
--   graph_replay_id  -      graph_replay.id it belongs to

-- A name is looked up only where a query uses it: a column that is not used costs nothing.
SELECT
    t.id, t.rank_id, t.device_id, t.start_ns, t.end_ns, t.end_ns - t.start_ns AS duration_ns, t.stream_no,
    t.task_no, t.context_no, t.batch_no, t.model_no, t.connection_no, t.type_id,
    (SELECT value FROM string WHERE id = t.type_id) AS type, t.kernel_id,
    coalesce((SELECT name_id FROM kernel WHERE id = t.kernel_id), t.type_id) AS name_id,
    (
        SELECT value FROM string
        WHERE id = coalesce((SELECT name_id FROM kernel WHERE id = t.kernel_id), t.type_id)) AS name,
    (SELECT op_type FROM kernel_named WHERE id = t.kernel_id) AS op_type,
    (SELECT core FROM kernel_named WHERE id = t.kernel_id) AS core,
    (SELECT block_count FROM kernel_named WHERE id = t.kernel_id) AS block_count,
    (SELECT mix_block_count FROM kernel_named WHERE id = t.kernel_id) AS mix_block_count,
    (SELECT input_shapes FROM kernel_named WHERE id = t.kernel_id) AS input_shapes,
    (SELECT input_dtypes FROM kernel_named WHERE id = t.kernel_id) AS input_dtypes,
    (SELECT input_formats FROM kernel_named WHERE id = t.kernel_id) AS input_formats,
    (SELECT output_shapes FROM kernel_named WHERE id = t.kernel_id) AS output_shapes,
    (SELECT output_dtypes FROM kernel_named WHERE id = t.kernel_id) AS output_dtypes,
    (SELECT output_formats FROM kernel_named WHERE id = t.kernel_id) AS output_formats,
    (SELECT attributes FROM kernel_named WHERE id = t.kernel_id) AS attributes,
    (SELECT state FROM kernel_named WHERE id = t.kernel_id) AS state,
    (SELECT hf32 FROM kernel_named WHERE id = t.kernel_id) AS hf32,
    (SELECT grid FROM kernel_named WHERE id = t.kernel_id) AS grid,
    (SELECT block FROM kernel_named WHERE id = t.kernel_id) AS block,
    (SELECT is_schedule FROM kernel_named WHERE id = t.kernel_id) AS is_schedule, t.api_call_id, t.op_id,
    t.link_rule_id, (SELECT name FROM link_rule WHERE id = t.link_rule_id) AS link_rule,
    (SELECT is_vendor FROM link_rule WHERE id = t.link_rule_id) AS is_vendor_link, t.launch_no, t.step_id,
    (SELECT step_no FROM step WHERE id = t.step_id) AS step_no, t.wait_ns, t.lane, t.is_covered,
    t.graph_node_id, t.graph_replay_id
FROM device_task AS t;
