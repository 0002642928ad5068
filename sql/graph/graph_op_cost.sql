CREATE VIEW graph_op_cost AS
-- What each captured operator of a graph cost over all replays.
--
-- grain: graph_node_id
-- uses:  graph_node, graph, graph_node_total, kernel_named, op, op_framework, string, rank
-- cols:
--   graph_node_id  -      graph_node.id: one captured task
--   graph_id       -      graph.id
--   rank_id        -      rank
--   rank_no        -      its number in the job; none if unknown
--   model_no       -      number of the graph
--   generation     -      how often its model stream was captured before
--   stream_no      -      model stream
--   task_no        -      task on it
--   kernel_name    text   kernel; none if no description was recorded
--   op_type        text   operator type
--   input_shapes   text   shapes, tensors separated by ;
--   op_id          -      operator that was captured; none if the capture was not profiled
--   op_name        text   its name
--   framework_op   text   framework operator behind it, see op_framework
--   replays        count  executions
--   total_ns       ns     sum of durations
--   average_ns     ns     total / replays
--   shortest_ns    ns     shortest execution
--   longest_ns     ns     longest execution
--   share_ratio    ratio  total / total of all tasks of the graph
WITH cost AS (
    SELECT graph_node_id, sum(task_count) AS replays, sum(total_ns) AS total_ns, min(shortest_ns) AS shortest_ns,
        max(longest_ns) AS longest_ns
    FROM graph_node_total
    GROUP BY graph_node_id
)
SELECT
    n.id AS graph_node_id, n.graph_id, n.rank_id,
    (SELECT rank_no FROM rank WHERE id = n.rank_id) AS rank_no, g.model_no, g.generation, n.stream_no, n.task_no,
    k.name AS kernel_name, k.op_type, k.input_shapes, n.op_id,
    (SELECT s.value FROM op AS o JOIN string AS s ON s.id = o.name_id WHERE o.id = n.op_id) AS op_name,
    (SELECT framework_op FROM op_framework WHERE op_id = n.op_id) AS framework_op,
    coalesce(c.replays, 0) AS replays, coalesce(c.total_ns, 0) AS total_ns, c.total_ns / c.replays AS average_ns,
    c.shortest_ns, c.longest_ns,
    c.total_ns * 1.0 / nullif(sum(c.total_ns) OVER (PARTITION BY n.graph_id), 0) AS share_ratio
FROM graph_node AS n
JOIN graph AS g ON g.id = n.graph_id
LEFT JOIN kernel_named AS k ON k.id = n.kernel_id
LEFT JOIN cost AS c ON c.graph_node_id = n.id;
