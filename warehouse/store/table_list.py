"""Every table of the warehouse as plain data: columns, indexes, and what each is for.

Conventions: `id` is the rowid (an alias, so that a VACUUM keeps stored links); `*_id` points at `id` of the table or of
`string` (text columns end in `_id` where they are interned); `*_no` is a number the profiler gave (stream, task, rank);
units are suffixes: `_ns` since the Unix epoch, `_bytes`, `_count`, `_ratio`.
Every fact carries `rank_id`.  Missing is NULL, never a magic number.  What a column means stands in column_meanings.py.
"""

from __future__ import annotations

from warehouse.store.table_shape import WarehouseTable, table

TABLES: dict[str, WarehouseTable] = {}


def _table(name: str, purpose: str, columns: str, *indexes: str, unique: tuple[str, ...] = ()) -> None:
    TABLES[name] = table(name, purpose, columns, indexes, unique)


# --- catalogue --------------------------------------------------------------------------------------------------------
_table(
    "run",
    "One profiling session of one job: the folder that its rank directories share.",
    "id name:text! path:text!",
    unique=("path",),
)
_table(
    "rank",
    "One rank of a run: where it was recorded, with what, and when.",
    """id run_id! rank_no rank_origin:text! device_id host_name:text host_uid:text pid level:text chip_name:text
    framework_version:text cann_version:text schema_version:text session_start_ns session_end_ns
    input_kind:text! path:text! directory:text! is_simulated!""",
    "run_id rank_no",
    unique=("path",),
)
_table(
    "device",
    "Devices a rank recorded on.",
    "rank_id! device_id! chip_name:text aic_core_count aiv_core_count aic_mhz:real aiv_mhz:real",
    unique=("rank_id device_id",),
)
_table(
    "rank_metadata",
    "What the profile says of itself, name by name, as it stands there.",
    "rank_id! source_id name:text! value:text",
    "rank_id name",
)
_table(
    "source",
    "One input file, and what became of it.",
    """id rank_id path:text! kind:text! state:text! size_bytes! modified_ns fingerprint:text
    record_count! loaded_count! rejected_count! note:text decoded_bytes rejected_bytes""",
    "rank_id",
    "path",
)
_table(
    "source_table",
    "One table (or stream) of an input file, with its counts.",
    "source_id! name:text! record_count! loaded_count! rejected_count!",
    unique=("source_id name",),
)
_table(
    "issue",
    "Every loss and every doubt that reading met.",
    "id source_id rank_id severity:text! code:text! text:text! table_name:text first_offset count! rejected_count!",
    "rank_id",
)
_table(
    "string",
    "Texts, each once; columns that end in _id and name a text point here.",
    "id value:text!",
    unique=("value",),
)
_table("stack_frame", "One frame of a call stack.", "stack_id! depth! string_id!", "stack_id depth")
_table("link_rule", "How a device record found its operator.", "id name:text! is_vendor! text:text!", unique=("name",))
_table(
    "event_extent",
    "Longest row of an event table of a rank: bounds how far a window has to look back.",
    "rank_id! table_name:text! row_count! min_start_ns max_end_ns max_duration_ns",
    unique=("rank_id table_name",),
)

# --- host -------------------------------------------------------------------------------------------------------------
_table(
    "thread",
    "One host thread, and how much was recorded on it.",
    """id rank_id! pid! tid! name:text is_dequeue! op_count queue_count python_count api_count mark_count gc_count""",
    unique=("rank_id pid tid",),
)
_table(
    "op",
    "One framework operator range.",
    """id rank_id! start_ns! end_ns! thread_id! name_id! sequence_no forward_thread_no shapes_id dtypes_id stack_id
    module_id parent_id depth! step_id lane! framework_op_id""",
    "rank_id start_ns",
)
_table(
    "queue_task",
    "One task that went through the host task queue; either half may be missing.",
    """id rank_id! correlation_no! op_id
    enqueue_name_id enqueue_start_ns enqueue_end_ns enqueue_thread_id
    dequeue_name_id dequeue_start_ns dequeue_end_ns dequeue_thread_id step_id""",
    "rank_id enqueue_start_ns",
    "rank_id dequeue_start_ns",
)
_table(
    "python_call",
    "One Python frame.",
    """id rank_id! start_ns! end_ns! thread_id! name_id! module_id parent_id depth! step_id lane! frame_no
    outer_frame_no""",
    "rank_id start_ns",
)
_table(
    "api_call",
    "One CANN API call.",
    """id rank_id! start_ns! end_ns! thread_id! level_id! name_id! connection_no mode_id item_id
    parent_id depth! lane! queue_task_id op_id step_id""",
    "rank_id start_ns",
)
_table(
    "gc_event", "One run of Python's garbage collector.", "id rank_id! start_ns! end_ns! thread_id!", "rank_id start_ns"
)
_table(
    "mark",
    "One mstx mark or range.",
    """id rank_id! start_ns! end_ns! thread_id! end_thread_id event_type_id message_id domain_id category_no range_no
    connection_no lane!""",
    "rank_id start_ns",
)
_table(
    "step",
    "One training step: its range on the host, and its windows on the device.",
    "id rank_id! step_no! start_ns! end_ns! device_start_ns device_end_ns task_start_ns task_end_ns",
    "rank_id step_no",
)
_table(
    "step_time",
    "What a device did in a step's task window; operators count in the step in which they start.",
    """rank_id! step_id device_id! computing_ns! communication_ns! communication_not_overlapped_ns! free_ns! bubble_ns!
    first_start_ns last_end_ns""",
    "rank_id step_id",
)

