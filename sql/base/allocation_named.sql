CREATE VIEW allocation_named AS
-- Allocations from start to release, with the names of component and operator.
-- What was never released is held until its rank's session ends, or its records where the end of the session is unknown.
--
-- grain: id
-- uses:  allocation, string, step, rank, event_extent
-- cols:
--   id                       -      allocation.id; in the order of the vendor's table
--   rank_id                  -      rank it was recorded on
--   device_id                -      device number; none for memory of the host
--   component                text   PTA, GE, WORKSPACE ...; CPU: memory of the host
--   name_id                  -      string.id of the name
--   name                     text   operator as the vendor names it
--   size_bytes               bytes  size of the block
--   start_ns                 ns     allocation, Unix epoch
--   release_ns               ns     release, Unix epoch
--   active_release_ns        ns     end of use, Unix epoch
--   end_ns                   ns     until when it is held: release or end of use, the later, Unix epoch
--   duration_ns              ns     release - start
--   active_duration_ns       ns     end of use - start
--   start_allocated_bytes    bytes  allocated in total at the start
--   start_reserved_bytes     bytes  reserved in total at the start
--   start_active_bytes       bytes  active in total at the start
--   release_allocated_bytes  bytes  allocated in total at the release
--   release_reserved_bytes   bytes  reserved in total at the release
--   release_active_bytes     bytes  active in total at the release
--   stream_ptr               -      stream of the block
--   address                  -      start of the block
--   op_id                    -      op.id that allocated it
--   step_id                  -      step.id
--   step_no                  -      number of that step
SELECT
    t.id, t.rank_id, t.device_id, (SELECT value FROM string WHERE id = t.component_id) AS component,
    t.name_id, (SELECT value FROM string WHERE id = t.name_id) AS name, t.size_bytes, t.start_ns,
    t.release_ns, t.active_release_ns,
    coalesce(
        max(t.release_ns, coalesce(t.active_release_ns, t.release_ns)), t.active_release_ns,
        (
            SELECT max(t.start_ns, coalesce(r.session_end_ns, max(e.max_end_ns)))
            FROM rank AS r LEFT JOIN event_extent AS e ON e.rank_id = r.id WHERE r.id = t.rank_id)
    ) AS end_ns,
    t.release_ns - t.start_ns AS duration_ns,
    t.active_release_ns - t.start_ns AS active_duration_ns, t.start_allocated_bytes, t.start_reserved_bytes,
    t.start_active_bytes, t.release_allocated_bytes, t.release_reserved_bytes, t.release_active_bytes,
    t.stream_ptr, t.address, t.op_id, t.step_id, (SELECT step_no FROM step WHERE id = t.step_id) AS step_no
FROM allocation AS t;
