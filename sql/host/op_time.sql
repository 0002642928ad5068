CREATE VIEW op_time AS
-- Host and device time of each operator name on each rank: order by device_self_ns for the dear ones.
--
-- ProfilerStep ranges are left out, they are steps. A kernel or copy counts once in device_self_ns, with the operator
-- that launched it, so this adds up over operators; it counts in device_total_ns with every operator around that, too.
--
-- grain: rank_id, op_name
-- uses:  op_total, string, rank
-- cols:
--   rank_id           -      rank
--   rank_no           -      its number in the job; none if unknown
--   op_name           text   operator
--   calls             count  how often it ran
--   host_total_ns     ns     sum of its ranges; one inside another of the same name counts twice
--   host_self_ns      ns     without the operators directly in it
--   device_total_ns   ns     kernels and copies that it and the operators in it launched
--   device_self_ns    ns     kernels and copies it launched itself
--   communication_ns  ns     communication operators it launched itself
--   kernel_count      count  kernels and copies it launched itself
SELECT
    t.rank_id, (SELECT rank_no FROM rank WHERE id = t.rank_id) AS rank_no, s.value AS op_name, sum(t.call_count) AS calls,
    sum(t.host_total_ns) AS host_total_ns, sum(t.host_total_ns - t.inner_ns) AS host_self_ns,
    sum(t.device_total_ns) AS device_total_ns, sum(t.device_ns) AS device_self_ns,
    sum(t.communication_ns) AS communication_ns, sum(t.work_count) AS kernel_count
FROM op_total AS t JOIN string AS s ON s.id = t.name_id
WHERE s.value NOT LIKE 'ProfilerStep#%'
GROUP BY t.rank_id, t.name_id;
