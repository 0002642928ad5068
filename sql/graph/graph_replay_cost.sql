CREATE VIEW graph_replay_cost AS
-- What each replay of a graph cost on host and device, from its call to the end of its last task.
--
-- grain: graph_replay_id
-- uses:  graph_replay, graph, graph_node, api_call, op, step, string, rank
-- cols:
--   graph_replay_id  -      graph_replay.id
--   graph_id         -      graph.id
--   rank_id          -      rank
--   rank_no          -      its number in the job; none if unknown
--   model_no         -      number of the graph
--   generation       -      how often its first model stream was captured before
--   replay_no        -      n-th execution of that graph (graph_id) that was recorded
--   step_no          -      step of the call; none outside of steps
--   op_name          text   operator around the call
--   call_start_ns    ns     start of the call that launched it; none if not recorded
--   call_ns          ns     length of that call: what the host paid
--   launch_delay_ns  ns     from the start of the call to the first task
--   start_ns         ns     start of its first task
--   end_ns           ns     end of its last task
--   window_ns        ns     end - start: how long it took on the device
--   whole_ns         ns     from the start of the call to the end of its last task
--   task_count       count  captured tasks executed
--   missing_count    count  captured tasks of the graph of which it has no record
--   work_ns          ns     sum of the tasks' durations; overlapping tasks count twice
--   busy_ns          ns     time in which any of them ran
--   idle_ns          ns     window - busy
--   longest_idle_ns  ns     longest piece of that
WITH whole AS (SELECT graph_id, count(*) AS node_count FROM graph_node GROUP BY graph_id)
SELECT
    r.id AS graph_replay_id, r.graph_id, r.rank_id, (SELECT rank_no FROM rank WHERE id = r.rank_id) AS rank_no,
    g.model_no, g.generation, r.replay_no, (SELECT step_no FROM step WHERE id = r.step_id) AS step_no,
    (SELECT s.value FROM op AS o JOIN string AS s ON s.id = o.name_id WHERE o.id = r.op_id) AS op_name,
    a.start_ns AS call_start_ns, a.end_ns - a.start_ns AS call_ns, r.start_ns - a.start_ns AS launch_delay_ns,
    r.start_ns, r.end_ns, r.end_ns - r.start_ns AS window_ns, r.end_ns - a.start_ns AS whole_ns,
    r.node_count AS task_count,
    coalesce(w.node_count, 0) - r.node_count AS missing_count,
    r.work_ns, r.busy_ns, r.end_ns - r.start_ns - r.busy_ns AS idle_ns, r.pause_ns AS longest_idle_ns
FROM graph_replay AS r
JOIN graph AS g ON g.id = r.graph_id
LEFT JOIN whole AS w ON w.graph_id = r.graph_id
LEFT JOIN api_call AS a ON a.id = r.api_call_id;
