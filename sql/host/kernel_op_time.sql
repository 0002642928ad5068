CREATE VIEW kernel_op_time AS
-- Which operator launched which kernels on each rank, and what they cost on the device.
--
-- A kernel belongs to the innermost operator around its launch.  Copies and collectives are not kernels: see op_time.
--
-- grain: rank_id, kernel_name, op_name, framework_op, module
-- uses:  kernel_op_total, string, rank
-- cols:
--   rank_id       -      rank
--   rank_no       -      its number in the job; none if unknown
--   kernel_name   text   name as the device reported it
--   op_name       text   operator that launched it, such as aclnnMul; none if no operator was found
--   framework_op  text   framework operator behind that, such as aten::mul; see op_framework
--   module        text   module of the model the operator ran in, where recorded: with the operator, else the innermost
--                        `nn.Module: …` frame of the Python stack around it
--   calls         count  executions
--   total_ns      ns     sum of durations; overlapping kernels count twice
--   average_ns    ns     total / calls
--   longest_ns    ns     longest execution
--   share_ratio   ratio  total / total of all kernels of the rank
WITH summed AS (
    SELECT
        rank_id, name_id, op_name_id, framework_name_id, module_name_id, sum(call_count) AS calls,
        sum(total_ns) AS total_ns, max(longest_ns) AS longest_ns
    FROM kernel_op_total
    GROUP BY rank_id, name_id, op_name_id, framework_name_id, module_name_id
)
SELECT
    k.rank_id, (SELECT rank_no FROM rank WHERE id = k.rank_id) AS rank_no,
    (SELECT value FROM string WHERE id = k.name_id) AS kernel_name,
    (SELECT value FROM string WHERE id = k.op_name_id) AS op_name,
    (SELECT value FROM string WHERE id = k.framework_name_id) AS framework_op,
    (
        SELECT CASE WHEN value >= 'nn.Module: ' AND value < 'nn.Module:!' THEN substr(value, 12) ELSE value END
        FROM string WHERE id = k.module_name_id) AS module,
    k.calls, k.total_ns, k.total_ns / k.calls AS average_ns, k.longest_ns,
    k.total_ns * 1.0 / nullif(sum(k.total_ns) OVER (PARTITION BY k.rank_id), 0) AS share_ratio
FROM summed AS k;
