CREATE VIEW op_device_part AS
-- What ran on the device for an operator, as the vendor's tools link it: one task or communication operator a launch.
--
-- grain: op_id, start_ns
-- uses:  device_task, comm_op, kernel, link_rule, string
-- cols:
--   op_id        -   the operator
--   start_ns     ns  start on the device
--   duration_ns  ns  time on the device
--   is_ai_core   -   1 = its task type reads AI_CORE
SELECT
    t.op_id,
    t.start_ns,
    t.end_ns - t.start_ns AS duration_ns,
    (SELECT s.value FROM string s WHERE s.id = coalesce((SELECT k.core_id FROM kernel k WHERE k.id = t.kernel_id), t.type_id))
        = 'AI_CORE' AS is_ai_core
FROM device_task t
WHERE t.op_id IS NOT NULL AND t.link_rule_id IN (SELECT id FROM link_rule WHERE is_vendor = 1)
UNION ALL
SELECT o.op_id, o.start_ns, o.end_ns - o.start_ns, 0
FROM comm_op o
WHERE o.op_id IS NOT NULL AND o.link_rule_id IN (SELECT id FROM link_rule WHERE is_vendor = 1);
