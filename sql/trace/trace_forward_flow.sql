CREATE VIEW trace_forward_flow AS
-- Flows of our own trace from forward operators to their backward operators on other threads.
--
-- grain: rank_id, id, ph
-- uses:  forward_backward, op, trace_base
-- window: op start_ns end_ns
-- cols:
--   rank_id  -      [key] rank
--   ph       text   s or f
--   bp       text   e
--   name     text   forward_backward
--   cat      text   forward_backward
--   id       int    op.id of the forward operator
--   pid      int    process
--   tid      int    thread and lane
--   ts       ns_us  start of the operator since the base
WITH half (ph) AS (VALUES ('s'), ('f'))
SELECT
    l.rank_id, h.ph, 'e' AS bp, 'forward_backward' AS name, 'forward_backward' AS cat, l.forward_op_id AS id,
    l.rank_id * 1000 + 1 AS pid,
    CASE h.ph WHEN 's' THEN f.thread_id * 10000 + f.lane ELSE b.thread_id * 10000 + b.lane END AS tid,
    CASE h.ph WHEN 's' THEN f.start_ns ELSE b.start_ns END - (SELECT base_ns FROM trace_base) AS ts
FROM forward_backward l
CROSS JOIN half h
JOIN op f ON f.id = l.forward_op_id
JOIN op b ON b.id = l.backward_op_id
WHERE f.thread_id <> b.thread_id;
