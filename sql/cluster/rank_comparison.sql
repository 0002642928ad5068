CREATE VIEW rank_comparison AS
-- Ranks side by side: average step, and where its time went on the device.
--
-- Averages of step_breakdown, which says how its parts add up.
--
-- grain: rank_id, device_id
-- uses:  step_breakdown, rank
-- cols:
--   run_id                    -      run
--   rank_id                   -      rank.id
--   rank_no                   -      rank in the job
--   device_id                 -      device
--   step_count                count  steps
--   step_ns                   ns     average step on the host
--   device_ns                 ns     average device window of a step: computing, exposed communication and idle time
--   computing_ns              ns     average time with a kernel running
--   communication_ns          ns     average time with a communication operator running
--   communication_exposed_ns  ns     average time with a communication operator and no kernel running
--   free_ns                   ns     average time with neither, between operators: free of analysis.db
--   idle_ns                   ns     average time with neither in the window: free, and before and after operators
--   overlap_ratio             ratio  share of communication hidden behind kernels
--   slower_ratio              ratio  average step / shortest average step of the run
WITH of_rank AS (
    SELECT
        r.run_id, b.rank_id, r.rank_no, b.device_id, count(*) AS step_count, CAST(avg(b.step_ns) AS INTEGER) AS step_ns,
        CAST(avg(b.device_ns) AS INTEGER) AS device_ns, CAST(avg(b.computing_ns) AS INTEGER) AS computing_ns,
        CAST(avg(b.communication_ns) AS INTEGER) AS communication_ns,
        CAST(avg(b.communication_exposed_ns) AS INTEGER) AS communication_exposed_ns,
        CAST(avg(b.free_ns) AS INTEGER) AS free_ns, CAST(avg(b.idle_ns) AS INTEGER) AS idle_ns,
        1.0 - sum(b.communication_exposed_ns) * 1.0 / nullif(sum(b.communication_ns), 0) AS overlap_ratio
    FROM step_breakdown AS b JOIN rank AS r ON r.id = b.rank_id
    GROUP BY b.rank_id, b.device_id
)
SELECT
    run_id, rank_id, rank_no, device_id, step_count, step_ns, device_ns, computing_ns, communication_ns,
    communication_exposed_ns, free_ns, idle_ns, overlap_ratio,
    step_ns * 1.0 / nullif(min(step_ns) OVER (PARTITION BY run_id), 0) AS slower_ratio
FROM of_rank;
