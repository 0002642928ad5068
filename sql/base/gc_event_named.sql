CREATE VIEW gc_event_named AS
-- Runs of Python's garbage collector.
--
-- grain: id
-- uses:  gc_event, thread
-- cols:
--   id           -   gc_event.id
--   rank_id      -   rank it was recorded on
--   start_ns     ns  start, Unix epoch
--   end_ns       ns  end, Unix epoch
--   duration_ns  ns  end - start
--   thread_id    -   thread.id
--   pid          -   process of the thread
--   tid          -   operating system's number of the thread
SELECT
    t.id, t.rank_id, t.start_ns, t.end_ns, t.end_ns - t.start_ns AS duration_ns, t.thread_id,
    (SELECT pid FROM thread WHERE id = t.thread_id) AS pid,
    (SELECT tid FROM thread WHERE id = t.thread_id) AS tid
FROM gc_event AS t;
