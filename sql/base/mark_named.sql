CREATE VIEW mark_named AS
-- Marks and ranges that the user set (mstx).
--
-- grain: id
-- uses:  mark, string, thread
-- cols:
--   id             -     mark.id
--   rank_id        -     rank it was recorded on
--   start_ns       ns    start, Unix epoch
--   end_ns         ns    end, Unix epoch
--   duration_ns    ns    end - start
--   thread_id      -     thread.id
--   pid            -     process of the thread
--   tid            -     operating system's number of the thread
--   end_thread_id  -     thread.id where the range ended
--   event_type     text  marker, push/pop, start/end, marker_ex
--   message        text  the user's text
--   domain         text  domain of the mark
--   category_no    -     the user's category
--   range_no       -     number of the range
--   connection_no  -     number that its device record carries
--   lane           -     0, or the extra lane where it nests
SELECT
    t.id, t.rank_id, t.start_ns, t.end_ns, t.end_ns - t.start_ns AS duration_ns, t.thread_id,
    (SELECT pid FROM thread WHERE id = t.thread_id) AS pid,
    (SELECT tid FROM thread WHERE id = t.thread_id) AS tid, t.end_thread_id,
    (SELECT value FROM string WHERE id = t.event_type_id) AS event_type,
    (SELECT value FROM string WHERE id = t.message_id) AS message,
    (SELECT value FROM string WHERE id = t.domain_id) AS domain, t.category_no, t.range_no, t.connection_no,
    t.lane
FROM mark AS t;
