CREATE VIEW op_time AS
-- Host and device time of each operator name on each rank: order by device_self_ns for the dear ones.
--
-- ProfilerStep ranges are left out, they are steps. A kernel or copy counts once in device_self_ns, with the operator
-- that launched it, so this adds up over operators; it counts in device_total_ns with every operator around that, too.
--
-- grain: rank_id, op_name
-- uses:  op_cost, rank
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
    c.rank_id, (SELECT rank_no FROM rank WHERE id = c.rank_id) AS rank_no, c.name AS op_name, count(*) AS calls,
    sum(c.host_total_ns) AS host_total_ns, sum(c.host_self_ns) AS host_self_ns,
    sum(c.device_total_ns) AS device_total_ns, sum(c.device_self_ns) AS device_self_ns,
    sum(c.communication_ns) AS communication_ns, sum(c.kernel_count) AS kernel_count
FROM op_cost AS c
WHERE c.name NOT LIKE 'ProfilerStep#%'
GROUP BY c.rank_id, c.name_id;
