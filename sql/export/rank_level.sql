CREATE VIEW rank_level AS
-- Profiling level of each rank as a number; it decides which files and columns there are.
--
-- grain: rank_id
-- uses:  rank
-- cols:
--   rank_id   -  rank
--   level_no  -  0, 1 or 2; -1 for Level_none; none if the level is not known

-- Source: deliverables.md section 0.
SELECT
    id AS rank_id,
    CASE
        WHEN level GLOB '*[Nn][Oo][Nn][Ee]' THEN -1
        WHEN level GLOB '*[0-9]' THEN CAST(substr(level, -1) AS INTEGER)
    END AS level_no
FROM rank;
