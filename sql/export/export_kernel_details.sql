CREATE VIEW export_kernel_details AS
-- kernel_details.csv: a row a kernel and a row a communication operator.
--
-- Missing is N/A.  The view export_kernel_details_column tells which of the optional columns a rank's file has; the
-- counters are those of the metric set it was profiled with, named above the first column of each set.
--
-- grain: rank_id, Device_id, start_ns, "Name", "Stream ID", "Task ID"
-- uses:  rank, device, device_task, kernel, kernel_named, kernel_metric, comm_op, step, string
-- file:  kernel_details.csv
-- window: self start_ns end_ns
-- cols:
--   rank_id                            -       [key] rank
--   step_id                            -       [key] step in whose device window it starts
--   start_ns                           ns      [key] start
--   end_ns                             ns      [key] end
--   "Step Id"                          int     [optional] number of that step
--   Device_id                          int     device
--   "Model ID"                         int     [optional] graph; 4294967295 outside of graphs
--   "Task ID"                          int     [optional] task; N/A for communication
--   "Stream ID"                        int     [optional] stream; N/A for communication
--   Name                               text    operator
--   Type                               text    operator type
--   "OP State"                         text    [optional] dynamic or static
--   "Accelerator Core"                 text    core type, or COMMUNICATION
--   "Start Time(us)"                   stamp   start
--   "Duration(us)"                     fixed3  end - start
--   "Wait Time(us)"                    fixed6  gap to the row before it
--   "Block Num"                        int     cores it ran on
--   "Mix Block Num"                    int     cores of the other type
--   "HF32 Eligible"                    text    [optional] YES or NO
--   "Input Shapes"                     text    shapes in double quotes, tensors separated by ;
--   "Input Data Types"                 text    separated by ;
--   "Input Formats"                    text    separated by ;
--   "Output Shapes"                    text    as the input shapes
--   "Output Data Types"                text    separated by ;
--   "Output Formats"                   text    separated by ;
--   "Context ID"                       int     [optional] sub-task
--   "aicore_time(us)"                  round3  [optional] all its time on that core type
--   aic_total_cycles                   int     [optional] cycles over all cores
--   "aic_mac_time(us)"                 round3  [optional] PipeUtilization
--   aic_mac_ratio                      round3  [optional]
--   "aic_scalar_time(us)"              round3  [optional]
--   aic_scalar_ratio                   round3  [optional]
--   "aic_mte1_time(us)"                round3  [optional]
--   aic_mte1_ratio                     round3  [optional]
--   "aic_mte2_time(us)"                round3  [optional]
--   aic_mte2_ratio                     round3  [optional]
--   "aic_fixpipe_time(us)"             round3  [optional]
--   aic_fixpipe_ratio                  round3  [optional]
--   aic_icache_miss_rate               round3  [optional]
--   aic_mac_fp16_ratio                 round3  [optional] ArithmeticUtilization
--   aic_mac_int8_ratio                 round3  [optional]
--   aic_cube_fops                      int     [optional]
--   "aic_l1_read_bw(GB/s)"             round3  [optional] Memory
--   "aic_l1_write_bw(GB/s)"            round3  [optional]
--   "aic_main_mem_read_bw(GB/s)"       round3  [optional]
--   "aic_main_mem_write_bw(GB/s)"      round3  [optional]
--   "aic_l2_read_bw(GB/s)"             round3  [optional]
--   "aic_l2_write_bw(GB/s)"            round3  [optional]
--   "aic_l0a_read_bw(GB/s)"            round3  [optional] MemoryL0
--   "aic_l0a_write_bw(GB/s)"           round3  [optional]
--   "aic_l0b_read_bw(GB/s)"            round3  [optional]
--   "aic_l0b_write_bw(GB/s)"           round3  [optional]
--   "aic_l0c_read_bw_cube(GB/s)"       round3  [optional]
--   "aic_l0c_write_bw_cube(GB/s)"      round3  [optional]
--   "aic_ub_read_bw_scalar(GB/s)"      round3  [optional] MemoryUB
--   "aic_ub_write_bw_scalar(GB/s)"     round3  [optional]
--   aic_write_cache_hit                int     [optional] L2Cache
--   aic_write_cache_miss_allocate      int     [optional]
--   aic_r0_read_cache_hit              int     [optional]
--   aic_r0_read_cache_miss_allocate    int     [optional]
--   aic_r1_read_cache_hit              int     [optional]
--   aic_r1_read_cache_miss_allocate    int     [optional]
--   "aic_read_main_memory_datas(KB)"   round3  [optional] MemoryAccess
--   "aic_write_main_memory_datas(KB)"  round3  [optional]
--   "aic_GM_to_L1_datas(KB)"           round3  [optional]
--   "aic_L0C_to_L1_datas(KB)"          round3  [optional]
--   "aic_L0C_to_GM_datas(KB)"          round3  [optional]
--   "aic_GM_to_UB_datas(KB)"           round3  [optional]
--   "aic_UB_to_GM_datas(KB)"           round3  [optional]
--   "aiv_time(us)"                     round3  [optional] all its time on that core type
--   aiv_total_cycles                   int     [optional] cycles over all cores
--   "aiv_vec_time(us)"                 round3  [optional] PipeUtilization
--   aiv_vec_ratio                      round3  [optional]
--   "aiv_scalar_time(us)"              round3  [optional]
--   aiv_scalar_ratio                   round3  [optional]
--   "aiv_mte2_time(us)"                round3  [optional]
--   aiv_mte2_ratio                     round3  [optional]
--   "aiv_mte3_time(us)"                round3  [optional]
--   aiv_mte3_ratio                     round3  [optional]
--   aiv_icache_miss_rate               round3  [optional]
--   aiv_vec_fp32_ratio                 round3  [optional] ArithmeticUtilization
--   aiv_vec_fp16_ratio                 round3  [optional]
--   aiv_vec_int32_ratio                round3  [optional]
--   aiv_vec_misc_ratio                 round3  [optional]
--   aiv_vector_fops                    int     [optional]
--   "aiv_ub_read_bw(GB/s)"             round3  [optional] Memory
--   "aiv_ub_write_bw(GB/s)"            round3  [optional]
--   "aiv_main_mem_read_bw(GB/s)"       round3  [optional]
--   "aiv_main_mem_write_bw(GB/s)"      round3  [optional]
--   "aiv_l2_read_bw(GB/s)"             round3  [optional]
--   "aiv_l2_write_bw(GB/s)"            round3  [optional]
--   "aiv_l0c_read_bw(GB/s)"            round3  [optional] MemoryL0
--   "aiv_l0c_write_bw(GB/s)"           round3  [optional]
--   "aiv_ub_read_bw_vector(GB/s)"      round3  [optional] MemoryUB
--   "aiv_ub_write_bw_vector(GB/s)"     round3  [optional]
--   "aiv_ub_read_bw_scalar(GB/s)"      round3  [optional]
--   "aiv_ub_write_bw_scalar(GB/s)"     round3  [optional]
--   aiv_vec_bankgroup_cflt_ratio       round3  [optional] ResourceConflictRatio
--   aiv_vec_bank_cflt_ratio            round3  [optional]
--   aiv_vec_resc_cflt_ratio            round3  [optional]
--   aiv_write_cache_hit                int     [optional] L2Cache
--   aiv_write_cache_miss_allocate      int     [optional]
--   aiv_r0_read_cache_hit              int     [optional]
--   aiv_r0_read_cache_miss_allocate    int     [optional]
--   aiv_r1_read_cache_hit              int     [optional]
--   aiv_r1_read_cache_miss_allocate    int     [optional]
--   "aiv_read_main_memory_datas(KB)"   round3  [optional] MemoryAccess
--   "aiv_write_main_memory_datas(KB)"  round3  [optional]
--   "aiv_GM_to_L1_datas(KB)"           round3  [optional]
--   "aiv_L0C_to_L1_datas(KB)"          round3  [optional]
--   "aiv_L0C_to_GM_datas(KB)"          round3  [optional]
--   "aiv_GM_to_UB_datas(KB)"           round3  [optional]
--   "aiv_UB_to_GM_datas(KB)"           round3  [optional]
--   "cube_utilization(%)"              fixed3  [optional] cycles of the cube cores in those that its time has

