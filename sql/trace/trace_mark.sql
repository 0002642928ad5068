CREATE VIEW trace_mark AS
-- mstx marks and ranges as slices of our own trace.
--
-- grain: id
-- uses:  mark_named, trace_base
-- window: self start_ns end_ns
-- cols:
--   id                -      [key] mark.id
--   rank_id           -      [key] rank
--   start_ns          ns     [key] start
--   end_ns            ns     [key] end
--   ph                text   X
--   name              text   the user's message
--   cat               text   mark
--   pid               int    process
--   tid               int    thread and lane
--   ts                ns_us  start since the base
--   dur               ns_us  duration
--   "args:event type" text   marker, push/pop, start/end, marker_ex
--   "args:domain"     text   domain
--   "args:category"   int    the user's category
SELECT
    m.id, m.rank_id, m.start_ns, m.end_ns,
    'X' AS ph, coalesce(m.message, '') AS name, 'mark' AS cat,
    m.rank_id * 1000 + 1 AS pid,
    m.thread_id % 400000 * 10000 + 5000 + m.lane AS tid,
    m.start_ns - (SELECT base_ns FROM trace_base) AS ts,
    m.duration_ns AS dur,
    m.event_type AS "args:event type",
    m.domain AS "args:domain",
    m.category_no AS "args:category"
FROM mark_named m
ORDER BY rank_id, start_ns, end_ns DESC, id;
