CREATE VIEW vendor_api_slice AS
-- CANN calls in the vendor's trace; none at Level0, where its prune list names every layer.
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
--   ph                    text   X
--   name                  text   Layer@api
--   pid                   int    packed process
--   tid                   int    thread
--   ts                    stamp  start
--   dur                   float  us
--   "args:Thread Id"      int    thread
--   "args:Mode"           text   struct type, where the source holds it
--   "args:level"          text   acl, model, node, communication, runtime
--   "args:item_id"        text   item, where the source holds it
--   "args:connection_id"  int    number its device records carry
SELECT
    a.id, a.rank_id, a.step_id, a.start_ns, a.end_ns,
    'X' AS ph,
    CASE a.level WHEN 'acl' THEN 'AscendCL' WHEN 'model' THEN 'Model' WHEN 'node' THEN 'Node'
        WHEN 'communication' THEN 'Communication' WHEN 'runtime' THEN 'Runtime' ELSE 'Api' END || '@' || a.name AS name,
    r.cann_pid AS pid,
    coalesce(a.tid, 0) AS tid,
    a.start_ns AS ts,
    a.duration_ns / 1000.0 AS dur,
    a.tid AS "args:Thread Id",
    a.mode AS "args:Mode",
    a.level AS "args:level",
    a.item AS "args:item_id",
    a.connection_no AS "args:connection_id"
FROM api_call_named a
LEFT JOIN vendor_rank r ON r.rank_id = a.rank_id
WHERE NOT (r.is_pruned AND a.level IN ('acl', 'model', 'node', 'communication', 'runtime'))
ORDER BY a.rank_id, a.start_ns, a.id;
