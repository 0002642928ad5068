CREATE VIEW check_reference_overlap AS
-- Intervals of the overlap analysis that only we compute, or that only the profiler's own table has.
--
-- A rank without records of its own is in check_reference_only instead.
--
-- grain: rank_id, device_id, kind, start_ns, end_ns
-- uses:  busy_interval, reference_overlap, rank_recorded, rank
-- cols:
--   rank_id    -     rank
--   rank_no    -     its number in the job; none if unknown
--   device_id  -     device
--   kind       -     0 computing, 1 communication, 2 communication not overlapped, 3 free
--   start_ns   ns    start
--   end_ns     ns    end
--   text       text  which side lacks the interval
SELECT r.rank_id, (SELECT rank_no FROM rank WHERE id = r.rank_id) AS rank_no, r.device_id, r.kind, r.start_ns, r.end_ns,
    'only in the reference' AS text
FROM reference_overlap r
WHERE r.rank_id IN (SELECT rank_id FROM rank_recorded) AND NOT EXISTS (
    SELECT 1 FROM busy_interval b
    WHERE b.rank_id = r.rank_id AND b.device_id = r.device_id AND b.kind = r.kind AND b.start_ns = r.start_ns
        AND b.end_ns = r.end_ns
)
UNION ALL
SELECT b.rank_id, (SELECT rank_no FROM rank WHERE id = b.rank_id), b.device_id, b.kind, b.start_ns, b.end_ns,
    'not in the reference'
FROM busy_interval b
WHERE b.rank_id IN (SELECT rank_id FROM reference_overlap) AND NOT EXISTS (
    SELECT 1 FROM reference_overlap r
    WHERE r.rank_id = b.rank_id AND r.device_id = b.device_id AND r.kind = b.kind AND r.start_ns = b.start_ns
        AND r.end_ns = b.end_ns
);
