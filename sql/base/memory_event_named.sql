CREATE VIEW memory_event_named AS
-- Allocs and frees as recorded, with the names of component and operator.
--
-- grain: id
-- uses:  memory_event, string, thread
-- cols:
--   id                     -      memory_event.id
--   rank_id                -      rank it was recorded on
--   device_id              -      device number
--   component              text   PTA, GE, WORKSPACE ...
--   time_ns                ns     Unix epoch
--   name                   text   operator
--   address                -      start of the block
--   size_bytes             bytes  positive: alloc, negative: free
--   total_allocated_bytes  bytes  allocated after it
--   total_reserved_bytes   bytes  reserved after it
--   total_active_bytes     bytes  active after it
--   stream_ptr             -      stream of the block
--   thread_id              -      thread.id
--   pid                    -      process of the thread
--   tid                    -      operating system's number of the thread
--   action                 text   malloc, free, block free ...
SELECT
    t.id, t.rank_id, t.device_id, (SELECT value FROM string WHERE id = t.component_id) AS component,
    t.time_ns, (SELECT value FROM string WHERE id = t.name_id) AS name, t.address, t.size_bytes,
    t.total_allocated_bytes, t.total_reserved_bytes, t.total_active_bytes, t.stream_ptr, t.thread_id,
    (SELECT pid FROM thread WHERE id = t.thread_id) AS pid,
    (SELECT tid FROM thread WHERE id = t.thread_id) AS tid,
    (SELECT value FROM string WHERE id = t.action_id) AS action
FROM memory_event AS t;
