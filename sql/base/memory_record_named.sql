CREATE VIEW memory_record_named AS
-- Totals of a memory component over time.
--
-- grain: id
-- uses:  memory_record, string
-- cols:
--   id               -      memory_record.id; in the order of the vendor's table
--   rank_id          -      rank it was recorded on
--   device_id        -      device number; none for memory of the host
--   component        text   PTA, GE, PTA+GE, WORKSPACE ...; CPU: memory of the host
--   time_ns          ns     Unix epoch
--   allocated_bytes  bytes  allocated
--   reserved_bytes   bytes  reserved
--   active_bytes     bytes  active
--   stream_ptr       -      stream
SELECT
    t.id, t.rank_id, t.device_id, (SELECT value FROM string WHERE id = t.component_id) AS component,
    t.time_ns, t.allocated_bytes, t.reserved_bytes, t.active_bytes, t.stream_ptr
FROM memory_record AS t;
