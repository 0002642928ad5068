CREATE VIEW vendor_forward_flow AS
-- Arrows of the vendor's trace from a forward operator to its backward operator on another thread.
--
-- grain: rank_id, id, ph
-- uses:  forward_backward, op_named
-- window: op start_ns end_ns
-- cols:
--   rank_id        -      [key] rank
--   step_id        -      [key] step of this operator
--   start_ns       ns     [key] start of this operator
--   end_ns         ns     [key] end of this operator
--   peer_start_ns  ns     [key] start of the other operator
--   peer_until_ns  ns     [key] its end, at least a ns after its start
--   peer_step_id   -      [key] its step
--   ph             text   s or f
--   bp             text   e
--   name           text   fwdbwd
--   id             int    sequence number
--   pid            int    process
--   tid            int    thread
--   ts             stamp  start of this operator
--   cat            text   fwdbwd
WITH half (ph) AS (VALUES ('s'), ('f'))
SELECT
    l.rank_id, own.step_id, own.start_ns, own.end_ns,
    peer.start_ns AS peer_start_ns, max(peer.end_ns, peer.start_ns + 1) AS peer_until_ns,
    peer.step_id AS peer_step_id,
    h.ph, 'e' AS bp, 'fwdbwd' AS name, l.sequence_no AS id, coalesce(own.pid, 0) AS pid, coalesce(own.tid, 0) AS tid,
    own.start_ns AS ts, 'fwdbwd' AS cat
FROM forward_backward l
CROSS JOIN half h
JOIN op_named own ON own.id = CASE h.ph WHEN 's' THEN l.forward_op_id ELSE l.backward_op_id END
JOIN op_named peer ON peer.id = CASE h.ph WHEN 's' THEN l.backward_op_id ELSE l.forward_op_id END
WHERE own.thread_id <> peer.thread_id
ORDER BY l.rank_id, own.start_ns, l.sequence_no;
