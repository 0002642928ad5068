CREATE VIEW vendor_gc_slice AS
-- Garbage collections in the vendor's trace, in a process of their own.
--
-- grain: id
-- uses:  gc_event_named, vendor_rank, step
-- window: self start_ns end_ns
-- cols:
--   id        -      [key] gc_event.id
--   rank_id   -      [key] rank
--   step_id   -      [key] step
--   start_ns  ns     [key] start
--   end_ns    ns     [key] end
--   ph        text   X
--   name      text   GC
--   pid       int    packed process
--   tid       int    thread
--   ts        stamp  start
--   dur       float  us
--   cat       text   GC
SELECT
    g.id, g.rank_id,
    (SELECT s.id FROM step s WHERE s.rank_id = g.rank_id AND s.start_ns <= g.start_ns AND g.start_ns < s.end_ns)
        AS step_id,
    g.start_ns, g.end_ns,
    'X' AS ph,
    'GC' AS name,
    r.gc_pid AS pid,
    coalesce(g.tid, 0) AS tid,
    g.start_ns AS ts,
    g.duration_ns / 1000.0 AS dur,
    'GC' AS cat
FROM gc_event_named g
LEFT JOIN vendor_rank r ON r.rank_id = g.rank_id
ORDER BY g.rank_id, g.start_ns, g.id;
