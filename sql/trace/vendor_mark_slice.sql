CREATE VIEW vendor_mark_slice AS
-- mstx marks and ranges of the host in the vendor's trace.
--
-- Marks that the device answers have a connection and show type and domain; others show category and event type (their
-- payload and message type are in no database).
--
-- grain: id
-- uses:  mark_named, vendor_rank, step
-- window: self start_ns end_ns
-- cols:
--   id                -      [key] mark.id
--   rank_id           -      [key] rank
--   step_id           -      [key] step
--   start_ns          ns     [key] start
--   end_ns            ns     [key] end
--   ph                text   X
--   name              text   the user's message
--   pid               int    packed process
--   tid               int    thread
--   ts                stamp  start
--   dur               float  us
--   "args:Category"   text   the user's category
--   "args:event_type" text   marker, push/pop, start/end, marker_ex
--   "args:domain"     text   domain
SELECT
    m.id, m.rank_id,
    (SELECT s.id FROM step s WHERE s.rank_id = m.rank_id AND s.start_ns <= m.start_ns AND m.start_ns < s.end_ns)
        AS step_id,
    m.start_ns, m.end_ns,
    'X' AS ph,
    coalesce(m.message, '') AS name,
    r.mark_pid AS pid,
    coalesce(m.tid, 0) AS tid,
    m.start_ns AS ts,
    m.duration_ns / 1000.0 AS dur,
    CASE WHEN m.connection_no IS NULL THEN coalesce(CAST(m.category_no AS TEXT), '4294967295') END AS "args:Category",
    m.event_type AS "args:event_type",
    CASE WHEN m.connection_no IS NOT NULL THEN m.domain END AS "args:domain"
FROM mark_named m
LEFT JOIN vendor_rank r ON r.rank_id = m.rank_id
ORDER BY m.rank_id, m.start_ns, m.id;
