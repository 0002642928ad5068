CREATE VIEW forward_backward AS
-- Which backward operator belongs to which forward operator.
--
-- The last of each side that carry one sequence number: of several operators of a side the one that starts last counts,
-- that is the innermost.
--
-- grain: rank_id, sequence_no
-- uses:  op
-- window: op start_ns end_ns
-- cols:
--   rank_id         -  rank
--   sequence_no     -  number both carry
--   forward_op_id   -  op.id, forward
--   backward_op_id  -  op.id, backward

-- Ids of a rank's operators ascend with their starts. Source: framework-files.md 5.6.
SELECT
    rank_id,
    sequence_no,
    max(CASE WHEN coalesce(forward_thread_no, 0) = 0 THEN id END) AS forward_op_id,
    max(CASE WHEN forward_thread_no <> 0 THEN id END) AS backward_op_id
FROM op
WHERE sequence_no >= 0
GROUP BY rank_id, sequence_no
HAVING forward_op_id IS NOT NULL AND backward_op_id IS NOT NULL;
