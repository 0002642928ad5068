CREATE VIEW export_kernel_details_column AS
-- Which of the optional columns of kernel_details.csv the file of a rank has.
--
-- Step Id needs steps, a counter must have been recorded, and Level0 leaves out what it does not know.
--
-- grain: rank_id, column_name
-- uses:  rank_level, rank_metric, step
-- cols:
--   rank_id      -  rank
--   column_name  -  column of export_kernel_details
SELECT DISTINCT rank_id, 'Step Id' AS column_name FROM step
UNION ALL
SELECT r.rank_id, c.column_name
FROM rank_level r
JOIN (
    SELECT 'Model ID' AS column_name UNION ALL SELECT 'Task ID' UNION ALL SELECT 'Stream ID' UNION ALL SELECT 'OP State'
    UNION ALL SELECT 'HF32 Eligible' UNION ALL SELECT 'Context ID'
) c
WHERE r.level_no >= 1
UNION ALL
SELECT DISTINCT
    rank_id,
    CASE
        WHEN name = 'aic_total_time' THEN 'aicore_time(us)'
        WHEN name = 'aiv_total_time' THEN 'aiv_time(us)'
        WHEN name GLOB '*time*' THEN name || '(us)'
        WHEN name GLOB '*bw*' THEN replace(name, '_extra', '') || '(GB/s)'
        WHEN name GLOB '*datas*' THEN replace(name, '_extra', '') || '(KB)'
        ELSE replace(name, '_extra', '')
    END
FROM rank_metric;
