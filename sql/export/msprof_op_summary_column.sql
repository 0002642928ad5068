CREATE VIEW msprof_op_summary_column AS
-- Which of the optional columns of msprof's op_summary.csv the file of a rank has.
--
-- A counter must have been recorded.  Chips without a hardware scheduler have no sub-tasks and no cores of another type.
--
-- grain: rank_id, column_name
-- uses:  rank, rank_metric_column
-- cols:
--   rank_id      -  rank
--   column_name  -  column of msprof_op_summary

-- Source: deliverables.md section 15; cann-files.md 1.3, 5.8.
WITH scheduled AS (
    SELECT id AS rank_id, coalesce(chip_name NOT IN ('Ascend310', 'Ascend310P', 'Ascend910A'), 1) AS is_scheduled
    FROM rank
),
of_scheduler (column_name) AS (VALUES ('Mix Block Num'), ('Context ID'))
SELECT s.rank_id, o.column_name
FROM scheduled s CROSS JOIN of_scheduler o
WHERE s.is_scheduled
UNION ALL
SELECT m.rank_id, m.column_name
FROM rank_metric_column m
JOIN scheduled s ON s.rank_id = m.rank_id
WHERE s.is_scheduled OR m.column_name <> 'aiv_time(us)';
