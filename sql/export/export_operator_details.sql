CREATE VIEW export_operator_details AS
-- operator_details.csv: a row a framework operator; steps are none.
--
-- Device time is that of the kernels and communication operators the vendor's tools link to the operator: one a launch.
-- With AICore counts those whose core type reads AI_CORE.
--
-- grain: op_id
-- uses:  op, op_work, stack_frame, string
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

-- Source: deliverables.md section 2.  Nothing is 0, not 0.0: the vendor adds up an empty list.
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
    (o.end_ns - o.start_ns - coalesce(w.inner_ns, 0)) / 1000.0 AS "Host Self Duration(us)",
    (o.end_ns - o.start_ns) / 1000.0 AS "Host Total Duration(us)",
    coalesce(nullif(w.vendor_ns, 0) / 1000.0, 0) AS "Device Self Duration(us)",
    coalesce(nullif(w.vendor_total_ns, 0) / 1000.0, 0) AS "Device Total Duration(us)",
    coalesce(nullif(w.ai_core_ns, 0) / 1000.0, 0) AS "Device Self Duration With AICore(us)",
    coalesce(nullif(w.ai_core_total_ns, 0) / 1000.0, 0) AS "Device Total Duration With AICore(us)"
FROM op o
CROSS JOIN string n ON n.id = o.name_id
LEFT JOIN op_work w ON w.id = o.id
WHERE instr(n.value, 'ProfilerStep#') = 0
ORDER BY o.rank_id, o.start_ns;
