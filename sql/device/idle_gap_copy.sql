CREATE VIEW idle_gap_copy AS
-- How long copies ran in each gap in which a device ran neither kernel nor collective.
--
-- Gaps without a copy have no row.  Copies that overlap count once.
--
-- grain: idle_gap_id
-- uses:  busy_interval, rank
-- cols:
--   idle_gap_id  -      busy_interval.id of the gap
--   rank_id      -      rank
--   rank_no      -      its number in the job; none if unknown
--   copy_count   count  copies that ran in it
--   copy_ns      ns     time in the gap in which at least one of them ran
SELECT
    g.id AS idle_gap_id, g.rank_id, (SELECT rank_no FROM rank WHERE id = g.rank_id) AS rank_no, g.copy_count, g.copy_ns
FROM busy_interval AS g
WHERE g.kind = 3 AND g.copy_count IS NOT NULL;
