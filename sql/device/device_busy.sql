CREATE VIEW device_busy AS
-- How long each device was busy, with what, and how long it ran nothing.
--
-- Each time counts once, however many kernels ran in it.  The whole is computing + exposed communication + free: from the
-- first record of the device to its last one.  For each step see step_breakdown, for each interval overlap_analysis.
--
-- grain: rank_id, device_id
-- uses:  busy_total, rank
-- cols:
--   rank_id                   -      rank
--   rank_no                   -      its number in the job; none if unknown
--   device_id                 -      device
--   whole_ns                  ns     computing + communication_exposed + free
--   computing_ns              ns     a kernel ran
--   communication_ns          ns     a communication operator ran
--   communication_exposed_ns  ns     a communication operator ran and no kernel
--   free_ns                   ns     neither; copies may run
--   gap_count                 count  pieces of that, see idle_gap
--   longest_gap_ns            ns     the longest of them
--   overlap_ratio             ratio  communication hidden behind kernels / communication; none without communication
--   busy_ratio                ratio  (computing + communication_exposed) / whole
WITH device AS (
    SELECT
        rank_id, device_id, sum(iif(kind = 0, total_ns, 0)) AS computing_ns,
        sum(iif(kind = 1, total_ns, 0)) AS communication_ns,
        sum(iif(kind = 2, total_ns, 0)) AS communication_exposed_ns, sum(iif(kind = 3, total_ns, 0)) AS free_ns,
        sum(iif(kind = 3, interval_count, 0)) AS gap_count, max(iif(kind = 3, longest_ns, 0)) AS longest_gap_ns,
        sum(iif(kind = 1, 0, total_ns)) AS whole_ns
    FROM busy_total
    GROUP BY rank_id, device_id
)
SELECT
    d.rank_id, (SELECT rank_no FROM rank WHERE id = d.rank_id) AS rank_no, d.device_id, d.whole_ns, d.computing_ns,
    d.communication_ns, d.communication_exposed_ns, d.free_ns, d.gap_count, d.longest_gap_ns,
    1.0 - d.communication_exposed_ns * 1.0 / nullif(d.communication_ns, 0) AS overlap_ratio,
    (d.computing_ns + d.communication_exposed_ns) * 1.0 / nullif(d.whole_ns, 0) AS busy_ratio
FROM device AS d;
