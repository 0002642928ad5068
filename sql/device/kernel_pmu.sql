CREATE VIEW kernel_pmu AS
-- How busy the parts of a core were in each kernel, from its PMU counters.
--
-- Averages over the executions of a kernel that have counters.
--
-- grain: rank_id, kernel_name, core
-- uses:  kernel_metric, device_task, kernel_named, rank
-- cols:
--   rank_id                      -      rank
--   rank_no                      -      its number in the job; none if unknown
--   kernel_name                  text   name as the device reported it
--   core                         text   AI_CORE, AI_VECTOR_CORE, MIX_AIC ...
--   measured_count               count  executions with counters
--   average_ns                   ns     average duration of these
--   aic_total_time_ns            ns     cube core busy, average
--   aiv_total_time_ns            ns     vector core busy, average
--   busiest_part                 text   part with the highest ratio: what the kernel is bound by
--   aic_mac_ratio                ratio  matrix unit
--   aic_scalar_ratio             ratio  scalar unit of the cube core
--   aic_mte1_ratio               ratio  L1 to L0
--   aic_mte2_ratio               ratio  memory to L1
--   aic_fixpipe_ratio            ratio  results out
--   aic_icache_miss_ratio        ratio  instruction cache misses of the cube core
--   aiv_vec_ratio                ratio  vector unit
--   aiv_scalar_ratio             ratio  scalar unit of the vector core
--   aiv_mte2_ratio               ratio  memory to UB
--   aiv_mte3_ratio               ratio  UB to memory
--   aiv_icache_miss_ratio        ratio  instruction cache misses of the vector core
--   aic_mac_fp16_ratio           ratio  matrix unit in FP16 (arithmetic metrics)
--   aic_mac_int8_ratio           ratio  matrix unit in INT8 (arithmetic metrics)
--   aiv_vec_fp32_ratio           ratio  vector unit in FP32 (arithmetic metrics)
--   aiv_vec_fp16_ratio           ratio  vector unit in FP16 (arithmetic metrics)
--   aiv_vec_bankgroup_cflt_ratio ratio  bank group conflicts (conflict metrics)
--   aiv_vec_bank_cflt_ratio      ratio  bank conflicts (conflict metrics)
WITH part AS (
    SELECT
        t.rank_id, k.name AS kernel_name, k.core, count(*) AS measured_count,
        CAST(avg(t.end_ns - t.start_ns) AS INTEGER) AS average_ns,
        avg(m.aic_total_time_ns) AS aic_total_time_ns, avg(m.aiv_total_time_ns) AS aiv_total_time_ns,
        avg(m.aic_mac_ratio) AS aic_mac_ratio, avg(m.aic_scalar_ratio) AS aic_scalar_ratio,
        avg(m.aic_mte1_ratio) AS aic_mte1_ratio, avg(m.aic_mte2_ratio) AS aic_mte2_ratio,
        avg(m.aic_fixpipe_ratio) AS aic_fixpipe_ratio, avg(m.aic_icache_miss_ratio) AS aic_icache_miss_ratio,
        avg(m.aiv_vec_ratio) AS aiv_vec_ratio, avg(m.aiv_scalar_ratio) AS aiv_scalar_ratio,
        avg(m.aiv_mte2_ratio) AS aiv_mte2_ratio, avg(m.aiv_mte3_ratio) AS aiv_mte3_ratio,
        avg(m.aiv_icache_miss_ratio) AS aiv_icache_miss_ratio, avg(m.aic_mac_fp16_ratio) AS aic_mac_fp16_ratio,
        avg(m.aic_mac_int8_ratio) AS aic_mac_int8_ratio, avg(m.aiv_vec_fp32_ratio) AS aiv_vec_fp32_ratio,
        avg(m.aiv_vec_fp16_ratio) AS aiv_vec_fp16_ratio,
        avg(m.aiv_vec_bankgroup_cflt_ratio) AS aiv_vec_bankgroup_cflt_ratio,
        avg(m.aiv_vec_bank_cflt_ratio) AS aiv_vec_bank_cflt_ratio,
        max(
            coalesce(avg(m.aic_mac_ratio), 0), coalesce(avg(m.aic_scalar_ratio), 0), coalesce(avg(m.aic_mte1_ratio), 0),
            coalesce(avg(m.aic_mte2_ratio), 0), coalesce(avg(m.aic_fixpipe_ratio), 0), coalesce(avg(m.aiv_vec_ratio), 0),
            coalesce(avg(m.aiv_scalar_ratio), 0), coalesce(avg(m.aiv_mte2_ratio), 0), coalesce(avg(m.aiv_mte3_ratio), 0)
        ) AS highest
    FROM kernel_metric AS m
    JOIN device_task AS t ON t.id = m.device_task_id
    JOIN kernel_named AS k ON k.id = t.kernel_id
    GROUP BY t.rank_id, k.name, k.core
)
SELECT
    rank_id, (SELECT rank_no FROM rank WHERE id = part.rank_id) AS rank_no,
    kernel_name, core, measured_count, average_ns, aic_total_time_ns, aiv_total_time_ns,
    CASE
        WHEN highest = 0 THEN NULL WHEN highest = aic_mac_ratio THEN 'aic_mac' WHEN highest = aiv_vec_ratio THEN 'aiv_vec'
        WHEN highest = aic_mte2_ratio THEN 'aic_mte2' WHEN highest = aiv_mte2_ratio THEN 'aiv_mte2'
        WHEN highest = aiv_mte3_ratio THEN 'aiv_mte3' WHEN highest = aic_mte1_ratio THEN 'aic_mte1'
        WHEN highest = aic_fixpipe_ratio THEN 'aic_fixpipe' WHEN highest = aic_scalar_ratio THEN 'aic_scalar'
        ELSE 'aiv_scalar' END AS busiest_part,
    aic_mac_ratio, aic_scalar_ratio, aic_mte1_ratio, aic_mte2_ratio, aic_fixpipe_ratio, aic_icache_miss_ratio,
    aiv_vec_ratio, aiv_scalar_ratio, aiv_mte2_ratio, aiv_mte3_ratio, aiv_icache_miss_ratio, aic_mac_fp16_ratio,
    aic_mac_int8_ratio, aiv_vec_fp32_ratio, aiv_vec_fp16_ratio, aiv_vec_bankgroup_cflt_ratio, aiv_vec_bank_cflt_ratio
FROM part;
