CREATE VIEW trace_base AS
-- Moment that the times of our own trace are counted from.
--
-- It is the second in which the first event of the warehouse starts. Small numbers keep a viewer's arithmetic exact to
-- the ns; the trace says the base in its otherData.
--
-- grain: base_ns
-- uses:  event_extent, rank
-- cols:
--   base_ns  ns  Unix epoch
SELECT
    coalesce(min(first_ns), 0) / 1000000000 * 1000000000 AS base_ns
FROM (
    SELECT min_start_ns AS first_ns FROM event_extent
    UNION ALL
    SELECT session_start_ns FROM rank
);
