CREATE VIEW rank_metric_column AS
-- Which PMU columns the files about kernels have for a rank.
--
-- A counter must have been recorded; the use of the cube cores follows from two of them and from what the device says
-- of its cores.
--
-- grain: rank_id, column_name
-- uses:  rank_metric, device
-- cols:
--   rank_id      -  rank
--   column_name  -  column of export_kernel_details and of msprof_op_summary

-- Source: deliverables.md section 3.1.
SELECT DISTINCT
    rank_id,
    CASE
        WHEN name = 'aic_total_time' THEN 'aicore_time(us)'
        WHEN name = 'aiv_total_time' THEN 'aiv_time(us)'
        WHEN name GLOB '*time*' THEN name || '(us)'
        WHEN name GLOB '*bw*' THEN replace(name, '_extra', '') || '(GB/s)'
        WHEN name GLOB '*datas*' THEN replace(name, '_extra', '') || '(KB)'
        ELSE replace(name, '_extra', '')
    END AS column_name
FROM rank_metric
UNION ALL
SELECT DISTINCT r.rank_id, 'cube_utilization(%)'
FROM rank_metric r
JOIN rank_metric c ON c.rank_id = r.rank_id AND c.name = 'aic_total_cycles'
JOIN device d ON d.rank_id = r.rank_id AND d.aic_core_count IS NOT NULL AND d.aic_mhz IS NOT NULL
WHERE r.name = 'aic_mac_ratio';
