CREATE VIEW graph_node_named AS
-- Tasks of captured graphs, with what their kernels are.
--
-- grain: id
-- uses:  graph_node, graph, kernel, kernel_named, string
-- cols:
--   id              -      graph_node.id
--   graph_id        -      graph.id
--   rank_id         -      rank it was recorded on
--   model_no        -      number of the graph
--   stream_no       -      stream
--   task_no         -      task
--   context_no      -      sub-task
--   batch_no        -      batch
--   kernel_id       -      kernel.id
--   name            text   kernel
--   op_type         text   operator type
--   core            text   AI_CORE, AI_VECTOR_CORE, MIX_AIC ...
--   block_count     count  cores used
--   input_shapes    text   as recorded, with quotes
--   input_dtypes    text   input types
--   output_shapes   text   output shapes
--   output_dtypes   text   output types
--   op_id           -      op.id that was captured
--   api_call_id     -      api_call.id of the captured launch
--   python_call_id  -      python_call.id of the innermost frame around it
--   replay_count    count  executions
--   total_ns        ns     sum of their durations
--   shortest_ns     ns     shortest execution
--   longest_ns      ns     longest execution
SELECT
    t.id, t.graph_id, t.rank_id, (SELECT model_no FROM graph WHERE id = t.graph_id) AS model_no, t.stream_no,
    t.task_no, t.context_no, t.batch_no, t.kernel_id,
    (SELECT name FROM kernel_named WHERE id = t.kernel_id) AS name,
    (SELECT op_type FROM kernel_named WHERE id = t.kernel_id) AS op_type,
    (SELECT core FROM kernel_named WHERE id = t.kernel_id) AS core,
    (SELECT block_count FROM kernel_named WHERE id = t.kernel_id) AS block_count,
    (SELECT input_shapes FROM kernel_named WHERE id = t.kernel_id) AS input_shapes,
    (SELECT input_dtypes FROM kernel_named WHERE id = t.kernel_id) AS input_dtypes,
    (SELECT output_shapes FROM kernel_named WHERE id = t.kernel_id) AS output_shapes,
    (SELECT output_dtypes FROM kernel_named WHERE id = t.kernel_id) AS output_dtypes, t.op_id, t.api_call_id,
    t.python_call_id, t.replay_count, t.total_ns, t.shortest_ns, t.longest_ns
FROM graph_node AS t;
