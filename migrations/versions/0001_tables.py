"""The first tables.

Nobody has an older file.  Published, so never edited; raw text, so that later changes of the metadata cannot change it.
"""

from __future__ import annotations

from textwrap import dedent

from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

DDL = [
    """
    CREATE TABLE run (id INTEGER NOT NULL, name TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (id)) STRICT
    """,
    "CREATE UNIQUE INDEX run__path ON run (path)",
    """
    CREATE TABLE rank (id INTEGER NOT NULL, run_id INTEGER NOT NULL, rank_no INTEGER, rank_origin TEXT NOT NULL,
        device_id INTEGER, host_name TEXT, host_uid TEXT, pid INTEGER, level TEXT, chip_name TEXT,
        framework_version TEXT, cann_version TEXT, schema_version TEXT, session_start_ns INTEGER,
        session_end_ns INTEGER, input_kind TEXT NOT NULL, path TEXT NOT NULL, directory TEXT NOT NULL,
        is_simulated INTEGER NOT NULL, PRIMARY KEY (id)) STRICT
    """,
    "CREATE UNIQUE INDEX rank__path ON rank (path)",
    "CREATE INDEX rank__run_id__rank_no ON rank (run_id, rank_no)",
    """
    CREATE TABLE device (rank_id INTEGER NOT NULL, device_id INTEGER NOT NULL, chip_name TEXT) STRICT
    """,
    "CREATE UNIQUE INDEX device__rank_id__device_id ON device (rank_id, device_id)",
    """
    CREATE TABLE rank_metadata (rank_id INTEGER NOT NULL, source_id INTEGER, name TEXT NOT NULL, value TEXT)
        STRICT
    """,
    "CREATE INDEX rank_metadata__rank_id__name ON rank_metadata (rank_id, name)",
    """
    CREATE TABLE source (id INTEGER NOT NULL, rank_id INTEGER, path TEXT NOT NULL, kind TEXT NOT NULL,
        state TEXT NOT NULL, size_bytes INTEGER NOT NULL, modified_ns INTEGER, fingerprint TEXT,
        record_count INTEGER NOT NULL, loaded_count INTEGER NOT NULL, rejected_count INTEGER NOT NULL,
        note TEXT, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX source__path ON source (path)",
    "CREATE INDEX source__rank_id ON source (rank_id)",
    """
    CREATE TABLE source_table (source_id INTEGER NOT NULL, name TEXT NOT NULL, record_count INTEGER NOT NULL,
        loaded_count INTEGER NOT NULL, rejected_count INTEGER NOT NULL) STRICT
    """,
    "CREATE UNIQUE INDEX source_table__source_id__name ON source_table (source_id, name)",
    """
    CREATE TABLE issue (id INTEGER NOT NULL, source_id INTEGER, rank_id INTEGER, severity TEXT NOT NULL,
        code TEXT NOT NULL, text TEXT NOT NULL, table_name TEXT, first_offset INTEGER, count INTEGER NOT NULL,
        rejected_count INTEGER NOT NULL, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX issue__rank_id ON issue (rank_id)",
    """
    CREATE TABLE string (id INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (id)) STRICT
    """,
    "CREATE UNIQUE INDEX string__value ON string (value)",
    """
    CREATE TABLE stack_frame (stack_id INTEGER NOT NULL, depth INTEGER NOT NULL, string_id INTEGER NOT NULL)
        STRICT
    """,
    "CREATE INDEX stack_frame__stack_id__depth ON stack_frame (stack_id, depth)",
    """
    CREATE TABLE link_rule (id INTEGER NOT NULL, name TEXT NOT NULL, is_vendor INTEGER NOT NULL,
        text TEXT NOT NULL, PRIMARY KEY (id)) STRICT
    """,
    "CREATE UNIQUE INDEX link_rule__name ON link_rule (name)",
    """
    CREATE TABLE event_extent (rank_id INTEGER NOT NULL, table_name TEXT NOT NULL, row_count INTEGER NOT NULL,
        min_start_ns INTEGER, max_end_ns INTEGER, max_duration_ns INTEGER) STRICT
    """,
    "CREATE UNIQUE INDEX event_extent__rank_id__table_name ON event_extent (rank_id, table_name)",
    """
    CREATE TABLE thread (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, pid INTEGER NOT NULL,
        tid INTEGER NOT NULL, name TEXT, is_dequeue INTEGER NOT NULL, op_count INTEGER, queue_count INTEGER,
        python_count INTEGER, api_count INTEGER, mark_count INTEGER, gc_count INTEGER, PRIMARY KEY (id)) STRICT
    """,
    "CREATE UNIQUE INDEX thread__rank_id__pid__tid ON thread (rank_id, pid, tid)",
    """
    CREATE TABLE op (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, start_ns INTEGER NOT NULL,
        end_ns INTEGER NOT NULL, thread_id INTEGER NOT NULL, name_id INTEGER NOT NULL, sequence_no INTEGER,
        forward_thread_no INTEGER, shapes_id INTEGER, dtypes_id INTEGER, stack_id INTEGER, module_id INTEGER,
        parent_id INTEGER, depth INTEGER NOT NULL, step_id INTEGER, lane INTEGER NOT NULL, PRIMARY KEY (id))
        STRICT
    """,
    "CREATE INDEX op__name_id ON op (name_id)",
    "CREATE INDEX op__parent_id ON op (parent_id)",
    "CREATE INDEX op__rank_id__start_ns ON op (rank_id, start_ns)",
    """
    CREATE TABLE queue_task (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, correlation_no INTEGER NOT NULL,
        op_id INTEGER, enqueue_name_id INTEGER, enqueue_start_ns INTEGER, enqueue_end_ns INTEGER,
        enqueue_thread_id INTEGER, dequeue_name_id INTEGER, dequeue_start_ns INTEGER, dequeue_end_ns INTEGER,
        dequeue_thread_id INTEGER, step_id INTEGER, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX queue_task__rank_id__correlation_no ON queue_task (rank_id, correlation_no)",
    "CREATE INDEX queue_task__rank_id__dequeue_start_ns ON queue_task (rank_id, dequeue_start_ns)",
    "CREATE INDEX queue_task__rank_id__enqueue_start_ns ON queue_task (rank_id, enqueue_start_ns)",
    """
    CREATE TABLE python_call (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, start_ns INTEGER NOT NULL,
        end_ns INTEGER NOT NULL, thread_id INTEGER NOT NULL, name_id INTEGER NOT NULL, module_id INTEGER,
        parent_id INTEGER, depth INTEGER NOT NULL, step_id INTEGER, lane INTEGER NOT NULL, PRIMARY KEY (id))
        STRICT
    """,
    "CREATE INDEX python_call__rank_id__start_ns ON python_call (rank_id, start_ns)",
    """
    CREATE TABLE api_call (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, start_ns INTEGER NOT NULL,
        end_ns INTEGER NOT NULL, thread_id INTEGER NOT NULL, level_id INTEGER NOT NULL,
        name_id INTEGER NOT NULL, connection_no INTEGER, mode_id INTEGER, item_id INTEGER, parent_id INTEGER,
        depth INTEGER NOT NULL, lane INTEGER NOT NULL, queue_task_id INTEGER, op_id INTEGER, step_id INTEGER,
        PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX api_call__rank_id__connection_no ON api_call (rank_id, connection_no)",
    "CREATE INDEX api_call__rank_id__start_ns ON api_call (rank_id, start_ns)",
    """
    CREATE TABLE gc_event (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, start_ns INTEGER NOT NULL,
        end_ns INTEGER NOT NULL, thread_id INTEGER NOT NULL, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX gc_event__rank_id__start_ns ON gc_event (rank_id, start_ns)",
    """
    CREATE TABLE mark (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, start_ns INTEGER NOT NULL,
        end_ns INTEGER NOT NULL, thread_id INTEGER NOT NULL, end_thread_id INTEGER, event_type_id INTEGER,
        message_id INTEGER, domain_id INTEGER, category_no INTEGER, range_no INTEGER, connection_no INTEGER,
        lane INTEGER NOT NULL, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX mark__rank_id__start_ns ON mark (rank_id, start_ns)",
    """
    CREATE TABLE step (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, step_no INTEGER NOT NULL,
        start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, device_start_ns INTEGER, device_end_ns INTEGER,
        task_start_ns INTEGER, task_end_ns INTEGER, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX step__rank_id__step_no ON step (rank_id, step_no)",
    """
    CREATE TABLE step_time (rank_id INTEGER NOT NULL, step_id INTEGER, device_id INTEGER NOT NULL,
        computing_ns INTEGER NOT NULL, communication_ns INTEGER NOT NULL,
        communication_not_overlapped_ns INTEGER NOT NULL, free_ns INTEGER NOT NULL, bubble_ns INTEGER NOT NULL,
        first_start_ns INTEGER, last_end_ns INTEGER) STRICT
    """,
    "CREATE INDEX step_time__rank_id__step_id ON step_time (rank_id, step_id)",
    """
    CREATE TABLE stream (rank_id INTEGER NOT NULL, device_id INTEGER NOT NULL, stream_no INTEGER NOT NULL,
        task_count INTEGER NOT NULL) STRICT
    """,
    "CREATE UNIQUE INDEX stream__rank_id__device_id__stream_no ON stream (rank_id, device_id, stream_no)",
    """
    CREATE TABLE device_task (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, device_id INTEGER NOT NULL,
        start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, stream_no INTEGER NOT NULL,
        task_no INTEGER NOT NULL, context_no INTEGER, batch_no INTEGER, model_no INTEGER,
        type_id INTEGER NOT NULL, descriptor_no INTEGER, connection_no INTEGER, kernel_id INTEGER,
        api_call_id INTEGER, op_id INTEGER, link_rule_id INTEGER, launch_no INTEGER, step_id INTEGER,
        wait_ns INTEGER, lane INTEGER NOT NULL, is_covered INTEGER NOT NULL, graph_node_id INTEGER,
        graph_replay_id INTEGER, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX device_task__kernel_id ON device_task (kernel_id)",
    "CREATE INDEX device_task__op_id ON device_task (op_id)",
    "CREATE INDEX device_task__rank_id__connection_no ON device_task (rank_id, connection_no)",
    "CREATE INDEX device_task__rank_id__start_ns ON device_task (rank_id, start_ns)",
    """
    CREATE TABLE kernel (id INTEGER NOT NULL, name_id INTEGER NOT NULL, op_type_id INTEGER, core_id INTEGER,
        block_count INTEGER, mix_block_count INTEGER, input_shapes_id INTEGER, input_dtypes_id INTEGER,
        input_formats_id INTEGER, output_shapes_id INTEGER, output_dtypes_id INTEGER, output_formats_id INTEGER,
        attributes_id INTEGER, state_id INTEGER, hf32_id INTEGER, grid_id INTEGER, block_id INTEGER,
        is_schedule INTEGER NOT NULL, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX kernel__name_id ON kernel (name_id)",
    """
    CREATE TABLE memory_copy (device_task_id INTEGER NOT NULL, rank_id INTEGER NOT NULL, size_bytes INTEGER,
        direction_id INTEGER) STRICT
    """,
    "CREATE INDEX memory_copy__device_task_id ON memory_copy (device_task_id)",
    """
    CREATE TABLE kernel_metric (device_task_id INTEGER NOT NULL, rank_id INTEGER NOT NULL,
        aic_total_time_ns REAL, aic_total_cycles_count REAL, aic_mac_time_ns REAL, aic_mac_ratio REAL,
        aic_vec_time_ns REAL, aic_vec_ratio REAL, aic_scalar_time_ns REAL, aic_scalar_ratio REAL,
        aic_mte1_time_ns REAL, aic_mte1_ratio REAL, aic_mte2_time_ns REAL, aic_mte2_ratio REAL,
        aic_mte3_time_ns REAL, aic_mte3_ratio REAL, aic_fixpipe_time_ns REAL, aic_fixpipe_ratio REAL,
        aic_icache_miss_ratio REAL, aic_mac_fp16_ratio REAL, aic_mac_int8_ratio REAL, aic_cube_fops_count REAL,
        aic_vec_fp32_ratio REAL, aic_vec_fp16_ratio REAL, aic_vec_int32_ratio REAL, aic_vec_misc_ratio REAL,
        aic_vector_fops_count REAL, aic_ub_read_bw REAL, aic_ub_write_bw REAL, aic_l1_read_bw REAL,
        aic_l1_write_bw REAL, aic_l2_read_bw REAL, aic_l2_write_bw REAL, aic_main_mem_read_bw REAL,
        aic_main_mem_write_bw REAL, aic_l0a_read_bw REAL, aic_l0a_write_bw REAL, aic_l0b_read_bw REAL,
        aic_l0b_write_bw REAL, aic_l0c_read_bw REAL, aic_l0c_write_bw REAL, aic_l0c_read_bw_cube REAL,
        aic_l0c_write_bw_cube REAL, aic_ub_read_bw_vector REAL, aic_ub_write_bw_vector REAL,
        aic_ub_read_bw_scalar REAL, aic_ub_write_bw_scalar REAL, aic_vec_bankgroup_cflt_ratio REAL,
        aic_vec_bank_cflt_ratio REAL, aic_vec_resc_cflt_ratio REAL, aic_write_cache_hit_count REAL,
        aic_write_cache_miss_allocate_count REAL, aic_r0_read_cache_hit_count REAL,
        aic_r0_read_cache_miss_allocate_count REAL, aic_r1_read_cache_hit_count REAL,
        aic_r1_read_cache_miss_allocate_count REAL, aic_read_main_memory_datas REAL,
        aic_write_main_memory_datas REAL, aic_gm_to_l1_datas REAL, aic_l0c_to_l1_datas REAL,
        aic_l0c_to_gm_datas REAL, aic_gm_to_ub_datas REAL, aic_ub_to_gm_datas REAL, aiv_total_time_ns REAL,
        aiv_total_cycles_count REAL, aiv_mac_time_ns REAL, aiv_mac_ratio REAL, aiv_vec_time_ns REAL,
        aiv_vec_ratio REAL, aiv_scalar_time_ns REAL, aiv_scalar_ratio REAL, aiv_mte1_time_ns REAL,
        aiv_mte1_ratio REAL, aiv_mte2_time_ns REAL, aiv_mte2_ratio REAL, aiv_mte3_time_ns REAL,
        aiv_mte3_ratio REAL, aiv_fixpipe_time_ns REAL, aiv_fixpipe_ratio REAL, aiv_icache_miss_ratio REAL,
        aiv_mac_fp16_ratio REAL, aiv_mac_int8_ratio REAL, aiv_cube_fops_count REAL, aiv_vec_fp32_ratio REAL,
        aiv_vec_fp16_ratio REAL, aiv_vec_int32_ratio REAL, aiv_vec_misc_ratio REAL, aiv_vector_fops_count REAL,
        aiv_ub_read_bw REAL, aiv_ub_write_bw REAL, aiv_l1_read_bw REAL, aiv_l1_write_bw REAL,
        aiv_l2_read_bw REAL, aiv_l2_write_bw REAL, aiv_main_mem_read_bw REAL, aiv_main_mem_write_bw REAL,
        aiv_l0a_read_bw REAL, aiv_l0a_write_bw REAL, aiv_l0b_read_bw REAL, aiv_l0b_write_bw REAL,
        aiv_l0c_read_bw REAL, aiv_l0c_write_bw REAL, aiv_l0c_read_bw_cube REAL, aiv_l0c_write_bw_cube REAL,
        aiv_ub_read_bw_vector REAL, aiv_ub_write_bw_vector REAL, aiv_ub_read_bw_scalar REAL,
        aiv_ub_write_bw_scalar REAL, aiv_vec_bankgroup_cflt_ratio REAL, aiv_vec_bank_cflt_ratio REAL,
        aiv_vec_resc_cflt_ratio REAL, aiv_write_cache_hit_count REAL, aiv_write_cache_miss_allocate_count REAL,
        aiv_r0_read_cache_hit_count REAL, aiv_r0_read_cache_miss_allocate_count REAL,
        aiv_r1_read_cache_hit_count REAL, aiv_r1_read_cache_miss_allocate_count REAL,
        aiv_read_main_memory_datas REAL, aiv_write_main_memory_datas REAL, aiv_gm_to_l1_datas REAL,
        aiv_l0c_to_l1_datas REAL, aiv_l0c_to_gm_datas REAL, aiv_gm_to_ub_datas REAL, aiv_ub_to_gm_datas REAL)
        STRICT
    """,
    "CREATE INDEX kernel_metric__device_task_id ON kernel_metric (device_task_id)",
    """
    CREATE TABLE kernel_metric_other (device_task_id INTEGER NOT NULL, rank_id INTEGER NOT NULL,
        name_id INTEGER NOT NULL, value REAL) STRICT
    """,
    "CREATE INDEX kernel_metric_other__device_task_id ON kernel_metric_other (device_task_id)",
    """
    CREATE TABLE rank_metric (rank_id INTEGER NOT NULL, position INTEGER NOT NULL, name TEXT NOT NULL,
        column_name TEXT) STRICT
    """,
    "CREATE INDEX rank_metric__rank_id ON rank_metric (rank_id)",
    """
    CREATE TABLE busy_interval (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, device_id INTEGER NOT NULL,
        kind INTEGER NOT NULL, start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, step_id INTEGER,
        PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX busy_interval__rank_id__device_id__kind__start_ns "
    "ON busy_interval (rank_id, device_id, kind, start_ns)",
    """
    CREATE TABLE comm_group (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, name_id INTEGER NOT NULL,
        group_hash TEXT, alias TEXT, rank_count INTEGER, plane_count INTEGER, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX comm_group__rank_id__name_id ON comm_group (rank_id, name_id)",
    """
    CREATE TABLE comm_group_rank (comm_group_id INTEGER NOT NULL, rank_id INTEGER NOT NULL,
        group_rank INTEGER NOT NULL, rank_no INTEGER NOT NULL) STRICT
    """,
    "CREATE INDEX comm_group_rank__comm_group_id ON comm_group_rank (comm_group_id)",
    """
    CREATE TABLE comm_op (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, device_id INTEGER,
        start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL, name_id INTEGER NOT NULL, comm_group_id INTEGER,
        op_type_id INTEGER, data_type_id INTEGER, algorithm_id INTEGER, element_count INTEGER,
        rank_count INTEGER, is_relay INTEGER, is_retry INTEGER, connection_no INTEGER, model_no INTEGER,
        operation_no INTEGER, api_call_id INTEGER, op_id INTEGER, link_rule_id INTEGER, step_id INTEGER,
        task_step_id INTEGER, wait_ns INTEGER, lane INTEGER NOT NULL, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX comm_op__op_id ON comm_op (op_id)",
    "CREATE INDEX comm_op__rank_id__connection_no ON comm_op (rank_id, connection_no)",
    "CREATE INDEX comm_op__rank_id__start_ns ON comm_op (rank_id, start_ns)",
    """
    CREATE TABLE comm_task (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, device_task_id INTEGER NOT NULL,
        comm_op_id INTEGER, comm_group_id INTEGER, name_id INTEGER, type_id INTEGER, plane_no INTEGER,
        notify_no INTEGER, rdma_type_id INTEGER, src_rank_no INTEGER, dst_rank_no INTEGER, transport_id INTEGER,
        link_type_id INTEGER, data_type_id INTEGER, size_bytes INTEGER, is_master INTEGER, bandwidth REAL,
        lane INTEGER NOT NULL, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX comm_task__comm_op_id ON comm_task (comm_op_id)",
    "CREATE INDEX comm_task__device_task_id ON comm_task (device_task_id)",
    """
    CREATE TABLE memory_event (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, device_id INTEGER,
        component_id INTEGER NOT NULL, time_ns INTEGER NOT NULL, name_id INTEGER, address INTEGER,
        size_bytes INTEGER NOT NULL, total_allocated_bytes INTEGER, total_reserved_bytes INTEGER,
        total_active_bytes INTEGER, stream_ptr INTEGER, thread_id INTEGER, action_id INTEGER, PRIMARY KEY (id))
        STRICT
    """,
    "CREATE INDEX memory_event__rank_id__time_ns ON memory_event (rank_id, time_ns)",
    """
    CREATE TABLE allocation (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, device_id INTEGER,
        component_id INTEGER NOT NULL, name_id INTEGER, size_bytes INTEGER NOT NULL, start_ns INTEGER,
        release_ns INTEGER, active_release_ns INTEGER, start_allocated_bytes INTEGER,
        start_reserved_bytes INTEGER, start_active_bytes INTEGER, release_allocated_bytes INTEGER,
        release_reserved_bytes INTEGER, release_active_bytes INTEGER, stream_ptr INTEGER, address INTEGER,
        op_id INTEGER, step_id INTEGER, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX allocation__op_id ON allocation (op_id)",
    "CREATE INDEX allocation__rank_id__start_ns ON allocation (rank_id, start_ns)",
    """
    CREATE TABLE memory_record (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, device_id INTEGER,
        component_id INTEGER NOT NULL, time_ns INTEGER NOT NULL, allocated_bytes INTEGER,
        reserved_bytes INTEGER, active_bytes INTEGER, stream_ptr INTEGER, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX memory_record__rank_id__time_ns ON memory_record (rank_id, time_ns)",
    """
    CREATE TABLE module_memory (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, device_id INTEGER NOT NULL,
        module_id INTEGER NOT NULL, time_ns INTEGER NOT NULL, reserved_bytes INTEGER NOT NULL, PRIMARY KEY (id))
        STRICT
    """,
    "CREATE INDEX module_memory__rank_id__time_ns ON module_memory (rank_id, time_ns)",
    """
    CREATE TABLE device_memory (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, device_id INTEGER NOT NULL,
        scope_id INTEGER NOT NULL, time_ns INTEGER NOT NULL, ddr_bytes INTEGER, hbm_bytes INTEGER,
        PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX device_memory__rank_id__time_ns ON device_memory (rank_id, time_ns)",
    """
    CREATE TABLE counter (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, device_id INTEGER,
        family TEXT NOT NULL, instance_no INTEGER, name TEXT NOT NULL, unit TEXT NOT NULL, PRIMARY KEY (id))
        STRICT
    """,
    "CREATE INDEX counter__rank_id__family ON counter (rank_id, family)",
    """
    CREATE TABLE counter_sample (counter_id INTEGER NOT NULL, rank_id INTEGER NOT NULL,
        time_ns INTEGER NOT NULL, value REAL) STRICT
    """,
    "CREATE INDEX counter_sample__counter_id__time_ns ON counter_sample (counter_id, time_ns)",
    """
    CREATE TABLE graph (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, device_id INTEGER NOT NULL,
        model_no INTEGER NOT NULL, generation INTEGER NOT NULL, captured_ns INTEGER, destroyed_ns INTEGER,
        PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX graph__rank_id__model_no ON graph (rank_id, model_no)",
    """
    CREATE TABLE graph_stream (graph_id INTEGER NOT NULL, rank_id INTEGER NOT NULL,
        model_stream_no INTEGER NOT NULL, original_stream_no INTEGER, generation INTEGER NOT NULL) STRICT
    """,
    "CREATE INDEX graph_stream__graph_id ON graph_stream (graph_id)",
    """
    CREATE TABLE graph_node (id INTEGER NOT NULL, graph_id INTEGER NOT NULL, rank_id INTEGER NOT NULL,
        stream_no INTEGER NOT NULL, task_no INTEGER NOT NULL, context_no INTEGER, batch_no INTEGER,
        kernel_id INTEGER, op_id INTEGER, api_call_id INTEGER, python_call_id INTEGER, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX graph_node__graph_id ON graph_node (graph_id)",
    """
    CREATE TABLE graph_replay (id INTEGER NOT NULL, graph_id INTEGER NOT NULL, rank_id INTEGER NOT NULL,
        replay_no INTEGER NOT NULL, api_call_id INTEGER, op_id INTEGER, step_id INTEGER, start_ns INTEGER,
        end_ns INTEGER, task_count INTEGER NOT NULL, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX graph_replay__graph_id ON graph_replay (graph_id)",
    """
    CREATE TABLE cache_rate (rank_id INTEGER NOT NULL, device_task_id INTEGER, device_id INTEGER NOT NULL,
        family TEXT NOT NULL, hit_ratio REAL, victim_ratio REAL, miss_ratio REAL) STRICT
    """,
    "CREATE INDEX cache_rate__rank_id ON cache_rate (rank_id)",
    """
    CREATE TABLE aicpu_task (id INTEGER NOT NULL, rank_id INTEGER NOT NULL, device_id INTEGER NOT NULL,
        time_ns INTEGER NOT NULL, name_id INTEGER, stream_no INTEGER, task_no INTEGER, compute_ns INTEGER,
        copy_ns INTEGER, task_ns INTEGER, dispatch_ns INTEGER, total_ns INTEGER, PRIMARY KEY (id)) STRICT
    """,
    "CREATE INDEX aicpu_task__rank_id__time_ns ON aicpu_task (rank_id, time_ns)",
    """
    CREATE TABLE reference_step (rank_id INTEGER NOT NULL, source_id INTEGER NOT NULL, device_id INTEGER,
        step TEXT NOT NULL, computing REAL, communication_not_overlapped REAL, overlapped REAL,
        communication REAL, free REAL, stage REAL, bubble REAL,
        communication_not_overlapped_and_exclude_receive REAL, preparing REAL) STRICT
    """,
    "CREATE INDEX reference_step__rank_id ON reference_step (rank_id)",
    """
    CREATE TABLE reference_comm_time (rank_id INTEGER NOT NULL, source_id INTEGER NOT NULL,
        op_name TEXT NOT NULL, group_name TEXT NOT NULL, start_timestamp REAL, elapse_time REAL,
        transit_time REAL, wait_time REAL, synchronization_time REAL, idle_time REAL, step TEXT, type TEXT)
        STRICT
    """,
    "CREATE INDEX reference_comm_time__rank_id ON reference_comm_time (rank_id)",
    """
    CREATE TABLE reference_comm_bandwidth (rank_id INTEGER NOT NULL, source_id INTEGER NOT NULL,
        op_name TEXT NOT NULL, group_name TEXT NOT NULL, transport_type TEXT NOT NULL, transit_size REAL,
        transit_time REAL, bandwidth REAL, large_packet_ratio REAL, package_size REAL, count REAL,
        total_duration REAL, step TEXT, type TEXT) STRICT
    """,
    "CREATE INDEX reference_comm_bandwidth__rank_id ON reference_comm_bandwidth (rank_id)",
    """
    CREATE TABLE reference_comm_matrix (rank_id INTEGER NOT NULL, source_id INTEGER NOT NULL,
        op_kind TEXT NOT NULL, group_name TEXT NOT NULL, src_rank TEXT, dst_rank TEXT, transport_type TEXT,
        transit_size REAL, transit_time REAL, bandwidth REAL, step TEXT, type TEXT, op_name TEXT) STRICT
    """,
    "CREATE INDEX reference_comm_matrix__rank_id ON reference_comm_matrix (rank_id)",
    """
    CREATE TABLE reference_overlap (rank_id INTEGER NOT NULL, source_id INTEGER NOT NULL,
        device_id INTEGER NOT NULL, kind INTEGER NOT NULL, start_ns INTEGER NOT NULL, end_ns INTEGER NOT NULL)
        STRICT
    """,
    "CREATE INDEX reference_overlap__rank_id__device_id__kind__start_ns "
    "ON reference_overlap (rank_id, device_id, kind, start_ns)",
]

# id, name, is_vendor (the vendor's tools make the same link), text
LINK_RULES = [
    (1, "queue", 1, "launch lies in a dequeue: innermost op around the matching enqueue; first task of its launch"),
    (2, "queue_more", 0, "as queue, further tasks of the same launch"),
    (3, "host", 1, "rank without task queue: innermost op around the launch on its thread; first task of its launch"),
    (4, "host_more", 0, "as host, further tasks of the same launch"),
    (5, "host_beside", 0, "rank with task queue, launch in no dequeue: innermost op around the launch on its thread"),
    (6, "capture", 1, "task of a graph with recorded capture: the captured op; first replayed task of that launch"),
    (7, "capture_more", 0, "as capture, further replays"),
    (8, "replay", 0, "task of a graph replay: innermost op around the call that launched the replay"),
]


def upgrade() -> None:
    for statement in DDL:
        op.execute(dedent(statement).strip())
    op.get_bind().exec_driver_sql("INSERT INTO link_rule (id, name, is_vendor, text) VALUES (?, ?, ?, ?)", LINK_RULES)


def downgrade() -> None:
    raise NotImplementedError("npuwh upgrades files and never takes them back: keep a copy of the older file")
