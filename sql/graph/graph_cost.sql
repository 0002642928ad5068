CREATE VIEW graph_cost AS
-- What each captured graph is, how much of it was recorded, and what its replays cost.
--
-- grain: graph_id
-- uses:  graph, graph_stream, graph_node_origin, graph_replay_cost
-- cols:
--   graph_id          -      graph.id
--   rank_id           -      rank
--   rank_no           -      its number in the job; none if unknown
--   device_id         -      device
--   model_no          -      number of the graph
--   generation        -      how often its first model stream was captured before
--   captured_ns       ns     when it was captured, which may be before the recording; none if that is not told
--   destroyed_ns      ns     when it ceased to exist
--   model_streams     text   streams it runs on, separated by commas
--   original_streams  text   streams that were captured
--   node_count        count  captured tasks
--   origin            text   least that is known of one of them: capture, description, name, nothing; see graph_node_origin
--   replays           count  executions
--   launched_replays  count  executions of which the launching call is known
--   call_ns           ns     sum of those calls: what the host paid
--   average_call_ns   ns     call / launched replays
--   launch_delay_ns   ns     average from a call to its first task
--   window_ns         ns     sum of the replays' windows
--   average_ns        ns     window / replays
--   shortest_ns       ns     shortest window
--   longest_ns        ns     longest window
--   busy_ns           ns     time in which any captured task ran
--   idle_ns           ns     window - busy
WITH replay AS (
    SELECT
        graph_id, count(*) AS replays, count(call_ns) AS launched_replays, sum(call_ns) AS call_ns,
        CAST(avg(launch_delay_ns) AS INTEGER) AS launch_delay_ns, sum(window_ns) AS window_ns, min(window_ns) AS shortest_ns,
        max(window_ns) AS longest_ns, sum(busy_ns) AS busy_ns
    FROM graph_replay_cost
    GROUP BY graph_id
),
node AS (
    SELECT
        graph_id, count(*) AS node_count,
        max(CASE origin WHEN 'capture' THEN 0 WHEN 'description' THEN 1 WHEN 'name' THEN 2 ELSE 3 END) AS least
    FROM graph_node_origin
    GROUP BY graph_id
)
SELECT
    g.id AS graph_id, g.rank_id, (SELECT rank_no FROM rank WHERE id = g.rank_id) AS rank_no, g.device_id, g.model_no,
    g.generation, g.captured_ns, g.destroyed_ns,
    (SELECT group_concat(s.model_stream_no) FROM graph_stream AS s WHERE s.graph_id = g.id) AS model_streams,
    (SELECT group_concat(s.original_stream_no) FROM graph_stream AS s WHERE s.graph_id = g.id) AS original_streams,
    coalesce(n.node_count, 0) AS node_count,
    CASE n.least WHEN 0 THEN 'capture' WHEN 1 THEN 'description' WHEN 2 THEN 'name' WHEN 3 THEN 'nothing' END AS origin,
    coalesce(r.replays, 0) AS replays, coalesce(r.launched_replays, 0) AS launched_replays, r.call_ns,
    r.call_ns / nullif(r.launched_replays, 0) AS average_call_ns, r.launch_delay_ns, r.window_ns,
    r.window_ns / nullif(r.replays, 0) AS average_ns, r.shortest_ns, r.longest_ns, r.busy_ns,
    r.window_ns - r.busy_ns AS idle_ns
FROM graph AS g
LEFT JOIN node AS n ON n.graph_id = g.id
LEFT JOIN replay AS r ON r.graph_id = g.id;
