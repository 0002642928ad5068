CREATE VIEW vendor_torch_flow AS
-- Arrows of the vendor's trace from a framework operator to what it launched: one a launch.
--
-- Only links that the vendor's tools make too (link_rule.is_vendor).  Their id is the start of the device record.
--
-- grain: link, ph
-- uses:  device_task, comm_op, link_rule, op_named, vendor_comm_group, vendor_rank
-- window: self start_ns end_ns
-- cols:
--   link           -      [key] the launched record: task or comm, and its id
--   rank_id        -      [key] rank
--   step_id        -      [key] step of the launched record
--   start_ns       ns     [key] start of the launched record
--   end_ns         ns     [key] end of the launched record
--   peer_start_ns  ns     [key] start of the operator
--   peer_until_ns  ns     [key] its end, at least a ns after its start
--   peer_step_id   -      [key] step of the operator
--   ph             text   s or f
--   bp             text   e
--   name           text   torch_to_npu
--   id             int    start of the launched record, ns
--   pid            int    process of this end
--   tid            int    thread of this end
--   ts             stamp  start of this end
--   cat            text   async_npu
WITH half (ph) AS (VALUES ('s'), ('f'))
SELECT
    'task ' || t.id AS link, t.rank_id, t.step_id, t.start_ns, t.end_ns,
    o.start_ns AS peer_start_ns, max(o.end_ns, o.start_ns + 1) AS peer_until_ns, o.step_id AS peer_step_id,
    h.ph, 'e' AS bp, 'torch_to_npu' AS name, t.start_ns AS id,
    CASE h.ph WHEN 's' THEN coalesce(o.pid, 0) ELSE (r.pid * 1024 + 14 * 32 | t.device_id) & 4294967295 END AS pid,
    CASE h.ph WHEN 's' THEN coalesce(o.tid, 0) ELSE t.stream_no END AS tid,
    CASE h.ph WHEN 's' THEN o.start_ns ELSE t.start_ns END AS ts,
    'async_npu' AS cat
FROM device_task t
CROSS JOIN half h
JOIN link_rule l ON l.id = t.link_rule_id AND l.is_vendor
JOIN op_named o ON o.id = t.op_id
LEFT JOIN vendor_rank r ON r.rank_id = t.rank_id
WHERE t.is_covered = 0
UNION ALL
SELECT
    'comm ' || c.id, c.rank_id, c.step_id, c.start_ns, c.end_ns,
    o.start_ns, max(o.end_ns, o.start_ns + 1), o.step_id,
    h.ph, 'e', 'torch_to_npu', c.start_ns,
    CASE h.ph WHEN 's' THEN o.pid ELSE (r.pid * 1024 + 16 * 32 | coalesce(c.device_id, r.device_id)) & 4294967295 END,
    CASE h.ph WHEN 's' THEN coalesce(o.tid, 0) ELSE coalesce(g.tid, 0) END,
    CASE h.ph WHEN 's' THEN o.start_ns ELSE c.start_ns END,
    'async_npu'
FROM comm_op c
CROSS JOIN half h
JOIN link_rule l ON l.id = c.link_rule_id AND l.is_vendor
JOIN op_named o ON o.id = c.op_id
LEFT JOIN vendor_rank r ON r.rank_id = c.rank_id
LEFT JOIN vendor_comm_group g ON g.comm_group_id = c.comm_group_id
ORDER BY 2, 4;
