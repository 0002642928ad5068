CREATE VIEW kernel_shape_time AS
-- Device time of each kernel with each set of input shapes: which shape is the dear one.
--
-- grain: rank_id, kernel_id
-- uses:  kernel_total, kernel_named, rank
-- cols:
--   rank_id        -      rank the kernels ran on
--   rank_no        -      its number in the job; none if unknown
--   kernel_id      -      kernel.id: one name, core, block count and set of tensors
--   kernel_name    text   name as the device reported it
--   op_type        text   operator type
--   core           text   AI_CORE, AI_VECTOR_CORE, MIX_AIC ...
--   block_count    count  cores used
--   input_shapes   text   shapes, tensors separated by ;
--   input_dtypes   text   types, tensors separated by ;
--   output_shapes  text   shapes of the results
--   calls          count  executions
--   total_ns       ns     sum of durations
--   average_ns     ns     total / calls
--   longest_ns     ns     longest execution
SELECT
    t.rank_id, (SELECT rank_no FROM rank WHERE id = t.rank_id) AS rank_no,
    t.kernel_id, k.name AS kernel_name, k.op_type, k.core, k.block_count, k.input_shapes, k.input_dtypes,
    k.output_shapes, sum(t.call_count) AS calls, sum(t.total_ns) AS total_ns,
    sum(t.total_ns) / sum(t.call_count) AS average_ns, max(t.longest_ns) AS longest_ns
FROM kernel_total AS t JOIN kernel_named AS k ON k.id = t.kernel_id
WHERE k.is_schedule = 0
GROUP BY t.rank_id, t.kernel_id;
