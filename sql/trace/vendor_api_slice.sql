CREATE VIEW vendor_api_slice AS
-- CANN calls in the vendor's traces.
--
-- At Level0 the framework's prune list names every layer of them; msprof shows them.
--
-- grain: id
-- uses:  api_call_named, vendor_rank
-- window: self start_ns end_ns
-- cols:
--   id                    -      [key] api_call.id
--   rank_id               -      [key] rank
--   step_id               -      [key] step
--   start_ns              ns     [key] start
--   end_ns                ns     [key] end
--   is_pruned             -      [key] 1 = left out of trace_view.json
--   ph                    text   X
--   name                  text   Layer@api
--   pid                   int    packed process
--   tid                   int    thread
--   ts                    stamp  start
--   dur                   float  us
--   "args:Thread Id"      int    thread
--   "args:Mode"           text   kind of call, where the source tells it
--   "args:level"          text   acl, model, node, communication, runtime
--   "args:id"             text   name of an acl call, else 0
--   "args:item_id"        text   what it handles, where the source tells it; 0 = nothing
--   "args:connection_id"  int    number its device records carry
SELECT
    a.id, a.rank_id, a.step_id, a.start_ns, a.end_ns,
    iif(coalesce(r.is_pruned, 0), a.level IN ('acl', 'model', 'node', 'communication', 'runtime'), 0) AS is_pruned,
    'X' AS ph,
    CASE a.level WHEN 'acl' THEN 'AscendCL' WHEN 'model' THEN 'Model' WHEN 'node' THEN 'Node'
        WHEN 'communication' THEN 'Communication' WHEN 'runtime' THEN 'Runtime' ELSE 'Api' END || '@' || a.name AS name,
    r.cann_pid AS pid,
    coalesce(a.tid, 0) AS tid,
    a.start_ns AS ts,
    a.duration_ns / 1000.0 AS dur,
    a.tid AS "args:Thread Id",
    coalesce(a.mode, iif(r.is_raw AND a.level = 'communication', a.name, NULL)) AS "args:Mode",
    a.level AS "args:level",
    iif(a.level = 'acl', a.name, '0') AS "args:id",
    coalesce(a.item, iif(r.is_raw, '0', iif(a.level = 'communication', a.name, NULL))) AS "args:item_id",
    a.connection_no AS "args:connection_id"
FROM api_call_named a
LEFT JOIN vendor_rank r ON r.rank_id = a.rank_id
ORDER BY a.rank_id, a.start_ns, a.id;