# --- device -----------------------------------------------------------------------------------------------------------
_table(
    "stream",
    "One stream of a device.",
    "rank_id! device_id! stream_no! task_count!",
    unique=("rank_id device_id stream_no",),
)
_table(
    "device_task",
    "One execution of a task on a device.",
    # last what most rows leave at its default: the bulk writer ends their records before it
    """id rank_id! device_id! start_ns! end_ns! type_id! stream_no! task_no! connection_no kernel_id api_call_id op_id
    link_rule_id step_id wait_ns batch_no context_no launch_no=0 is_covered!=0 lane!=0 model_no graph_node_id
    graph_replay_id""",
    "rank_id start_ns",
    "op_id",
    "rank_id connection_no",
)
_table(
    "kernel",
    "What a kernel is, once for all its executions.",
    """id name_id! op_type_id core_id block_count mix_block_count input_shapes_id input_dtypes_id input_formats_id
    output_shapes_id output_dtypes_id output_formats_id attributes_id state_id hf32_id grid_id block_id is_schedule!
    symbol_id""",
    "name_id",
)
_table(
    "memory_copy",
    "Size and direction of a copy.",
    "device_task_id! rank_id! size_bytes direction_id engine_id",
    "device_task_id",
)

_METRICS = """
    total_time_ns total_cycles_count mac_time_ns mac_ratio vec_time_ns vec_ratio scalar_time_ns scalar_ratio
    mte1_time_ns mte1_ratio mte2_time_ns mte2_ratio mte3_time_ns mte3_ratio fixpipe_time_ns fixpipe_ratio
    icache_miss_ratio mac_fp16_ratio mac_int8_ratio cube_fops_count vec_fp32_ratio vec_fp16_ratio
    vec_int32_ratio vec_misc_ratio vector_fops_count ub_read_bw ub_write_bw l1_read_bw l1_write_bw l2_read_bw
    l2_write_bw main_mem_read_bw main_mem_write_bw l0a_read_bw l0a_write_bw l0b_read_bw l0b_write_bw l0c_read_bw
    l0c_write_bw l0c_read_bw_cube l0c_write_bw_cube ub_read_bw_vector ub_write_bw_vector ub_read_bw_scalar
    ub_write_bw_scalar vec_bankgroup_cflt_ratio vec_bank_cflt_ratio vec_resc_cflt_ratio write_cache_hit_count
    write_cache_miss_allocate_count r0_read_cache_hit_count r0_read_cache_miss_allocate_count
    r1_read_cache_hit_count r1_read_cache_miss_allocate_count read_main_memory_datas write_main_memory_datas
    gm_to_l1_datas l0c_to_l1_datas l0c_to_gm_datas gm_to_ub_datas ub_to_gm_datas
"""
CORE_METRICS = _METRICS.split()
METRIC_COLUMNS = [f"{core}_{metric}" for core in ("aic", "aiv") for metric in CORE_METRICS]
_table(
    "kernel_metric",
    "PMU counters of one task, a column a documented counter (bandwidths in GB/s, *_datas in KB); NULL = not sampled.",
    "device_task_id! rank_id! " + " ".join(f"{column}:real" for column in METRIC_COLUMNS),
    "device_task_id",
)
_table(
    "kernel_metric_other",
    "PMU counters that have no column in kernel_metric.",
    "device_task_id! rank_id! name_id! value:real",
    "device_task_id",
)
_table(
    "rank_metric",
    "PMU counters a rank recorded, in the order of the source.",
    "rank_id! position! name:text! column_name:text",
    "rank_id",
)
_table(
    "busy_interval",
    "When a device computed, communicated, did only that, or nothing; disjoint within a kind.",
    "id rank_id! device_id! kind! start_ns! end_ns! step_id copy_count copy_ns",
    "rank_id device_id kind start_ns",
)

