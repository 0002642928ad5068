CREATE VIEW module_time AS
-- Host and device time of each module of the model on each rank.
--
-- A rank whose operators carry their module (with_modules) is told by that; any other by the `nn.Module: …` frames of
-- its Python stacks: the operators that run inside a frame on its thread, so a module includes the modules in it.
-- The backward pass runs outside of these frames and is not in them.
--
-- grain: rank_id, module
-- uses:  module_total, string, rank
-- cols:
--   rank_id          -      rank
--   rank_no          -      its number in the job; none if unknown
--   module           text   class and number of the instance, or the module hierarchy
--   source           text   op or python: how it was found
--   calls            count  frames of the module; operators in it if source is op
--   host_total_ns    ns     sum of the frames; of the outermost operators if source is op
--   op_count         count  operators in it
--   kernel_count     count  kernels these launched
--   device_total_ns  ns     sum of their durations
SELECT
    t.rank_id, (SELECT rank_no FROM rank WHERE id = t.rank_id) AS rank_no,
    CASE t.is_frame WHEN 1 THEN substr(s.value, 12) ELSE s.value END AS module,
    CASE t.is_frame WHEN 1 THEN 'python' ELSE 'op' END AS source, sum(t.call_count) AS calls,
    sum(t.host_total_ns) AS host_total_ns, sum(t.op_count) AS op_count, sum(t.kernel_count) AS kernel_count,
    sum(t.device_total_ns) AS device_total_ns
FROM module_total AS t JOIN string AS s ON s.id = t.name_id
WHERE t.is_frame = 0 OR NOT EXISTS (SELECT 1 FROM module_total AS o WHERE o.rank_id = t.rank_id AND o.is_frame = 0)
GROUP BY t.rank_id, t.is_frame, t.name_id;
