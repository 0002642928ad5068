CREATE VIEW rank_level AS
-- Profiling level of each rank: as its profiler_info says, else told from what was recorded.
--
-- Without that file: a rank whose kernels have no operator type was profiled at Level0; runtime calls come with Level2.
--
-- grain: rank_id
-- uses:  rank, device_task, kernel, api_call, string
-- cols:
--   rank_id   -  rank
--   level_no  -  0, 1 or 2; -1 for Level_none; none if no device was recorded and profiler_info is missing
SELECT
    r.id AS rank_id,
    CASE
        WHEN r.level GLOB '*[Nn][Oo][Nn][Ee]' THEN -1
        WHEN r.level GLOB '*[0-9]' THEN CAST(substr(r.level, -1) AS INTEGER)
        WHEN EXISTS (
            SELECT 1 FROM device_task t JOIN kernel k ON k.id = t.kernel_id
            WHERE t.rank_id = r.id AND k.op_type_id IS NOT NULL
        ) THEN 1 + EXISTS (
            SELECT 1 FROM api_call a
            WHERE a.rank_id = r.id AND a.level_id = (SELECT id FROM string WHERE value = 'runtime')
        )
        WHEN EXISTS (SELECT 1 FROM device_task t WHERE t.rank_id = r.id) THEN 0
    END AS level_no
FROM rank r;
