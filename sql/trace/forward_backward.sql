CREATE VIEW forward_backward AS
-- Which backward operator belongs to which forward operator: the last of each side that carry one sequence number.
--
-- Of several operators of a side the one that starts last counts, that is the innermost (framework-files.md 5.6).
--
-- grain: rank_id, sequence_no
-- uses:  op
-- window: op start_ns end_ns
-- cols:
--   rank_id         -  rank
--   sequence_no     -  number both carry
--   forward_op_id   -  op.id, forward
--   backward_op_id  -  op.id, backward
WITH side AS (
    -- with one max() SQLite takes id from the row that holds the maximum
    SELECT rank_id, sequence_no, coalesce(forward_thread_no, 0) <> 0 AS is_backward, id, max(start_ns) AS start_ns
    FROM op
    WHERE sequence_no >= 0
    GROUP BY rank_id, sequence_no, is_backward
)
SELECT f.rank_id, f.sequence_no, f.id AS forward_op_id, b.id AS backward_op_id
FROM side f
JOIN side b ON b.rank_id = f.rank_id AND b.sequence_no = f.sequence_no AND b.is_backward = 1
WHERE f.is_backward = 0;