# --- communication ----------------------------------------------------------------------------------------------------
_table(
    "comm_group",
    "One communication group.",
    "id rank_id! name_id! group_hash:text alias:text rank_count plane_count",
    "rank_id name_id",
)
_table(
    "comm_group_rank",
    "Members of a communication group.",
    "comm_group_id! rank_id! group_rank! rank_no!",
    "comm_group_id",
)
_table(
    "comm_op",
    "One collective (or send, receive) on one rank.",
    """id rank_id! device_id start_ns! end_ns! name_id! comm_group_id op_type_id data_type_id algorithm_id element_count
    rank_count is_relay is_retry connection_no model_no operation_no api_call_id op_id link_rule_id step_id task_step_id
    wait_ns lane!""",
    "rank_id start_ns",
    "op_id",
    "rank_id connection_no",
)
_table(
    "comm_task",
    "One task of a collective; its times are those of its device_task.",
    """id rank_id! device_task_id! comm_op_id comm_group_id name_id type_id plane_no notify_no rdma_type_id src_rank_no
    dst_rank_no transport_id link_type_id data_type_id size_bytes is_master bandwidth:real lane! estimated_us:real""",
    "comm_op_id",
    "device_task_id",
)

# --- memory -----------------------------------------------------------------------------------------------------------
_table(
    "memory_event",
    "One alloc or free as recorded.",
    """id rank_id! device_id component_id! time_ns! name_id address size_bytes! total_allocated_bytes
    total_reserved_bytes total_active_bytes stream_ptr thread_id action_id""",
    "rank_id time_ns",
)
_table(
    "allocation",
    "One allocation from start to release; id keeps the order of the vendor's table.",
    """id rank_id! device_id component_id! name_id size_bytes! start_ns release_ns active_release_ns
    start_allocated_bytes start_reserved_bytes start_active_bytes
    release_allocated_bytes release_reserved_bytes release_active_bytes stream_ptr address op_id step_id""",
    "rank_id start_ns",
    "op_id",
)
_table(
    "memory_record",
    "Totals of a memory component over time; id keeps the order of the vendor's table.",
    "id rank_id! device_id component_id! time_ns! allocated_bytes reserved_bytes active_bytes stream_ptr",
    "rank_id time_ns",
)
_table(
    "module_memory",
    "Memory that a CANN component has reserved over time.",
    "id rank_id! device_id! module_id! time_ns! reserved_bytes!",
    "rank_id time_ns",
)
_table(
    "device_memory",
    "Memory of the device over time.",
    "id rank_id! device_id! scope_id! time_ns! ddr_bytes hbm_bytes",
    "rank_id time_ns",
)

# --- counters ---------------------------------------------------------------------------------------------------------
_table(
    "counter",
    "One hardware or host series, e.g. family HBM, instance 0, name read, unit bytes/s.",
    "id rank_id! device_id family:text! instance_no name:text! unit:text!",
    "rank_id family",
)
_table("counter_sample", "One sample of a counter.", "counter_id! rank_id! time_ns! value:real", "counter_id time_ns")

# --- aclgraph ---------------------------------------------------------------------------------------------------------
_table(
    "graph",
    "One captured graph.",
    "id rank_id! device_id! model_no! generation! captured_ns destroyed_ns",
    "rank_id model_no",
)
_table(
    "graph_stream",
    "Streams of a captured graph.",
    "graph_id! rank_id! model_stream_no! original_stream_no generation!",
    "graph_id",
)
_table(
    "graph_node",
    "One captured task.",
    """id graph_id! rank_id! stream_no! task_no! context_no batch_no kernel_id op_id api_call_id python_call_id
    replay_count total_ns shortest_ns longest_ns""",
    "graph_id",
)
_table(
    "graph_replay",
    "One execution of a graph.",
    """id graph_id! rank_id! replay_no! api_call_id op_id step_id start_ns end_ns task_count! node_count work_ns busy_ns
    pause_ns""",
    "graph_id",
)

