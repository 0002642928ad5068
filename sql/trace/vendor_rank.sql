CREATE VIEW vendor_rank AS
-- Process numbers of a rank as the vendor's trace packs them, and whether its host calls are pruned.
--
-- Packed: process << 10 | sort index << 5 | device, 31 for the host.  The vendor's C++ keeps 32 bits of it, its Python
-- all; without a device its Python arrives at -1.
--
-- grain: rank_id
-- uses:  rank, rank_level, memory_copy
-- cols:
--   rank_id     -  rank
--   device_id   -  device of the rank
--   pid         -  the framework's process, not packed; 0 if nothing tells it
--   gc_pid      -  Python GC
--   mark_pid    -  marks of the host
--   cann_pid    -  CANN
--   is_pruned   -  1 = Level0 or Level_none: host calls of CANN are left out
--   is_raw      -  1 = read from a raw profile, which holds what databases do not
--   has_copies  -  1 = a database with sizes of copies

-- Materialized, because telling the level may look at many tasks and would else be done for each slice.
-- Source: deliverables.md section 1.1.
WITH each AS MATERIALIZED (
    SELECT
        r.id AS rank_id,
        r.device_id,
        r.pid,
        CASE WHEN r.device_id IS NULL THEN -1 ELSE r.pid * 1024 + 1 * 32 | r.device_id END AS gc_pid,
        (r.pid * 1024 + 6 * 32 | 31) & 4294967295 AS mark_pid,
        (r.pid * 1024 + 7 * 32 | 31) & 4294967295 AS cann_pid,
        coalesce(l.level_no <= 0, 0) AS is_pruned,
        r.is_raw,
        NOT r.is_raw AND EXISTS (SELECT 1 FROM memory_copy m WHERE m.rank_id = r.id) AS has_copies
    FROM (SELECT id, device_id, coalesce(pid, 0) AS pid, input_kind = 'raw profile' AS is_raw FROM rank) r
    JOIN rank_level l ON l.rank_id = r.id
)
SELECT rank_id, device_id, pid, gc_pid, mark_pid, cann_pid, is_pruned, is_raw, has_copies FROM each;
