CREATE VIEW msprof_op_summary AS
-- op_summary.csv of msprof: a row a kernel and a row a communication operator, with all of their facts.
--
-- As kernel_details.csv, without steps and at every level with the same columns.  Missing is N/A.
--
-- grain: rank_id, Device_id, start_ns, "Op Name", "Stream ID", "Task ID"
-- uses:  export_kernel_details
-- file:  op_summary.csv
-- window: self start_ns end_ns
-- cols:
--   rank_id                            -       [key] rank
--   step_id                            -       [key] step in whose device window it starts
--   start_ns                           ns      [key] start
--   end_ns                             ns      [key] end
--   Device_id                          int     device
--   "Model ID"                         int     graph; 4294967295 outside of graphs
--   "Task ID"                          int     task; N/A for communication
--   "Stream ID"                        int     stream; N/A for communication
--   "Op Name"                          text    operator
--   "OP Type"                          text    operator type
--   "OP State"                         text    dynamic or static
--   "Task Type"                        text    core type, or COMMUNICATION
--   "Task Start Time(us)"              stamp   start
--   "Task Duration(us)"                fixed3  end - start
--   "Task Wait Time(us)"               fixed6  gap to the row before it
--   "Block Num"                        int     cores it ran on
--   "Mix Block Num"                    int     [optional] cores of the other type
--   "HF32 Eligible"                    text    YES or NO
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

-- In the order of what it selects from: an order of its own would sort the whole rank.
-- Source: deliverables.md section 15.
SELECT
    rank_id, step_id, start_ns, end_ns, Device_id, "Model ID", "Task ID", "Stream ID", Name AS "Op Name",
    Type AS "OP Type", "OP State", "Accelerator Core" AS "Task Type", "Start Time(us)" AS "Task Start Time(us)",
    "Duration(us)" AS "Task Duration(us)", "Wait Time(us)" AS "Task Wait Time(us)", "Block Num", "Mix Block Num",
    "HF32 Eligible", "Input Shapes", "Input Data Types", "Input Formats", "Output Shapes", "Output Data Types",
    "Output Formats", "Context ID", "aicore_time(us)", aic_total_cycles, "aic_mac_time(us)", aic_mac_ratio,
    "aic_scalar_time(us)", aic_scalar_ratio, "aic_mte1_time(us)", aic_mte1_ratio, "aic_mte2_time(us)", aic_mte2_ratio,
    "aic_fixpipe_time(us)", aic_fixpipe_ratio, aic_icache_miss_rate, aic_mac_fp16_ratio, aic_mac_int8_ratio,
    aic_cube_fops, "aic_l1_read_bw(GB/s)", "aic_l1_write_bw(GB/s)", "aic_main_mem_read_bw(GB/s)",
    "aic_main_mem_write_bw(GB/s)", "aic_l2_read_bw(GB/s)", "aic_l2_write_bw(GB/s)", "aic_l0a_read_bw(GB/s)",
    "aic_l0a_write_bw(GB/s)", "aic_l0b_read_bw(GB/s)", "aic_l0b_write_bw(GB/s)", "aic_l0c_read_bw_cube(GB/s)",
    "aic_l0c_write_bw_cube(GB/s)", "aic_ub_read_bw_scalar(GB/s)", "aic_ub_write_bw_scalar(GB/s)", aic_write_cache_hit,
    aic_write_cache_miss_allocate, aic_r0_read_cache_hit, aic_r0_read_cache_miss_allocate, aic_r1_read_cache_hit,
    aic_r1_read_cache_miss_allocate, "aic_read_main_memory_datas(KB)", "aic_write_main_memory_datas(KB)",
    "aic_GM_to_L1_datas(KB)", "aic_L0C_to_L1_datas(KB)", "aic_L0C_to_GM_datas(KB)", "aic_GM_to_UB_datas(KB)",
    "aic_UB_to_GM_datas(KB)", "aiv_time(us)", aiv_total_cycles, "aiv_vec_time(us)", aiv_vec_ratio,
    "aiv_scalar_time(us)", aiv_scalar_ratio, "aiv_mte2_time(us)", aiv_mte2_ratio, "aiv_mte3_time(us)", aiv_mte3_ratio,
    aiv_icache_miss_rate, aiv_vec_fp32_ratio, aiv_vec_fp16_ratio, aiv_vec_int32_ratio, aiv_vec_misc_ratio,
    aiv_vector_fops, "aiv_ub_read_bw(GB/s)", "aiv_ub_write_bw(GB/s)", "aiv_main_mem_read_bw(GB/s)",
    "aiv_main_mem_write_bw(GB/s)", "aiv_l2_read_bw(GB/s)", "aiv_l2_write_bw(GB/s)", "aiv_l0c_read_bw(GB/s)",
    "aiv_l0c_write_bw(GB/s)", "aiv_ub_read_bw_vector(GB/s)", "aiv_ub_write_bw_vector(GB/s)",
    "aiv_ub_read_bw_scalar(GB/s)", "aiv_ub_write_bw_scalar(GB/s)", aiv_vec_bankgroup_cflt_ratio,
    aiv_vec_bank_cflt_ratio, aiv_vec_resc_cflt_ratio, aiv_write_cache_hit, aiv_write_cache_miss_allocate,
    aiv_r0_read_cache_hit, aiv_r0_read_cache_miss_allocate, aiv_r1_read_cache_hit, aiv_r1_read_cache_miss_allocate,
    "aiv_read_main_memory_datas(KB)", "aiv_write_main_memory_datas(KB)", "aiv_GM_to_L1_datas(KB)",
    "aiv_L0C_to_L1_datas(KB)", "aiv_L0C_to_GM_datas(KB)", "aiv_GM_to_UB_datas(KB)", "aiv_UB_to_GM_datas(KB)",
    "cube_utilization(%)"
FROM export_kernel_details
ORDER BY rank_id, start_ns;