-- Source: deliverables.md section 3.
SELECT
    t.rank_id,
    t.step_id,
    t.start_ns,
    t.end_ns,
    (SELECT step_no FROM step WHERE id = t.step_id) AS "Step Id",
    t.device_id AS Device_id,
    coalesce(t.model_no, 4294967295) AS "Model ID",
    t.task_no AS "Task ID",
    t.stream_no AS "Stream ID",
    (SELECT name FROM kernel_named WHERE id = t.kernel_id) AS Name,
    coalesce((SELECT op_type FROM kernel_named WHERE id = t.kernel_id), 'N/A') AS Type,
    coalesce((SELECT state FROM kernel_named WHERE id = t.kernel_id), 'N/A') AS "OP State",
    coalesce((SELECT core FROM kernel_named WHERE id = t.kernel_id), 'N/A') AS "Accelerator Core",
    printf('%d.%03d', t.start_ns / 1000, t.start_ns % 1000) AS "Start Time(us)",
    (t.end_ns - t.start_ns) / 1000.0 AS "Duration(us)",
    t.wait_ns / 1000.0 AS "Wait Time(us)",
    coalesce((SELECT block_count FROM kernel WHERE id = t.kernel_id), 0) AS "Block Num",
    coalesce((SELECT mix_block_count FROM kernel WHERE id = t.kernel_id), 0) AS "Mix Block Num",
    coalesce((SELECT hf32 FROM kernel_named WHERE id = t.kernel_id), 'N/A') AS "HF32 Eligible",
    coalesce((SELECT input_shapes FROM kernel_named WHERE id = t.kernel_id), 'N/A') AS "Input Shapes",
    coalesce((SELECT input_dtypes FROM kernel_named WHERE id = t.kernel_id), 'N/A') AS "Input Data Types",
    coalesce((SELECT input_formats FROM kernel_named WHERE id = t.kernel_id), 'N/A') AS "Input Formats",
    coalesce((SELECT output_shapes FROM kernel_named WHERE id = t.kernel_id), 'N/A') AS "Output Shapes",
    coalesce((SELECT output_dtypes FROM kernel_named WHERE id = t.kernel_id), 'N/A') AS "Output Data Types",
    coalesce((SELECT output_formats FROM kernel_named WHERE id = t.kernel_id), 'N/A') AS "Output Formats",
    coalesce(t.context_no, 'N/A') AS "Context ID",
    coalesce(m.aic_total_time_ns / 1000, 'N/A') AS "aicore_time(us)",
    coalesce(CAST(m.aic_total_cycles_count AS INTEGER), 'N/A') AS aic_total_cycles,
    coalesce(m.aic_mac_time_ns / 1000, 'N/A') AS "aic_mac_time(us)",
    coalesce(m.aic_mac_ratio, 'N/A') AS aic_mac_ratio,
    coalesce(m.aic_scalar_time_ns / 1000, 'N/A') AS "aic_scalar_time(us)",
    coalesce(m.aic_scalar_ratio, 'N/A') AS aic_scalar_ratio,
    coalesce(m.aic_mte1_time_ns / 1000, 'N/A') AS "aic_mte1_time(us)",
    coalesce(m.aic_mte1_ratio, 'N/A') AS aic_mte1_ratio,
    coalesce(m.aic_mte2_time_ns / 1000, 'N/A') AS "aic_mte2_time(us)",
    coalesce(m.aic_mte2_ratio, 'N/A') AS aic_mte2_ratio,
    coalesce(m.aic_fixpipe_time_ns / 1000, 'N/A') AS "aic_fixpipe_time(us)",
    coalesce(m.aic_fixpipe_ratio, 'N/A') AS aic_fixpipe_ratio,
    coalesce(m.aic_icache_miss_ratio, 'N/A') AS aic_icache_miss_rate,
    coalesce(m.aic_mac_fp16_ratio, 'N/A') AS aic_mac_fp16_ratio,
    coalesce(m.aic_mac_int8_ratio, 'N/A') AS aic_mac_int8_ratio,
    coalesce(CAST(m.aic_cube_fops_count AS INTEGER), 'N/A') AS aic_cube_fops,
    coalesce(m.aic_l1_read_bw, 'N/A') AS "aic_l1_read_bw(GB/s)",
    coalesce(m.aic_l1_write_bw, 'N/A') AS "aic_l1_write_bw(GB/s)",
    coalesce(m.aic_main_mem_read_bw, 'N/A') AS "aic_main_mem_read_bw(GB/s)",
    coalesce(m.aic_main_mem_write_bw, 'N/A') AS "aic_main_mem_write_bw(GB/s)",
    coalesce(m.aic_l2_read_bw, 'N/A') AS "aic_l2_read_bw(GB/s)",
    coalesce(m.aic_l2_write_bw, 'N/A') AS "aic_l2_write_bw(GB/s)",
    coalesce(m.aic_l0a_read_bw, 'N/A') AS "aic_l0a_read_bw(GB/s)",
    coalesce(m.aic_l0a_write_bw, 'N/A') AS "aic_l0a_write_bw(GB/s)",
    coalesce(m.aic_l0b_read_bw, 'N/A') AS "aic_l0b_read_bw(GB/s)",
    coalesce(m.aic_l0b_write_bw, 'N/A') AS "aic_l0b_write_bw(GB/s)",
    coalesce(m.aic_l0c_read_bw_cube, 'N/A') AS "aic_l0c_read_bw_cube(GB/s)",
    coalesce(m.aic_l0c_write_bw_cube, 'N/A') AS "aic_l0c_write_bw_cube(GB/s)",
    coalesce(m.aic_ub_read_bw_scalar, 'N/A') AS "aic_ub_read_bw_scalar(GB/s)",
    coalesce(m.aic_ub_write_bw_scalar, 'N/A') AS "aic_ub_write_bw_scalar(GB/s)",
    coalesce(CAST(m.aic_write_cache_hit_count AS INTEGER), 'N/A') AS aic_write_cache_hit,
    coalesce(CAST(m.aic_write_cache_miss_allocate_count AS INTEGER), 'N/A') AS aic_write_cache_miss_allocate,
    coalesce(CAST(m.aic_r0_read_cache_hit_count AS INTEGER), 'N/A') AS aic_r0_read_cache_hit,
    coalesce(CAST(m.aic_r0_read_cache_miss_allocate_count AS INTEGER), 'N/A') AS aic_r0_read_cache_miss_allocate,
    coalesce(CAST(m.aic_r1_read_cache_hit_count AS INTEGER), 'N/A') AS aic_r1_read_cache_hit,
    coalesce(CAST(m.aic_r1_read_cache_miss_allocate_count AS INTEGER), 'N/A') AS aic_r1_read_cache_miss_allocate,
    coalesce(m.aic_read_main_memory_datas, 'N/A') AS "aic_read_main_memory_datas(KB)",
    coalesce(m.aic_write_main_memory_datas, 'N/A') AS "aic_write_main_memory_datas(KB)",
    coalesce(m.aic_gm_to_l1_datas, 'N/A') AS "aic_GM_to_L1_datas(KB)",
    coalesce(m.aic_l0c_to_l1_datas, 'N/A') AS "aic_L0C_to_L1_datas(KB)",
    coalesce(m.aic_l0c_to_gm_datas, 'N/A') AS "aic_L0C_to_GM_datas(KB)",
    coalesce(m.aic_gm_to_ub_datas, 'N/A') AS "aic_GM_to_UB_datas(KB)",
    coalesce(m.aic_ub_to_gm_datas, 'N/A') AS "aic_UB_to_GM_datas(KB)",
    coalesce(m.aiv_total_time_ns / 1000, 'N/A') AS "aiv_time(us)",
    coalesce(CAST(m.aiv_total_cycles_count AS INTEGER), 'N/A') AS aiv_total_cycles,
    coalesce(m.aiv_vec_time_ns / 1000, 'N/A') AS "aiv_vec_time(us)",
    coalesce(m.aiv_vec_ratio, 'N/A') AS aiv_vec_ratio,
    coalesce(m.aiv_scalar_time_ns / 1000, 'N/A') AS "aiv_scalar_time(us)",
    coalesce(m.aiv_scalar_ratio, 'N/A') AS aiv_scalar_ratio,
    coalesce(m.aiv_mte2_time_ns / 1000, 'N/A') AS "aiv_mte2_time(us)",
    coalesce(m.aiv_mte2_ratio, 'N/A') AS aiv_mte2_ratio,
    coalesce(m.aiv_mte3_time_ns / 1000, 'N/A') AS "aiv_mte3_time(us)",
    coalesce(m.aiv_mte3_ratio, 'N/A') AS aiv_mte3_ratio,
    coalesce(m.aiv_icache_miss_ratio, 'N/A') AS aiv_icache_miss_rate,
    coalesce(m.aiv_vec_fp32_ratio, 'N/A') AS aiv_vec_fp32_ratio,
    coalesce(m.aiv_vec_fp16_ratio, 'N/A') AS aiv_vec_fp16_ratio,
    coalesce(m.aiv_vec_int32_ratio, 'N/A') AS aiv_vec_int32_ratio,
    coalesce(m.aiv_vec_misc_ratio, 'N/A') AS aiv_vec_misc_ratio,
    coalesce(CAST(m.aiv_vector_fops_count AS INTEGER), 'N/A') AS aiv_vector_fops,
    coalesce(m.aiv_ub_read_bw, 'N/A') AS "aiv_ub_read_bw(GB/s)",
    coalesce(m.aiv_ub_write_bw, 'N/A') AS "aiv_ub_write_bw(GB/s)",
    coalesce(m.aiv_main_mem_read_bw, 'N/A') AS "aiv_main_mem_read_bw(GB/s)",
    coalesce(m.aiv_main_mem_write_bw, 'N/A') AS "aiv_main_mem_write_bw(GB/s)",
    coalesce(m.aiv_l2_read_bw, 'N/A') AS "aiv_l2_read_bw(GB/s)",
    coalesce(m.aiv_l2_write_bw, 'N/A') AS "aiv_l2_write_bw(GB/s)",
    coalesce(m.aiv_l0c_read_bw, 'N/A') AS "aiv_l0c_read_bw(GB/s)",
    coalesce(m.aiv_l0c_write_bw, 'N/A') AS "aiv_l0c_write_bw(GB/s)",
    coalesce(m.aiv_ub_read_bw_vector, 'N/A') AS "aiv_ub_read_bw_vector(GB/s)",
    coalesce(m.aiv_ub_write_bw_vector, 'N/A') AS "aiv_ub_write_bw_vector(GB/s)",
    coalesce(m.aiv_ub_read_bw_scalar, 'N/A') AS "aiv_ub_read_bw_scalar(GB/s)",
    coalesce(m.aiv_ub_write_bw_scalar, 'N/A') AS "aiv_ub_write_bw_scalar(GB/s)",
    coalesce(m.aiv_vec_bankgroup_cflt_ratio, 'N/A') AS aiv_vec_bankgroup_cflt_ratio,
    coalesce(m.aiv_vec_bank_cflt_ratio, 'N/A') AS aiv_vec_bank_cflt_ratio,
    coalesce(m.aiv_vec_resc_cflt_ratio, 'N/A') AS aiv_vec_resc_cflt_ratio,
    coalesce(CAST(m.aiv_write_cache_hit_count AS INTEGER), 'N/A') AS aiv_write_cache_hit,
    coalesce(CAST(m.aiv_write_cache_miss_allocate_count AS INTEGER), 'N/A') AS aiv_write_cache_miss_allocate,
    coalesce(CAST(m.aiv_r0_read_cache_hit_count AS INTEGER), 'N/A') AS aiv_r0_read_cache_hit,
    coalesce(CAST(m.aiv_r0_read_cache_miss_allocate_count AS INTEGER), 'N/A') AS aiv_r0_read_cache_miss_allocate,
    coalesce(CAST(m.aiv_r1_read_cache_hit_count AS INTEGER), 'N/A') AS aiv_r1_read_cache_hit,
    coalesce(CAST(m.aiv_r1_read_cache_miss_allocate_count AS INTEGER), 'N/A') AS aiv_r1_read_cache_miss_allocate,
    coalesce(m.aiv_read_main_memory_datas, 'N/A') AS "aiv_read_main_memory_datas(KB)",
    coalesce(m.aiv_write_main_memory_datas, 'N/A') AS "aiv_write_main_memory_datas(KB)",
    coalesce(m.aiv_gm_to_l1_datas, 'N/A') AS "aiv_GM_to_L1_datas(KB)",
    coalesce(m.aiv_l0c_to_l1_datas, 'N/A') AS "aiv_L0C_to_L1_datas(KB)",
    coalesce(m.aiv_l0c_to_gm_datas, 'N/A') AS "aiv_L0C_to_GM_datas(KB)",
    coalesce(m.aiv_gm_to_ub_datas, 'N/A') AS "aiv_GM_to_UB_datas(KB)",
    coalesce(m.aiv_ub_to_gm_datas, 'N/A') AS "aiv_UB_to_GM_datas(KB)",
    coalesce(m.aic_total_cycles_count / (v.aic_mhz * v.aic_core_count)
        * CASE WHEN t.end_ns > t.start_ns THEN 100000.0 / (t.end_ns - t.start_ns) ELSE 0 END, 'N/A')
        AS "cube_utilization(%)"
FROM device_task t
LEFT JOIN kernel_metric m ON m.device_task_id = t.id
LEFT JOIN device v ON v.rank_id = t.rank_id AND v.device_id = t.device_id
WHERE t.kernel_id IS NOT NULL AND t.wait_ns IS NOT NULL  -- what is no row of this file has no wait time
UNION ALL
SELECT
    o.rank_id, o.step_id, o.start_ns, o.end_ns, (SELECT step_no FROM step WHERE id = o.step_id),
    coalesce(o.device_id, (SELECT device_id FROM rank WHERE id = o.rank_id)),
    coalesce(o.model_no, 4294967295), 'N/A', 'N/A', (SELECT value FROM string WHERE id = o.name_id),
    coalesce((SELECT value FROM string WHERE id = o.op_type_id), 'N/A'), 'N/A', 'COMMUNICATION',
    printf('%d.%03d', o.start_ns / 1000, o.start_ns % 1000), (o.end_ns - o.start_ns) / 1000.0, o.wait_ns / 1000.0, 0,
    'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A',
    'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A',
    'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A',
    'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A',
    'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A',
    'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A',
    'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A', 'N/A'
FROM comm_op o
ORDER BY 1, 3  -- rank, start: both arms stream from their index
;
