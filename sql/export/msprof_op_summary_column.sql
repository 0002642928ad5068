CREATE VIEW msprof_op_summary_column AS
-- Which of the optional columns of msprof's op_summary.csv the file of a rank has.
--
-- grain: rank_id, column_name
-- uses:  rank_metric_column
-- cols:
--   rank_id      -  rank
--   column_name  -  column of msprof_op_summary
SELECT rank_id, column_name FROM rank_metric_column;
