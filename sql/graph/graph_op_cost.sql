CREATE VIEW graph_op_cost AS
-- What each captured operator of a graph cost over all replays, the dear ones by total_ns.
--
-- grain: graph_node_id
-- uses:  graph_node, graph_node_origin
-- cols:
--   graph_node_id  -      graph_node.id: one captured task
--   graph_id       -      graph.id
--   rank_id        -      rank
--   rank_no        -      its number in the job; none if unknown
--   model_no       -      number of the graph
--   generation     -      how often its first model stream was captured before
--   stream_no      -      model stream
--   task_no        -      task on it
--   kernel_name    text   kernel; none if no description was recorded
--   op_type        text   operator type
--   input_shapes   text   shapes, tensors separated by ;
--   op_id          -      operator that was captured; none if the capture was not profiled
--   op_name        text   its name
--   framework_op   text   framework operator behind it, see op_framework
--   code_line      text   line of Python that called it; none if the capture, or stacks, were not recorded
--   replays        count  executions
--   total_ns       ns     sum of durations
--   average_ns     ns     total / replays
--   shortest_ns    ns     shortest execution
--   longest_ns     ns     longest execution
--   share_ratio    ratio  total / total of all tasks of the graph
WITH whole AS (SELECT graph_id, sum(total_ns) AS total_ns FROM graph_node GROUP BY graph_id)
SELECT
    o.graph_node_id, o.graph_id, o.rank_id, o.rank_no, o.model_no, o.generation, o.stream_no, o.task_no, o.kernel_name,
    o.op_type, o.input_shapes, o.op_id, o.op_name, o.framework_op, o.code_line, n.replay_count AS replays, n.total_ns,
    n.total_ns / nullif(n.replay_count, 0) AS average_ns, nullif(n.shortest_ns, 0) AS shortest_ns,
    nullif(n.longest_ns, 0) AS longest_ns,
    n.total_ns * 1.0 / nullif(w.total_ns, 0) AS share_ratio
FROM graph_node AS n
JOIN graph_node_origin AS o ON o.graph_node_id = n.id
JOIN whole AS w ON w.graph_id = n.graph_id;
