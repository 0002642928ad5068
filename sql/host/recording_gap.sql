CREATE VIEW recording_gap AS
-- Where a recording lacks events of a thread, because they came faster than they were written.
--
-- What the thread did meanwhile is partly missing: operators and calls of Python in these intervals are incomplete.
--
-- grain: mark_id
-- uses:  mark, rank, string, thread
-- cols:
--   mark_id      -      mark.id
--   rank_id      -      rank.id
--   rank_no      -      rank in the job
--   thread_id    -      thread.id
--   tid          -      operating system's number of the thread
--   start_ns     ns     first event that is missing, Unix epoch
--   end_ns       ns     last event that is missing, Unix epoch
--   kind         text   events, or Python calls and returns
--   lost_count   count  how many are missing
SELECT
    m.id AS mark_id, m.rank_id, (SELECT rank_no FROM rank WHERE id = m.rank_id) AS rank_no, m.thread_id,
    (SELECT tid FROM thread WHERE id = m.thread_id) AS tid, m.start_ns, m.end_ns,
    CASE WHEN t.value LIKE '% Python calls and returns lost' THEN 'Python calls and returns' ELSE 'events' END AS kind,
    CAST(t.value AS INTEGER) AS lost_count
FROM mark AS m
JOIN string AS d ON d.id = m.domain_id AND d.value = 'npuwh'
JOIN string AS t ON t.id = m.message_id;
