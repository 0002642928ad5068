CREATE VIEW op_cost AS
-- What each framework operator cost: on the host, and on the device by what it launched.
--
-- grain: op_id
-- uses:  op, op_work, string, step, rank
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
--   step_no           -      number of the step
SELECT
    o.id AS op_id, o.rank_id, (SELECT rank_no FROM rank WHERE id = o.rank_id) AS rank_no, o.name_id,
    (SELECT value FROM string WHERE id = o.name_id) AS name, o.start_ns, o.end_ns, o.thread_id, o.depth, o.parent_id,
    o.step_id, o.end_ns - o.start_ns AS host_total_ns, o.end_ns - o.start_ns - coalesce(w.inner_ns, 0) AS host_self_ns,
    coalesce(w.work_count, 0) AS kernel_count, coalesce(w.device_ns, 0) AS device_self_ns,
    coalesce(w.device_total_ns, 0) AS device_total_ns, coalesce(w.communication_ns, 0) AS communication_ns,
    (SELECT step_no FROM step WHERE id = o.step_id) AS step_no
FROM op AS o LEFT JOIN op_work AS w ON w.id = o.id;
