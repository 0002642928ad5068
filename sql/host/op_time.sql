CREATE VIEW op_time AS
-- Host and device time of each operator name on each rank; ProfilerStep ranges are left out, they are steps.
--
-- grain: rank_id, op_name
-- uses:  op_cost
-- cols:
--   rank_id           -      rank
--   op_name           text   operator
--   calls             count  how often it ran
--   host_total_ns     ns     sum of its ranges; one inside another of the same name counts twice
--   host_self_ns      ns     without the operators directly in it
--   device_total_ns   ns     kernels and copies that it and the operators in it launched
--   device_self_ns    ns     kernels and copies it launched itself
--   communication_ns  ns     communication operators it launched itself
--   kernel_count      count  kernels and copies it launched itself
SELECT
    rank_id, name AS op_name, count(*) AS calls, sum(host_total_ns) AS host_total_ns, sum(host_self_ns) AS host_self_ns,
    sum(device_total_ns) AS device_total_ns, sum(device_self_ns) AS device_self_ns,
    sum(communication_ns) AS communication_ns, sum(kernel_count) AS kernel_count
FROM op_cost
WHERE name NOT LIKE 'ProfilerStep#%'
GROUP BY rank_id, name_id;
