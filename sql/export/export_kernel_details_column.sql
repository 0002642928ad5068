CREATE VIEW export_kernel_details_column AS
-- Which of the optional columns of kernel_details.csv the file of a rank has.
--
-- Step Id needs steps, a counter must have been recorded, and Level0 leaves out what it does not know.
--
-- grain: rank_id, column_name
-- uses:  rank_level, rank_metric_column, step
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
SELECT rank_id, column_name FROM rank_metric_column;
