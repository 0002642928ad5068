CREATE VIEW op_cost AS
-- What each framework operator cost: on the host, and on the device by what it launched.
--
-- grain: op_id
-- uses:  op, device_task, comm_op, comm_task, string, rank
-- cols:
--   op_id             -      op.id
--   rank_id           -      rank
--   rank_no           -      its number in the job; none if unknown
--   name_id           -      string.id of the name
--   name              text   operator
--   start_ns          ns     start
--   end_ns            ns     end
--   thread_id         -      thread
--   depth             -      number of operators around it
--   parent_id         -      op.id of the one around it
--   step_id           -      step
--   host_total_ns     ns     end - start
--   host_self_ns      ns     without the operators directly in it
--   kernel_count      count  kernels and copies it launched itself
--   device_self_ns    ns     sum of their durations
--   device_total_ns   ns     the same, with those launched by the operators in it at any depth
--   communication_ns  ns     sum of the communication operators it launched itself

-- A row is looked up on its own, so a window of operators costs only its window.
SELECT
    o.id AS op_id, o.rank_id, (SELECT rank_no FROM rank WHERE id = o.rank_id) AS rank_no, o.name_id,
    (SELECT value FROM string WHERE id = o.name_id) AS name, o.start_ns, o.end_ns, o.thread_id, o.depth, o.parent_id,
    o.step_id, o.end_ns - o.start_ns AS host_total_ns,
    o.end_ns - o.start_ns
        - coalesce((SELECT sum(c.end_ns - c.start_ns) FROM op AS c WHERE c.parent_id = o.id), 0) AS host_self_ns,
    (
        SELECT count(*) FROM device_task AS t
        WHERE t.op_id = o.id AND (t.kernel_id IS NOT NULL OR t.type_id IN (SELECT id FROM string WHERE value = 'MEMCPY_ASYNC')
            AND NOT EXISTS (SELECT 1 FROM comm_task AS m WHERE m.device_task_id = t.id))) AS kernel_count,
    coalesce((
        SELECT sum(t.end_ns - t.start_ns) FROM device_task AS t
        WHERE t.op_id = o.id AND (t.kernel_id IS NOT NULL OR t.type_id IN (SELECT id FROM string WHERE value = 'MEMCPY_ASYNC')
            AND NOT EXISTS (SELECT 1 FROM comm_task AS m WHERE m.device_task_id = t.id))), 0) AS device_self_ns,
    coalesce((
        WITH RECURSIVE inner_op (id) AS (
            SELECT o.id UNION ALL SELECT c.id FROM inner_op AS i JOIN op AS c ON c.parent_id = i.id)
        SELECT sum(t.end_ns - t.start_ns) FROM inner_op AS i JOIN device_task AS t ON t.op_id = i.id
        WHERE t.kernel_id IS NOT NULL OR t.type_id IN (SELECT id FROM string WHERE value = 'MEMCPY_ASYNC')
            AND NOT EXISTS (SELECT 1 FROM comm_task AS m WHERE m.device_task_id = t.id)), 0) AS device_total_ns,
    coalesce((SELECT sum(c.end_ns - c.start_ns) FROM comm_op AS c WHERE c.op_id = o.id), 0) AS communication_ns
FROM op AS o;
