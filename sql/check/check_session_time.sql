CREATE VIEW check_session_time AS
-- Records far outside of the time in which their rank was recorded: a clock is wrong.
--
-- Up to ten seconds are not told: what was open when the recording began or ended is recorded, too.
--
-- grain: rank_id, table_name
-- uses:  event_extent, rank
-- cols:
--   rank_id     -      rank
--   rank_no     -      its number in the job; none if unknown
--   table_name  text   table
--   row_count   count  rows it has of the rank
--   early_ns    ns     how long before the recording the first of them began
--   late_ns     ns     how long after the recording the last of them ended
SELECT e.rank_id, r.rank_no, e.table_name, e.row_count,
    max(0, r.session_start_ns - e.min_start_ns) AS early_ns, max(0, e.max_end_ns - r.session_end_ns) AS late_ns
FROM event_extent AS e JOIN rank AS r ON r.id = e.rank_id
WHERE e.min_start_ns < r.session_start_ns - 10000000000 OR e.max_end_ns > r.session_end_ns + 10000000000;
