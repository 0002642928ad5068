CREATE VIEW step_spread AS
-- Each step over all ranks of a run: how unequal they are, and which rank computes longest.
--
-- The rank that computes longest and communicates least is the one the others wait for.
--
-- grain: run_id, step_no
-- uses:  step_breakdown, rank
-- cols:
--   run_id                     -      run
--   step_no                    -      step
--   rank_count                 count  ranks that have it
--   shortest_step_ns           ns     shortest on the host
--   longest_step_ns            ns     longest on the host
--   shortest_computing_ns      ns     least time with kernels running
--   longest_computing_ns       ns     most time with kernels running
--   longest_computing_rank_no  -      rank of that
--   least_communication_ns     ns     least time with communication operators running
--   most_communication_ns      ns     most time with communication operators running
--   most_communication_rank_no -      rank of that
--   spread_ratio               ratio  (longest - shortest computing) / longest computing
WITH placed AS (
    SELECT
        r.run_id, b.*,
        row_number() OVER (PARTITION BY r.run_id, b.step_no ORDER BY b.computing_ns DESC, b.rank_id) AS by_computing,
        row_number() OVER (PARTITION BY r.run_id, b.step_no ORDER BY b.communication_ns DESC, b.rank_id) AS by_communication
    FROM step_breakdown AS b JOIN rank AS r ON r.id = b.rank_id
    WHERE b.step_no IS NOT NULL
)
SELECT
    run_id, step_no, count(DISTINCT rank_id) AS rank_count, min(step_ns) AS shortest_step_ns, max(step_ns) AS longest_step_ns,
    min(computing_ns) AS shortest_computing_ns, max(computing_ns) AS longest_computing_ns,
    max(CASE WHEN by_computing = 1 THEN rank_no END) AS longest_computing_rank_no,
    min(communication_ns) AS least_communication_ns, max(communication_ns) AS most_communication_ns,
    max(CASE WHEN by_communication = 1 THEN rank_no END) AS most_communication_rank_no,
    1.0 - min(computing_ns) * 1.0 / nullif(max(computing_ns), 0) AS spread_ratio
FROM placed
GROUP BY run_id, step_no;
