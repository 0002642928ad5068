CREATE VIEW trace_gc AS
-- Garbage collections as slices of our own trace.
--
-- grain: id
-- uses:  gc_event_named, trace_base
-- window: self start_ns end_ns
-- cols:
--   id        -      [key] gc_event.id
--   rank_id   -      [key] rank
--   start_ns  ns     [key] start
--   end_ns    ns     [key] end
--   ph        text   X
--   name      text   GC
--   cat       text   gc
--   pid       int    process
--   tid       int    thread
--   ts        ns_us  start since the base
--   dur       ns_us  duration

-- No lane is stored: the writer finds it.
SELECT
    g.id, g.rank_id, g.start_ns, g.end_ns,
    'X' AS ph, 'GC' AS name, 'gc' AS cat,
    g.rank_id * 1000 + 1 AS pid,
    g.thread_id % 400000 * 10000 + 4000 AS tid,
    g.start_ns - (SELECT base_ns FROM trace_base) AS ts,
    g.duration_ns AS dur
FROM gc_event_named g
ORDER BY rank_id, start_ns, end_ns DESC, id;
