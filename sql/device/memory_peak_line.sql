CREATE VIEW memory_peak_line AS
-- Which lines of Python held memory when a component's allocation was highest: the blocks alive then.
--
-- By the line that called the operator that allocated. Blocks of operators without stacks, and those of no operator, have
-- none; what is not recorded block by block is in memory_peak_holder only.
--
-- grain: rank_id, device_id, component, own_line, code_line
-- uses:  memory_peak, allocation, op_code_line, rank
-- cols:
--   rank_id      -      rank
--   rank_no      -      its number in the job; none if unknown
--   device_id    -      device
--   component    text   PTA, GE, CPU ...
--   time_ns      ns     when the peak was reached
--   peak_bytes   bytes  allocated then
--   own_line     text   innermost line of the user's own; none if no stack was recorded or it has none
--   code_line    text   innermost line
--   block_count  count  blocks alive then
--   held_bytes   bytes  their size
--   share_ratio  ratio  held / peak
WITH held AS (
    SELECT
        p.rank_id, p.device_id, p.component, p.time_ns, p.peak_bytes, a.size_bytes,
        (SELECT own_line FROM op_code_line WHERE op_id = a.op_id) AS own_line,
        (SELECT code_line FROM op_code_line WHERE op_id = a.op_id) AS code_line
    FROM memory_peak AS p
    JOIN allocation AS a ON a.rank_id = p.rank_id AND a.start_ns <= p.time_ns AND a.component_id = p.component_id
        AND a.device_id IS p.device_id AND (a.release_ns IS NULL OR a.release_ns > p.time_ns)
)
SELECT
    rank_id, (SELECT rank_no FROM rank WHERE id = held.rank_id) AS rank_no, device_id, component, time_ns, peak_bytes,
    own_line, code_line, count(*) AS block_count, sum(size_bytes) AS held_bytes,
    sum(size_bytes) * 1.0 / nullif(peak_bytes, 0) AS share_ratio
FROM held
GROUP BY rank_id, device_id, component, own_line, code_line;
