"""The warehouse's tables as SQLAlchemy metadata: one place that names every column and its unit.

Grain and meaning stand beside each table.  Conventions: `id` is the rowid (an alias, so that a VACUUM keeps stored
links); `*_id` points at `id` of the table or of `string` (text columns end in `_id` where they are interned); `*_no` is
a number the profiler gave (stream, task, rank); units are suffixes: `_ns` since the Unix epoch, `_bytes`, `_count`,
`_ratio`.
Every fact carries `rank_id`.  Missing is NULL, never a magic number.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import REAL, Column, Index, Integer, MetaData, Table, Text

metadata = MetaData()

APPLICATION_ID = 0x4E505748  # "NPWH": marks the file as a warehouse of ours


def _column(spec: str) -> Column[Any]:
    """`name`, `name!` (NOT NULL), `name:text`, `name:real`; `id` is the primary key."""
    required = spec.endswith("!")
    name, _, kind = spec.rstrip("!").partition(":")
    if name == "id":
        return Column("id", Integer, primary_key=True)
    sql_type = {"": Integer, "text": Text, "real": REAL}[kind]
    return Column(name, sql_type(), nullable=not required)


def _table(name: str, columns: str, *indexes: str, unique: tuple[str, ...] = ()) -> Table:
    built = Table(name, metadata, *map(_column, columns.split()), sqlite_strict=True)
    for spec in indexes + unique:
        keys = spec.split()
        Index(f"{name}__{'__'.join(keys)}", *(built.c[key] for key in keys), unique=spec in unique)
    return built


# --- catalogue --------------------------------------------------------------------------------------------------------
# one profiling session of one job; `path` is the folder its rank directories share
run = _table("run", "id name:text! path:text!", unique=("path",))
# one rank of a run; session_* is the collection window; `directory` the rank's run directory, as it is named in exports
rank = _table(
    "rank",
    """id run_id! rank_no rank_origin:text! device_id host_name:text host_uid:text pid level:text chip_name:text
    framework_version:text cann_version:text schema_version:text session_start_ns session_end_ns
    input_kind:text! path:text! directory:text! is_simulated!""",
    "run_id rank_no",
    unique=("path",),
)
device = _table("device", "rank_id! device_id! chip_name:text", unique=("rank_id device_id",))
rank_metadata = _table("rank_metadata", "rank_id! source_id name:text! value:text", "rank_id name")
# one input file; records = loaded + rejected; state: used, left (another form of the same data was used), failed
source = _table(
    "source",
    """id rank_id path:text! kind:text! state:text! size_bytes! modified_ns fingerprint:text
    record_count! loaded_count! rejected_count! note:text""",
    "rank_id",
    "path",
)
# one table (or stream) of a source
source_table = _table(
    "source_table", "source_id! name:text! record_count! loaded_count! rejected_count!", unique=("source_id name",)
)
# every loss and every doubt; severity: error, warning, info; count = how many records it concerns
issue = _table(
    "issue",
    "id source_id rank_id severity:text! code:text! text:text! table_name:text first_offset count! rejected_count!",
    "rank_id",
)
string = _table("string", "id value:text!", unique=("value",))
# one frame of a call stack; depth 0 is the innermost
stack_frame = _table("stack_frame", "stack_id! depth! string_id!", "stack_id depth")
# how a device record found its op; is_vendor = the vendor's tools make the same link
link_rule = _table("link_rule", "id name:text! is_vendor! text:text!", unique=("name",))
# longest slice of an event table of a rank: bounds how far a window has to look back
event_extent = _table(
    "event_extent", "rank_id! table_name:text! row_count! min_start_ns max_end_ns max_duration_ns",
    unique=("rank_id table_name",),
)

# --- host -------------------------------------------------------------------------------------------------------------
# one host thread; is_dequeue = it takes work from the task queue; *_count: what was recorded on it (queue: both halves)
thread = _table(
    "thread",
    """id rank_id! pid! tid! name:text is_dequeue! op_count queue_count python_count api_count mark_count gc_count""",
    unique=("rank_id pid tid",),
)
# one framework operator range
op = _table(
    "op",
    """id rank_id! start_ns! end_ns! thread_id! name_id! sequence_no forward_thread_no shapes_id dtypes_id stack_id
    module_id parent_id depth! step_id lane!""",
    "rank_id start_ns", "parent_id", "name_id",
)
# one task that went through the host task queue; either half may be missing; op_id = innermost op around the enqueue
queue_task = _table(
    "queue_task",
    """id rank_id! correlation_no! op_id
    enqueue_name_id enqueue_start_ns enqueue_end_ns enqueue_thread_id
    dequeue_name_id dequeue_start_ns dequeue_end_ns dequeue_thread_id step_id""",
    "rank_id correlation_no", "rank_id enqueue_start_ns", "rank_id dequeue_start_ns",
)
# one Python frame
python_call = _table(
    "python_call",
    "id rank_id! start_ns! end_ns! thread_id! name_id! module_id parent_id depth! step_id lane!",
    "rank_id start_ns",
)
# one CANN API call; level: acl, model, node, communication, runtime, else other
api_call = _table(
    "api_call",
    """id rank_id! start_ns! end_ns! thread_id! level_id! name_id! connection_no mode_id item_id
    parent_id depth! lane! queue_task_id op_id step_id""",
    "rank_id start_ns", "rank_id connection_no",
)
gc_event = _table("gc_event", "id rank_id! start_ns! end_ns! thread_id!", "rank_id start_ns")
# one mstx mark or range
mark = _table(
    "mark",
    """id rank_id! start_ns! end_ns! thread_id! end_thread_id event_type_id message_id domain_id category_no range_no
    connection_no lane!""",
    "rank_id start_ns",
)
# one training step.  start/end: host range.  device_*: window of its kernels as the text deliverables draw it
# (deliverables.md section 6); task_*: as analysis.db draws it (ascend-db.md section 10)
step = _table(
    "step",
    "id rank_id! step_no! start_ns! end_ns! device_start_ns device_end_ns task_start_ns task_end_ns",
    "rank_id step_no",
)
# what a device did in a step's task_* window, operators counted in the step in which they start
step_time = _table(
    "step_time",
    """rank_id! step_id device_id! computing_ns! communication_ns! communication_not_overlapped_ns! free_ns! bubble_ns!
    first_start_ns last_end_ns""",
    "rank_id step_id",
)

# --- device -----------------------------------------------------------------------------------------------------------
stream = _table("stream", "rank_id! device_id! stream_no! task_count!", unique=("rank_id device_id stream_no",))
# one execution of a task on a device.  type_id: raw task type (KERNEL_AICORE, EVENT_WAIT ...).  descriptor_no groups
# the executions of one task (globalTaskId).  wait_ns: gap to the row before it in kernel_details order (kernels only).
# launch_no: 0 for the one task of its launch that the vendor's tools keep, then 1, 2 ...
# is_covered = a parent record whose sub-tasks are drawn instead
device_task = _table(
    "device_task",
    """id rank_id! device_id! start_ns! end_ns! stream_no! task_no! context_no batch_no model_no type_id! descriptor_no
    connection_no kernel_id api_call_id op_id link_rule_id launch_no step_id wait_ns lane! is_covered!
    graph_node_id graph_replay_id""",
    "rank_id start_ns", "op_id", "kernel_id", "rank_id connection_no",
)
# what a kernel is, once for all its executions.  core: AI_CORE, AI_VECTOR_CORE, MIX_AIC ...
# is_schedule = scheduling task of a collective, not an operator
kernel = _table(
    "kernel",
    """id name_id! op_type_id core_id block_count mix_block_count input_shapes_id input_dtypes_id input_formats_id
    output_shapes_id output_dtypes_id output_formats_id attributes_id state_id hf32_id grid_id block_id is_schedule!""",
    "name_id",
)
memory_copy = _table("memory_copy", "device_task_id! rank_id! size_bytes direction_id", "device_task_id")

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
# PMU counters of one task, a column a documented counter (bandwidths GB/s, *_datas KB); NULL = not sampled
kernel_metric = _table(
    "kernel_metric",
    "device_task_id! rank_id! " + " ".join(f"{column}:real" for column in METRIC_COLUMNS),
    "device_task_id",
)
# counters that have no column above
kernel_metric_other = _table(
    "kernel_metric_other", "device_task_id! rank_id! name_id! value:real", "device_task_id"
)
# counters a rank recorded, in the order of the source; column_name is NULL for those in kernel_metric_other
rank_metric = _table("rank_metric", "rank_id! position! name:text! column_name:text", "rank_id")
# computing (0), communication (1), communication not overlapped by computing (2), free (3): disjoint within a kind
busy_interval = _table(
    "busy_interval", "id rank_id! device_id! kind! start_ns! end_ns! step_id", "rank_id device_id kind start_ns"
)

# --- communication ----------------------------------------------------------------------------------------------------
# group_hash: the number analysis.db and communication.json use in place of the name, where a source tells it;
# plane_count: highest plane of its tasks + 1
comm_group = _table(
    "comm_group", "id rank_id! name_id! group_hash:text alias:text rank_count plane_count", "rank_id name_id"
)
comm_group_rank = _table("comm_group_rank", "comm_group_id! rank_id! group_rank! rank_no!", "comm_group_id")
comm_op = _table(
    "comm_op",
    """id rank_id! device_id start_ns! end_ns! name_id! comm_group_id op_type_id data_type_id algorithm_id element_count
    rank_count is_relay is_retry connection_no model_no operation_no api_call_id op_id link_rule_id step_id task_step_id
    wait_ns lane!""",
    "rank_id start_ns", "op_id", "rank_id connection_no",
)
# one task of a collective; its times are those of its device_task
comm_task = _table(
    "comm_task",
    """id rank_id! device_task_id! comm_op_id comm_group_id name_id type_id plane_no notify_no rdma_type_id src_rank_no
    dst_rank_no transport_id link_type_id data_type_id size_bytes is_master bandwidth:real lane!""",
    "comm_op_id", "device_task_id",
)

# --- memory -----------------------------------------------------------------------------------------------------------
# one alloc (size > 0) or free (size < 0) as recorded
memory_event = _table(
    "memory_event",
    """id rank_id! device_id component_id! time_ns! name_id address size_bytes! total_allocated_bytes
    total_reserved_bytes total_active_bytes stream_ptr thread_id action_id""",
    "rank_id time_ns",
)
# one allocation from start to release; id keeps the order of the vendor's table; name_id as the vendor names it
allocation = _table(
    "allocation",
    """id rank_id! device_id component_id! name_id size_bytes! start_ns release_ns active_release_ns
    start_allocated_bytes start_reserved_bytes start_active_bytes
    release_allocated_bytes release_reserved_bytes release_active_bytes stream_ptr address op_id step_id""",
    "rank_id start_ns", "op_id",
)
# totals of a component over time; id keeps the order of the vendor's table
memory_record = _table(
    "memory_record",
    "id rank_id! device_id component_id! time_ns! allocated_bytes reserved_bytes active_bytes stream_ptr",
    "rank_id time_ns",
)
module_memory = _table("module_memory", "id rank_id! device_id! module_id! time_ns! reserved_bytes!", "rank_id time_ns")
# scope: app or device
device_memory = _table(
    "device_memory", "id rank_id! device_id! scope_id! time_ns! ddr_bytes hbm_bytes", "rank_id time_ns"
)

# --- counters ---------------------------------------------------------------------------------------------------------
# one hardware or host series, e.g. family HBM, instance 0, name read, unit bytes/s
counter = _table("counter", "id rank_id! device_id family:text! instance_no name:text! unit:text!", "rank_id family")
counter_sample = _table("counter_sample", "counter_id! rank_id! time_ns! value:real", "counter_id time_ns")

# --- aclgraph ---------------------------------------------------------------------------------------------------------
# one captured graph; generation counts how often its model stream was captured before
graph = _table("graph", "id rank_id! device_id! model_no! generation! captured_ns destroyed_ns", "rank_id model_no")
graph_stream = _table("graph_stream", "graph_id! rank_id! model_stream_no! original_stream_no generation!", "graph_id")
# one captured task; op_id/api_call_id = the operator and launch that were captured
graph_node = _table(
    "graph_node",
    "id graph_id! rank_id! stream_no! task_no! context_no batch_no kernel_id op_id api_call_id python_call_id",
    "graph_id",
)
# n-th execution of a graph: the launching call and the window of its tasks
graph_replay = _table(
    "graph_replay", "id graph_id! rank_id! replay_no! api_call_id op_id step_id start_ns end_ns task_count!", "graph_id"
)

# --- only raw profiles have these -------------------------------------------------------------------------------------
cache_rate = _table(
    "cache_rate",
    "rank_id! device_task_id device_id! family:text! hit_ratio:real victim_ratio:real miss_ratio:real",
    "rank_id",
)
aicpu_task = _table(
    "aicpu_task",
    """id rank_id! device_id! time_ns! name_id stream_no task_no compute_ns copy_ns task_ns dispatch_ns total_ns""",
    "rank_id time_ns",
)

# --- what analysis.db and OVERLAP_ANALYSIS said, kept to compare with -------------------------------------------------
reference_step = _table(
    "reference_step",
    """rank_id! source_id! device_id step:text! computing:real communication_not_overlapped:real overlapped:real
    communication:real free:real stage:real bubble:real communication_not_overlapped_and_exclude_receive:real
    preparing:real""",
    "rank_id",
)
reference_comm_time = _table(
    "reference_comm_time",
    """rank_id! source_id! op_name:text! group_name:text! start_timestamp:real elapse_time:real transit_time:real
    wait_time:real synchronization_time:real idle_time:real step:text type:text""",
    "rank_id",
)
reference_comm_bandwidth = _table(
    "reference_comm_bandwidth",
    """rank_id! source_id! op_name:text! group_name:text! transport_type:text! transit_size:real transit_time:real
    bandwidth:real large_packet_ratio:real package_size:real count:real total_duration:real step:text type:text""",
    "rank_id",
)
reference_comm_matrix = _table(
    "reference_comm_matrix",
    """rank_id! source_id! op_kind:text! group_name:text! src_rank:text dst_rank:text transport_type:text
    transit_size:real transit_time:real bandwidth:real step:text type:text op_name:text""",
    "rank_id",
)
reference_overlap = _table(
    "reference_overlap", "rank_id! source_id! device_id! kind! start_ns! end_ns!", "rank_id device_id kind start_ns"
)
