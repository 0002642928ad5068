CREATE VIEW graph_replay_named AS
-- Executions of captured graphs.
--
-- grain: id
-- uses:  graph_replay, graph, step
-- cols:
--   id           -      graph_replay.id
--   graph_id     -      graph.id
--   rank_id      -      rank it was recorded on
--   model_no     -      number of the graph
--   generation   -      how often its model stream was captured before
--   replay_no    -      n-th execution
--   api_call_id  -      api_call.id that launched it
--   op_id        -      op.id around that call
--   step_id      -      step.id
--   step_no      -      number of that step
--   start_ns     ns     start, Unix epoch
--   end_ns       ns     end, Unix epoch
--   duration_ns  ns     end - start
--   task_count   count  tasks executed
--   node_count   count  captured tasks executed; parents of drawn sub-tasks do not count
--   work_ns      ns     sum of their durations
--   busy_ns      ns     time in which any of them ran
--   pause_ns     ns     longest time between its start and end in which none of them ran
SELECT
    t.id, t.graph_id, t.rank_id, (SELECT model_no FROM graph WHERE id = t.graph_id) AS model_no,
    (SELECT generation FROM graph WHERE id = t.graph_id) AS generation, t.replay_no, t.api_call_id, t.op_id,
    t.step_id, (SELECT step_no FROM step WHERE id = t.step_id) AS step_no, t.start_ns, t.end_ns,
    t.end_ns - t.start_ns AS duration_ns, t.task_count, t.node_count, t.work_ns, t.busy_ns, t.pause_ns
FROM graph_replay AS t;
