CREATE VIEW kernel_time AS
-- Device time of each kernel name on each rank.
--
-- grain: rank_id, kernel_name, core
-- uses:  kernel_total, kernel_named, rank
-- cols:
--   rank_id      -      rank the kernels ran on
--   rank_no      -      its number in the job; none if unknown
--   kernel_name  text   name as the device reported it
--   op_type      text   operator type; one of them if the name has several
--   core         text   AI_CORE, AI_VECTOR_CORE, MIX_AIC ...
--   calls        count  executions, replays of graphs among them
--   total_ns     ns     sum of durations; overlapping kernels count twice
--   average_ns   ns     total / calls
--   shortest_ns  ns     shortest execution
--   longest_ns   ns     longest execution
--   wait_ns      ns     sum of the gaps to the kernel before
--   share_ratio  ratio  total / total of all kernels of the rank
WITH of_name AS (
    SELECT t.rank_id, k.name AS kernel_name, min(k.op_type) AS op_type, k.core, sum(t.call_count) AS calls,
        sum(t.total_ns) AS total_ns, min(t.shortest_ns) AS shortest_ns, max(t.longest_ns) AS longest_ns,
        sum(t.wait_ns) AS wait_ns
    FROM kernel_total AS t JOIN kernel_named AS k ON k.id = t.kernel_id
    WHERE k.is_schedule = 0
    GROUP BY t.rank_id, k.name, k.core
)
SELECT
    rank_id, (SELECT rank_no FROM rank WHERE id = of_name.rank_id) AS rank_no,
    kernel_name, op_type, core, calls, total_ns, total_ns / calls AS average_ns, shortest_ns, longest_ns, wait_ns,
    total_ns * 1.0 / nullif(sum(total_ns) OVER (PARTITION BY rank_id), 0) AS share_ratio
FROM of_name;
