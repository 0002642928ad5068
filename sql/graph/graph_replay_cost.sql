CREATE VIEW graph_replay_cost AS
-- What each replay of a graph cost: its window, the work in it, and the delay after its call.
--
-- grain: graph_replay_id
-- uses:  graph_replay, graph, graph_replay_total, api_call, op, step, string, rank
-- cols:
--   graph_replay_id  -      graph_replay.id
--   graph_id         -      graph.id
--   rank_id          -      rank
--   rank_no          -      its number in the job; none if unknown
--   model_no         -      number of the graph
--   generation       -      how often its model stream was captured before
--   replay_no        -      n-th execution
--   step_no          -      step; none outside of steps
--   start_ns         ns     start of its first task
--   end_ns           ns     end of its last task
--   window_ns        ns     end - start
--   task_count       count  tasks executed
--   busy_ns          ns     sum of their durations; overlapping tasks count twice
--   idle_ns          ns     window - busy, at least 0
--   call_start_ns    ns     start of the call that launched it; none if not recorded
--   call_ns          ns     length of that call: what the host paid
--   launch_delay_ns  ns     from the start of the call to the first task
--   op_name          text   operator around the call
WITH work AS (
    SELECT graph_replay_id, sum(task_count) AS task_count, sum(total_ns) AS busy_ns
    FROM graph_replay_total
    GROUP BY graph_replay_id
)
SELECT
    r.id AS graph_replay_id, r.graph_id, r.rank_id,
    (SELECT rank_no FROM rank WHERE id = r.rank_id) AS rank_no, g.model_no, g.generation, r.replay_no,
    (SELECT step_no FROM step WHERE id = r.step_id) AS step_no, r.start_ns, r.end_ns, r.end_ns - r.start_ns AS window_ns,
    coalesce(w.task_count, 0) AS task_count, coalesce(w.busy_ns, 0) AS busy_ns,
    max(r.end_ns - r.start_ns - coalesce(w.busy_ns, 0), 0) AS idle_ns, a.start_ns AS call_start_ns,
    a.end_ns - a.start_ns AS call_ns, r.start_ns - a.start_ns AS launch_delay_ns,
    (SELECT s.value FROM op AS o JOIN string AS s ON s.id = o.name_id WHERE o.id = r.op_id) AS op_name
FROM graph_replay AS r
JOIN graph AS g ON g.id = r.graph_id
LEFT JOIN work AS w ON w.graph_replay_id = r.id
LEFT JOIN api_call AS a ON a.id = r.api_call_id;
