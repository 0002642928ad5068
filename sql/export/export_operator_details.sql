CREATE VIEW export_operator_details AS
-- operator_details.csv: a row a framework operator; steps are none.
--
-- Device time is that of the kernels and communication operators the vendor's tools link to the operator: one a launch.
-- With AICore counts those whose core type reads AI_CORE.
--
-- grain: op_id
-- uses:  op, device_task, kernel, comm_op, link_rule, stack_frame, string
-- file:  operator_details.csv
-- window: self start_ns end_ns
-- cols:
--   op_id                                   -      [key] the operator
--   rank_id                                 -      [key] rank
--   step_id                                 -      [key] step it starts in
--   start_ns                                ns     [key] start
--   end_ns                                  ns     [key] end
--   Name                                    text   operator
--   "Input Shapes"                          text   shapes of its tensors, a line each
--   "Call Stack"                            text   frames, innermost first, a line each
--   "Host Self Duration(us)"                float  host time without that of its direct children
--   "Host Total Duration(us)"               float  host time
--   "Device Self Duration(us)"              float  device time of its own
--   "Device Total Duration(us)"             float  device time of its own and of all operators below it
--   "Device Self Duration With AICore(us)"  float  device time of its own on AI_CORE
--   "Device Total Duration With AICore(us)"  float  device time on AI_CORE, of its own and of all operators below it

-- Source: deliverables.md section 2.
WITH ai_core (id) AS (SELECT id FROM string WHERE value = 'AI_CORE')
SELECT
    o.id AS op_id,
    o.rank_id,
    o.step_id,
    o.start_ns,
    o.end_ns,
    n.value AS Name,
    (SELECT value FROM string WHERE id = o.shapes_id) AS "Input Shapes",
    (
        SELECT group_concat(frame, ';' || char(13) || char(10))
        FROM (
            SELECT fs.value AS frame FROM stack_frame f JOIN string fs ON fs.id = f.string_id
            WHERE f.stack_id = o.stack_id ORDER BY f.depth
        )
    ) AS "Call Stack",
    (
        o.end_ns - o.start_ns - coalesce((SELECT sum(c.end_ns - c.start_ns) FROM op c WHERE c.parent_id = o.id), 0)
    ) / 1000.0
        AS "Host Self Duration(us)",
    (o.end_ns - o.start_ns) / 1000.0 AS "Host Total Duration(us)",
    coalesce((SELECT sum(ns) / 1000.0 FROM (
        SELECT t.end_ns - t.start_ns AS ns FROM device_task t JOIN link_rule r ON r.id = t.link_rule_id AND r.is_vendor
        WHERE t.op_id = o.id
        UNION ALL
        SELECT c.end_ns - c.start_ns FROM comm_op c JOIN link_rule r ON r.id = c.link_rule_id AND r.is_vendor
        WHERE c.op_id = o.id
    )), 0) AS "Device Self Duration(us)",
    coalesce((
        WITH RECURSIVE below (id) AS (
            VALUES (o.id) UNION ALL SELECT c.id FROM below b JOIN op c ON c.parent_id = b.id
        )
        SELECT sum(ns) / 1000.0 FROM (
            SELECT t.end_ns - t.start_ns AS ns
            FROM below b JOIN device_task t ON t.op_id = b.id JOIN link_rule r ON r.id = t.link_rule_id AND r.is_vendor
            UNION ALL
            SELECT c.end_ns - c.start_ns
            FROM below b JOIN comm_op c ON c.op_id = b.id JOIN link_rule r ON r.id = c.link_rule_id AND r.is_vendor
        )
    ), 0) AS "Device Total Duration(us)",
    coalesce((
        SELECT sum(t.end_ns - t.start_ns) / 1000.0
        FROM device_task t JOIN link_rule r ON r.id = t.link_rule_id AND r.is_vendor
        WHERE t.op_id = o.id AND coalesce((SELECT core_id FROM kernel WHERE id = t.kernel_id), t.type_id) IN ai_core
    ), 0) AS "Device Self Duration With AICore(us)",
    coalesce((
        WITH RECURSIVE below (id) AS (
            VALUES (o.id) UNION ALL SELECT c.id FROM below b JOIN op c ON c.parent_id = b.id
        )
        SELECT sum(t.end_ns - t.start_ns) / 1000.0
        FROM below b JOIN device_task t ON t.op_id = b.id JOIN link_rule r ON r.id = t.link_rule_id AND r.is_vendor
        WHERE coalesce((SELECT core_id FROM kernel WHERE id = t.kernel_id), t.type_id) IN ai_core
    ), 0) AS "Device Total Duration With AICore(us)"
FROM op o
JOIN string n ON n.id = o.name_id
WHERE instr(n.value, 'ProfilerStep#') = 0
ORDER BY o.rank_id, o.start_ns;
