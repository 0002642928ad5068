CREATE VIEW graph_node_origin AS
-- Where each captured task of a graph comes from: its kernel, operator and line of Python.
--
-- The operator is known if the capture itself was recorded. The line is the innermost frame of its call stack, or else
-- the innermost frame of the Python tracer that has a line, if either was recorded.
--
-- grain: graph_node_id
-- uses:  graph_node, graph, graph_stream, kernel_named, op, op_framework, op_code_line, python_call, api_call, string, rank
-- cols:
--   graph_node_id       -     graph_node.id: one captured task
--   graph_id            -     graph.id
--   rank_id             -     rank
--   rank_no             -     its number in the job; none if unknown
--   model_no            -     number of the graph
--   generation          -     how often its first model stream was captured before
--   stream_no           -     model stream
--   original_stream_no  -     stream that was captured
--   task_no             -     task on the model stream
--   origin              text  capture: its capture was recorded; description: the runtime had cached one of it; name: only
--                             what its binary is called; nothing: not even that
--   kernel_name         text  kernel
--   op_type             text  operator type
--   core                text  AI_CORE, AI_VECTOR_CORE, MIX_AIC ...
--   input_shapes        text  shapes, tensors separated by ;
--   input_dtypes        text  types
--   input_formats       text  formats
--   output_shapes       text  shapes of what it makes
--   op_id               -     op.id that was captured
--   op_name             text  its name
--   framework_op        text  framework operator behind it, see op_framework
--   code_line           text  file(line): function; none if the capture, or stacks, were not recorded
--   api_call_id         -     api_call.id that was captured
--   api_name            text  its name, or that of the call of the operator library around it
--   python_call_id      -     python_call.id of the innermost frame around it
SELECT
    n.id AS graph_node_id, n.graph_id, n.rank_id, (SELECT rank_no FROM rank WHERE id = n.rank_id) AS rank_no,
    g.model_no, g.generation, n.stream_no,
    (
        SELECT s.original_stream_no FROM graph_stream AS s
        WHERE s.graph_id = n.graph_id AND s.model_stream_no = n.stream_no) AS original_stream_no,
    n.task_no,
    CASE
        WHEN n.api_call_id IS NOT NULL OR n.op_id IS NOT NULL THEN 'capture'
        WHEN k.state IS NOT NULL OR k.input_shapes IS NOT NULL THEN 'description'
        WHEN k.id IS NOT NULL THEN 'name'
        ELSE 'nothing' END AS origin,
    k.name AS kernel_name, k.op_type, k.core, k.input_shapes, k.input_dtypes, k.input_formats, k.output_shapes, n.op_id,
    (SELECT s.value FROM op AS o JOIN string AS s ON s.id = o.name_id WHERE o.id = n.op_id) AS op_name,
    (SELECT framework_op FROM op_framework WHERE op_id = n.op_id) AS framework_op,
    coalesce((SELECT code_line FROM op_code_line WHERE op_id = n.op_id), (
        WITH RECURSIVE around (id, parent_id, name) AS (
            SELECT p.id, p.parent_id, s.value FROM python_call AS p JOIN string AS s ON s.id = p.name_id
            WHERE p.id = n.python_call_id
            UNION ALL
            SELECT p.id, p.parent_id, s.value
            FROM around AS a JOIN python_call AS p ON p.id = a.parent_id JOIN string AS s ON s.id = p.name_id
            WHERE a.name NOT GLOB '*([0-9]*): *' AND p.id < a.id)
        SELECT name FROM around WHERE name GLOB '*([0-9]*): *')) AS code_line,
    n.api_call_id,
    (
        SELECT s.value FROM api_call AS a
        JOIN api_call AS w ON w.id = coalesce(a.parent_id, a.id)
        JOIN string AS s ON s.id = w.name_id
        WHERE a.id = n.api_call_id) AS api_name,
    n.python_call_id
FROM graph_node AS n
JOIN graph AS g ON g.id = n.graph_id
LEFT JOIN kernel_named AS k ON k.id = n.kernel_id;
