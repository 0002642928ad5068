CREATE VIEW comm_op_named AS
-- Collective operations with their names and groups.
--
-- grain: id
-- uses:  comm_op, comm_group, comm_group_named, string, step, link_rule
-- cols:
--   id              -      comm_op.id
--   rank_id         -      rank it was recorded on
--   device_id       -      device number
--   start_ns        ns     start, Unix epoch
--   end_ns          ns     end, Unix epoch
--   duration_ns     ns     end - start
--   name_id         -      string.id of the name
--   name            text   instance, such as hcom_allReduce__123_0_1
--   comm_group_id   -      comm_group.id
--   group_name      text   name of the group
--   group_hash      text   number that the vendor's analysis uses for it
--   op_type         text   hcom_allReduce_ ...
--   data_type       text   FP16 ...
--   algorithm       text   MESH-RING ...
--   element_count   count  elements of that type
--   rank_count      count  ranks that take part
--   is_relay        -      1 = relayed
--   is_retry        -      1 = tried again
--   connection_no   -      number of the launching call
--   model_no        -      graph
--   operation_no    -      number that its tasks carry
--   api_call_id     -      api_call.id of the launch
--   op_id           -      op.id that launched it
--   link_rule_id    -      link_rule.id that found the operator
--   is_vendor_link  -      1 = the vendor's tools make the same link
--   step_id         -      step.id
--   step_no         -      number of that step
--   task_step_id    -      step.id whose task window holds its start
--   wait_ns         ns     gap to the kernel before it on the device
--   lane            -      0, or the extra lane where it nests
SELECT
    t.id, t.rank_id, t.device_id, t.start_ns, t.end_ns, t.end_ns - t.start_ns AS duration_ns, t.name_id,
    (SELECT value FROM string WHERE id = t.name_id) AS name, t.comm_group_id,
    (SELECT name FROM comm_group_named WHERE id = t.comm_group_id) AS group_name,
    (SELECT group_hash FROM comm_group WHERE id = t.comm_group_id) AS group_hash,
    (SELECT value FROM string WHERE id = t.op_type_id) AS op_type,
    (SELECT value FROM string WHERE id = t.data_type_id) AS data_type,
    (SELECT value FROM string WHERE id = t.algorithm_id) AS algorithm, t.element_count, t.rank_count,
    t.is_relay, t.is_retry, t.connection_no, t.model_no, t.operation_no, t.api_call_id, t.op_id,
    t.link_rule_id, (SELECT is_vendor FROM link_rule WHERE id = t.link_rule_id) AS is_vendor_link, t.step_id,
    (SELECT step_no FROM step WHERE id = t.step_id) AS step_no, t.task_step_id, t.wait_ns, t.lane
FROM comm_op AS t;
