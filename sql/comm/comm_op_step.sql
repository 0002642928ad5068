CREATE VIEW comm_op_step AS
-- The step a communication operator is counted in by the vendor's communication files.
--
-- With exactly one step every operator belongs to it, without steps all belong to the step without number, else the
-- window decides in which it starts and operators outside of all windows are left out. The text files and analysis.db
-- draw the window of a step differently, hence two rows an operator.
--
-- grain: comm_op_id, drawn_by
-- uses:  comm_op, step
-- cols:
--   rank_id     -  rank the operator ran on
--   comm_op_id  -  the operator
--   drawn_by    -  whose windows: text (communication.json) or database (analysis.db)
--   step_id     -  the step; none without steps
--   step_name   -  step and its number; only step without steps

-- Source: deliverables.md section 11.
WITH rank_steps AS (
    SELECT rank_id, count(*) AS step_count, min(id) AS first_id FROM step GROUP BY rank_id
),
counted AS (
    SELECT o.rank_id, o.id AS comm_op_id, 'text' AS drawn_by, r.step_count,
           CASE r.step_count WHEN 1 THEN r.first_id ELSE o.step_id END AS step_id
    FROM comm_op o LEFT JOIN rank_steps r ON r.rank_id = o.rank_id
    UNION ALL
    SELECT o.rank_id, o.id, 'database', r.step_count, CASE r.step_count WHEN 1 THEN r.first_id ELSE o.task_step_id END
    FROM comm_op o LEFT JOIN rank_steps r ON r.rank_id = o.rank_id
)
SELECT c.rank_id, c.comm_op_id, c.drawn_by, c.step_id, 'step' || coalesce(s.step_no, '') AS step_name
FROM counted c
LEFT JOIN step s ON s.id = c.step_id
WHERE c.step_id IS NOT NULL OR c.step_count IS NULL;