# --- sums over the events of a rank; the rows of one key add up -------------------------------------------------------
_table(
    "op_work",
    "What an operator launched, itself and with the operators in it; none if all of this is 0.",
    """id rank_id! inner_ns! work_count! device_ns! device_total_ns! communication_ns! vendor_ns! vendor_total_ns!
    ai_core_ns! ai_core_total_ns!""",
)
_table(
    "op_total",
    "Operators of a rank by name.",
    """rank_id! name_id! call_count! host_total_ns! inner_ns! longest_ns! work_count! device_ns! device_total_ns!
    communication_ns!""",
    "rank_id name_id",
)
_table(
    "module_total",
    "Modules of a rank by name: of operators that carry it, and Python frames `nn.Module: ...`.",
    "rank_id! name_id! is_frame! call_count! host_total_ns! op_count! kernel_count! device_total_ns!",
    "rank_id name_id",
)
_table(
    "kernel_op_total",
    "Kernels of a rank by name and by what launched them.",
    "rank_id! name_id! op_name_id framework_name_id module_name_id call_count! total_ns! longest_ns!",
    "rank_id name_id",
)
_table(
    "kernel_total",
    "Executions of each kernel of a rank.",
    "rank_id! kernel_id! call_count! total_ns! shortest_ns! longest_ns! wait_ns",
    "rank_id kernel_id",
)
_table(
    "step_kernel_total",
    "Kernels of a step by name.",
    "rank_id! step_id name_id! call_count! total_ns!",
    "rank_id step_id name_id",
)
_table(
    "stream_total",
    "Tasks of a stream by type, without those whose sub-tasks are drawn instead.",
    "rank_id! device_id! stream_no! type_id! task_count! total_ns! longest_ns!",
    "rank_id device_id stream_no",
)
_table(
    "busy_total",
    "Busy intervals of a device by kind and step.",
    "rank_id! device_id! kind! step_id interval_count! total_ns! longest_ns!",
    "rank_id device_id kind",
)
_table(
    "api_total",
    "CANN calls of a rank by level and name.",
    "rank_id! level_id! name_id! call_count! total_ns! inner_ns! longest_ns",
    "rank_id name_id",
)

# --- only raw profiles have these -------------------------------------------------------------------------------------
_table(
    "cache_rate",
    "Cache rates of a task; only raw profiles have them.",
    """rank_id! device_task_id device_id! family:text! hit_ratio:real victim_ratio:real miss_ratio:real row_no stream_no
    task_no start_ns end_ns""",
    "rank_id",
    "rank_id start_ns",
)
_table(
    "aicpu_task",
    "One task of the AI CPU; only raw profiles have them.",
    """id rank_id! device_id! time_ns! name_id stream_no task_no compute_ns copy_ns task_ns dispatch_ns total_ns
    device_task_id""",
    "rank_id time_ns",
)
_table(
    "data_queue",
    "One use of a queue of input data by the AI CPU; only raw profiles have them.",
    "id rank_id! device_id! time_ns! name_id source_id index_no size start_us end_us",
    "rank_id time_ns",
)
_table(
    "comm_turn",
    "One phase of a turn of a collective that the AI CPU drives; only raw profiles have them.",
    "rank_id! device_id! start_ns! end_ns! stream_no task_no turn_no turn_count size_bytes name_id!",
    "rank_id start_ns",
)

# --- what analysis.db and OVERLAP_ANALYSIS said, kept to compare with -------------------------------------------------
_table(
    "reference_step",
    "StepTraceTime of analysis.db as it stands there, kept to compare with.",
    """rank_id! source_id! device_id step:text! computing:real communication_not_overlapped:real overlapped:real
    communication:real free:real stage:real bubble:real communication_not_overlapped_and_exclude_receive:real
    preparing:real""",
    "rank_id",
)
_table(
    "reference_comm_time",
    "CommAnalyzerTime of analysis.db as it stands there, kept to compare with.",
    """rank_id! source_id! op_name:text! group_name:text! start_timestamp:real elapse_time:real transit_time:real
    wait_time:real synchronization_time:real idle_time:real step:text type:text""",
    "rank_id",
)
_table(
    "reference_comm_bandwidth",
    "CommAnalyzerBandwidth of analysis.db as it stands there, kept to compare with.",
    """rank_id! source_id! op_name:text! group_name:text! transport_type:text! transit_size:real transit_time:real
    bandwidth:real large_packet_ratio:real package_size:real count:real total_duration:real step:text type:text""",
    "rank_id",
)
_table(
    "reference_comm_matrix",
    "CommAnalyzerMatrix of analysis.db as it stands there, kept to compare with.",
    """rank_id! source_id! op_kind:text! group_name:text! src_rank:text dst_rank:text transport_type:text
    transit_size:real transit_time:real bandwidth:real step:text type:text op_name:text""",
    "rank_id",
)
_table(
    "reference_overlap",
    "OVERLAP_ANALYSIS of the profiler's database as it stands there, kept to compare with.",
    "rank_id! source_id! device_id! kind! start_ns! end_ns!",
    "rank_id device_id kind start_ns",
)
