CREATE VIEW vendor_mark_flow AS
-- Arrows of the vendor's trace from an mstx mark of the host to what the device did for it.
--
-- grain: record, ph
-- uses:  mark_named, vendor_mark_task_slice, device_task, vendor_rank
-- window: self start_ns end_ns
-- cols:
--   record         -      [key] mark or task, and its id
--   rank_id        -      [key] rank
--   start_ns       ns     [key] start of this end
--   end_ns         ns     [key] end of this end
--   peer_start_ns  ns     [key] start of the other end; of a mark: of its first task
--   peer_until_ns  ns     [key] its end, at least a ns after its start; of a mark: of its last task
--   ph             text   s or f
--   bp             text   e, at the end only
--   name           text   MsTx_ and the id
--   id             text   connection
--   pid            int    packed process
--   tid            int    thread
--   ts             stamp  start of this end
--   cat            text   MsTx

-- The plus before start_ns keeps SQLite from looking for the smallest one along the index on start.
SELECT
    'mark ' || m.id AS record, m.rank_id, m.start_ns, m.end_ns,
    (SELECT min(+t.start_ns) FROM device_task t WHERE t.rank_id = m.rank_id AND t.connection_no = m.connection_no)
        AS peer_start_ns,
    (SELECT max(max(t.end_ns, t.start_ns + 1)) FROM device_task t
     WHERE t.rank_id = m.rank_id AND t.connection_no = m.connection_no) AS peer_until_ns,
    's' AS ph, NULL AS bp, 'MsTx_' || m.connection_no AS name, CAST(m.connection_no AS TEXT) AS id,
    r.mark_pid AS pid, coalesce(m.tid, 0) AS tid, m.start_ns AS ts, 'MsTx' AS cat
FROM mark_named m
LEFT JOIN vendor_rank r ON r.rank_id = m.rank_id
WHERE m.connection_no IS NOT NULL
UNION ALL
SELECT
    'task ' || id, rank_id, start_ns, end_ns, peer_start_ns, peer_until_ns,
    'f', 'e', 'MsTx_' || connection_no, CAST(connection_no AS TEXT), pid, tid, ts, 'MsTx'
FROM vendor_mark_task_slice;
