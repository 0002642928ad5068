CREATE VIEW vendor_torch_flow AS
-- Arrows of the vendor's trace from a framework operator to what it launched: one a launch.
--
-- Only links that the vendor's tools make too (link_rule.is_vendor).  Their id is the start of the device record.
--
-- grain: part, record
-- uses:  device_task, comm_op, link_rule, op, op_named, vendor_comm_group, vendor_rank
-- window: self start_ns end_ns
-- cols:
--   record         -      [key] id of the launched record
--   part           -      [key] 0, 1 start and end of flows to tasks; 2, 3 of those to communication
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
SELECT
    t.id AS record, 0 AS part, t.rank_id, t.step_id, t.start_ns, t.end_ns,
    o.start_ns AS peer_start_ns, max(o.end_ns, o.start_ns + 1) AS peer_until_ns, o.step_id AS peer_step_id,
    's' AS ph, 'e' AS bp, 'torch_to_npu' AS name, t.start_ns AS id,
    coalesce(o.pid, 0) AS pid, coalesce(o.tid, 0) AS tid, o.start_ns AS ts, 'async_npu' AS cat
FROM device_task t
CROSS JOIN op_named o ON o.id = t.op_id
WHERE t.is_covered = 0 AND t.link_rule_id IN (SELECT id FROM link_rule WHERE is_vendor)
UNION ALL
SELECT
    t.id, 1, t.rank_id, t.step_id, t.start_ns, t.end_ns, o.start_ns, max(o.end_ns, o.start_ns + 1), o.step_id,
    'f', 'e', 'torch_to_npu', t.start_ns,
    (r.pid * 1024 + 14 * 32 | t.device_id) & 4294967295, t.stream_no, t.start_ns, 'async_npu'
FROM device_task t
CROSS JOIN op o ON o.id = t.op_id
LEFT JOIN vendor_rank r ON r.rank_id = t.rank_id
WHERE t.is_covered = 0 AND t.link_rule_id IN (SELECT id FROM link_rule WHERE is_vendor)
UNION ALL
SELECT
    c.id, 2, c.rank_id, c.step_id, c.start_ns, c.end_ns, o.start_ns, max(o.end_ns, o.start_ns + 1), o.step_id,
    's', 'e', 'torch_to_npu', c.start_ns, o.pid, coalesce(o.tid, 0), o.start_ns, 'async_npu'
FROM comm_op c
CROSS JOIN op_named o ON o.id = c.op_id
WHERE c.link_rule_id IN (SELECT id FROM link_rule WHERE is_vendor)
UNION ALL
SELECT
    c.id, 3, c.rank_id, c.step_id, c.start_ns, c.end_ns, o.start_ns, max(o.end_ns, o.start_ns + 1), o.step_id,
    'f', 'e', 'torch_to_npu', c.start_ns,
    (r.pid * 1024 + 16 * 32 | coalesce(c.device_id, r.device_id)) & 4294967295,
    coalesce((SELECT g.tid FROM vendor_comm_group g WHERE g.comm_group_id = c.comm_group_id), 0), c.start_ns,
    'async_npu'
FROM comm_op c
CROSS JOIN op o ON o.id = c.op_id
LEFT JOIN vendor_rank r ON r.rank_id = c.rank_id
WHERE c.link_rule_id IN (SELECT id FROM link_rule WHERE is_vendor)
ORDER BY 3, 2, 5, 1;
