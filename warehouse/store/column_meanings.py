"""What the columns of the tables mean: by name, and by `table.name` where a table means something of its own.

Sources: ascend-db.md and deliverables.md for what is read; the sweeps for what is stored with it.
"""

from __future__ import annotations

import re

_METRIC = re.compile(r"(aic|aiv)_(.+)")


def meaning(table: str, column: str) -> str:
    """The meaning of one column; KeyError for one that nobody has described.

    >>> meaning("step", "step_no"), meaning("kernel_metric", "aic_mac_ratio")
    ('number of the step', 'PMU counter mac_ratio of the cube core')
    """
    if table == "kernel_metric" and (found := _METRIC.fullmatch(column)):
        return f"PMU counter {found[2]} of the {'cube' if found[1] == 'aic' else 'vector'} core"
    return _OF_TABLE.get(f"{table}.{column}") or _ANYWHERE[column]


def _texts(lines: str) -> dict[str, str]:
    pairs = (line.split(maxsplit=1) for line in lines.strip().splitlines())
    return {name: text.strip() for name, text in pairs}


_ANYWHERE = _texts("""
    action_id                     string.id: malloc, free, block free ...
    address                       start of the block
    aic_core_count                cube cores of the device
    aic_mhz                       nominal clock of the cube cores, MHz
    aiv_core_count                vector cores of the device
    aiv_mhz                       nominal clock of the vector cores, MHz
    algorithm_id                  string.id: MESH-RING ...
    ai_core_ns                    of vendor_ns what ran on AI_CORE
    ai_core_total_ns              of vendor_total_ns what ran on AI_CORE
    alias                         name that the framework gave it
    allocated_bytes               allocated
    active_bytes                  active
    active_release_ns             end of use, Unix epoch
    api_call_id                   api_call.id of the launch
    api_count                     CANN calls on it
    attributes_id                 string.id: operator attributes
    bandwidth                     GB/s
    batch_no                      batch
    block_count                   cores used
    block_id                      string.id: SIMT block
    bubble                        us; time in receive operators
    bubble_ns                     time in receive operators
    call_count                    how often it ran
    busy_ns                       time in which any of its captured tasks ran
    cann_version                  CANN
    captured_ns                   when it was captured, Unix epoch
    category_no                   the user's category
    chip_name                     chip
    code                          kind of issue
    column_name                   its column of kernel_metric; none if it is in kernel_metric_other
    comm_group_id                 comm_group.id
    comm_op_id                    comm_op.id it belongs to
    communication                 us; a communication operator ran
    communication_ns              a communication operator ran
    communication_not_overlapped  us; a communication operator ran and no kernel
    communication_not_overlapped_and_exclude_receive  us; the same without receive operators
    communication_not_overlapped_ns  a communication operator ran and no kernel
    component_id                  string.id: PTA, GE, PTA+GE, WORKSPACE ...
    compute_ns                    computing
    computing                     us; a kernel ran
    computing_ns                  a kernel ran
    connection_no                 number that a call and its device records carry
    context_no                    sub-task
    copy_count                    copies that ran in it, of free intervals
    copy_ns                       copying
    core_id                       string.id: AI_CORE, AI_VECTOR_CORE, MIX_AIC ...
    correlation_no                number that both halves carry
    count                         records it concerns
    counter_id                    counter.id
    data_type_id                  string.id: FP16 ...
    ddr_bytes                     DDR in use
    decoded_bytes                 bytes of it that were read; none for databases, of which records are counted
    depth                         number of enclosing rows
    dequeue_end_ns                end of the dequeue, Unix epoch
    dequeue_name_id               string.id: name of the dequeue
    dequeue_start_ns              start of the dequeue, Unix epoch
    dequeue_thread_id             thread.id of the dequeue
    destroyed_ns                  when it was destroyed, Unix epoch
    device_end_ns                 end of the window of its kernels as the text files draw it, Unix epoch
    device_id                     device number
    device_ns                     device time of the kernels and copies it launched itself
    device_start_ns               start of the window of its kernels as the text files draw it, Unix epoch
    device_task_id                device_task.id
    device_total_ns               the same, with those that the operators in it launched, at any depth
    direction_id                  string.id: host to device ...
    directory                     its run directory, as exports name it
    dispatch_ns                   dispatching
    domain_id                     string.id: domain of the mark
    dst_rank                      rank that receives
    dst_rank_no                   rank in the group that receives
    dtypes_id                     string.id: input types
    elapse_time                   ms; from start to end
    element_count                 elements of that type
    end_ns                        end, Unix epoch
    end_thread_id                 thread.id where the range ended
    engine_id                     string.id: what moved it as the device says, SDMA_SQE, PCIE_DMA_SQE
    enqueue_end_ns                end of the enqueue, Unix epoch
    enqueue_name_id               string.id: name of the enqueue
    enqueue_start_ns              start of the enqueue, Unix epoch
    enqueue_thread_id             thread.id of the enqueue
    estimated_us                  how long the library expected it to take
    event_type_id                 string.id: marker, push/pop, start/end, marker_ex
    family                        HBM, LLC, NIC ...
    fingerprint                   digest of its content
    first_offset                  record, or byte, where it was met first
    first_start_ns                start of the first operator, Unix epoch
    forward_thread_no             thread of the forward operator, 0 in forward
    frame_no                      number the tracer's events give it on its thread, from 0
    framework_name_id             string.id: name of the operator that framework_op_id names, or of the operator itself
    framework_op_id               op.id of the nearest operator around it that has :: in its name; none if it is itself
    framework_version             torch_npu; torch of recordings of npuwh
    free                          us; nothing ran between operators
    free_ns                       nothing ran between operators
    gc_count                      garbage collections on it
    generation                    how often its model stream was captured before
    graph_id                      graph.id
    graph_node_id                 graph_node.id it executes
    graph_replay_id               graph_replay.id it belongs to
    grid_id                       string.id: SIMT grid
    group_hash                    number that analysis.db and communication.json use for it, where a source tells it
    group_name                    name, or number, of the group
    group_rank                    rank in the group
    hbm_bytes                     HBM in use
    hf32_id                       string.id: YES or NO: may compute in HF32
    host_name                     host
    host_total_ns                 sum of its own ranges on the host
    host_uid                      number of the host
    id                            rowid; what the *_id of other tables point at
    idle_time                     ms; neither moving nor waiting
    inner_ns                      host time of what lies directly in it
    input_dtypes_id               string.id: input types
    interval_count                intervals
    input_formats_id              string.id: input formats
    input_kind                    what was read: profiler, msprof or analysis database
    input_shapes_id               string.id: input shapes, as recorded
    instance_no                   which of several
    is_covered                    1 = a parent record whose sub-tasks are drawn instead
    is_dequeue                    1 = it takes work from the task queue
    is_frame                      1 = found as a frame of the Python stack; 0 = named by its operators
    is_master                     1 = on the master plane
    is_relay                      1 = relayed
    is_retry                      1 = tried again
    is_schedule                   1 = scheduling task of a collective, not an operator
    is_simulated                  1 = recorded on a simulated device
    is_vendor                     1 = the vendor's tools make the same link
    item_id                       string.id: what it handles, an operator or a model; none for none
    kernel_count                  kernels that the operators in it launched
    kernel_id                     kernel.id
    kind                          0 computing, 1 communication, 2 communication not overlapped, 3 free
    lane                          0, or the extra lane where it nests
    large_packet_ratio            share of large packets
    last_end_ns                   end of the last operator, Unix epoch
    launch_no                     0 for the one task of its launch that the vendor's tools keep, then 1, 2 ...
    level                         profiling level
    level_id                      string.id: acl, model, node, communication, runtime or another
    link_rule_id                  link_rule.id that found the operator
    link_type_id                  string.id: HCCS, PCIE ...
    loaded_count                  records of it that were loaded
    longest_ns                    its longest execution
    mark_count                    marks on it
    max_duration_ns               duration of the longest row
    max_end_ns                    latest end, Unix epoch
    message_id                    string.id: the user's text
    min_start_ns                  earliest start, Unix epoch
    mix_block_count               cores of the other kind used
    mode_id                       string.id: ACL_NN, master ...: kind of a call, where its name does not tell
    model_no                      number of the graph
    model_stream_no               stream that the graph runs on
    modified_ns                   when it was changed last, Unix epoch
    module_id                     string.id: module hierarchy
    module_name_id                string.id: module of the model around the operator
    name                          name
    name_id                       string.id of the name
    node_count                    captured tasks executed; parents of drawn sub-tasks do not count
    note                          why it was left out, or failed
    notify_no                     notification
    op_count                      framework operators on it
    op_id                         op.id that launched it
    op_kind                       kind of operator
    op_name                       operator
    op_name_id                    string.id: operator that launched it
    op_type_id                    string.id: operator type
    operation_no                  number that its tasks carry
    original_stream_no            stream that was captured
    outer_frame_no                that number of the frame around it; 0 = none
    output_dtypes_id              string.id: output types
    output_formats_id             string.id: output formats
    output_shapes_id              string.id: output shapes, as recorded
    overlapped                    us; a kernel and a communication operator ran at once
    package_size                  MB; size of the packets
    parent_id                     id of the row of this table that encloses it on its thread
    pause_ns                      longest time between its start and end in which none of them ran
    pid                           process
    plane_count                   highest plane of its tasks + 1
    plane_no                      plane
    position                      place in the order of the source
    preparing                     us; before the first operator
    python_call_id                python_call.id of the innermost frame around the captured launch
    python_count                  Python frames on it
    queue_count                   entries of the task queue on it, both halves
    queue_task_id                 queue_task.id whose dequeue contains it
    range_no                      number of the range
    rank_count                    ranks that take part
    rank_id                       rank.id of the rank it was recorded on
    rank_no                       rank in the job; none if unknown
    rank_origin                   what told the rank
    rdma_type_id                  string.id: kind of RDMA task
    record_count                  records in it
    rejected_bytes                bytes of it that are damaged, of a form that is not known, or read by nobody
    rejected_count                records of it that were rejected
    release_active_bytes          active in total at the release
    release_allocated_bytes       allocated in total at the release
    release_ns                    release, Unix epoch
    release_reserved_bytes        reserved in total at the release
    replay_count                  how often it was executed
    replay_no                     n-th execution
    reserved_bytes                reserved
    row_count                     its rows
    run_id                        run.id
    schema_version                of the database it came from
    scope_id                      string.id: app (this process) or device (all)
    sequence_no                   pairs a backward operator with its forward one
    session_end_ns                end of the collection, Unix epoch
    session_start_ns              start of the collection, Unix epoch
    severity                      error (something is lost), warning (doubt), info
    shapes_id                     string.id: input shapes
    shortest_ns                   its shortest execution
    size_bytes                    size
    source_id                     source.id of the file it came from
    src_rank                      rank that sends
    src_rank_no                   rank in the group that sends
    stack_id                      stack_frame.stack_id
    stage                         us; the whole stage
    start_active_bytes            active in total at the start
    start_allocated_bytes         allocated in total at the start
    start_ns                      start, Unix epoch
    start_reserved_bytes          reserved in total at the start
    start_timestamp               us; start
    state                         used; left: another form of the same data was used; failed
    state_id                      string.id: static, dynamic
    step                          step, as analysis.db names it
    step_id                       step.id
    step_no                       number of the step
    stream_no                     stream
    stream_ptr                    stream of the block
    string_id                     string.id: the frame
    symbol_id                     string.id: symbol of its binary
    synchronization_time          ms; waiting before the first transfer
    table_name                    table
    task_count                    tasks executed
    task_end_ns                   end of the window of its tasks as analysis.db draws it, Unix epoch
    task_no                       task
    task_ns                       the task
    task_start_ns                 start of the window of its tasks as analysis.db draws it, Unix epoch
    task_step_id                  step.id whose task window holds its start
    text                          what is wrong
    thread_id                     thread.id
    tid                           operating system's number of the thread
    time_ns                       Unix epoch
    total_active_bytes            active in total after it
    total_allocated_bytes         allocated in total after it
    total_duration                ms; in transfers of that size
    total_ns                      all of it
    total_reserved_bytes          reserved in total after it
    transit_size                  MB; moved
    transit_time                  ms; moving
    transport_id                  string.id: transport, SDMA, RDMA, LOCAL ...
    transport_type                transport
    type                          collective or p2p
    turn_count                    turns of the kernel
    turn_no                       turn
    type_id                       string.id: task type
    unit                          unit of the values
    value                         value
    vendor_ns                     device time of all that the vendor's tools link to it
    vendor_total_ns               the same, with what they link to the operators in it, at any depth
    wait_ns                       gap to the row before it in the order of kernel_details.csv
    wait_time                     ms; waiting
    work_count                    kernels and copies it launched itself
    index_no                      number that the record gives
    start_us                      start on a clock of the AI CPU, us
    end_us                        end on that clock, us
    row_no                        order of the record in its files
    work_ns                       sum of their durations
""")

_OF_TABLE = _texts("""
    allocation.name_id            string.id: operator as the vendor names it
    allocation.op_id              op.id that allocated it
    allocation.start_ns           allocation, Unix epoch
    api_call.op_id                op.id of the operator that made it
    comm_group.name_id            string.id: name of the group
    comm_group.rank_count         ranks in it
    comm_group_rank.rank_id       rank.id of the rank that recorded the group
    comm_op.name_id               string.id: instance, such as hcom_allReduce__123_0_1
    comm_op.op_type_id            string.id: hcom_allReduce_ ...
    comm_task.bandwidth           as recorded, bytes/s
    comm_task.size_bytes          bytes moved
    comm_turn.name_id             string.id: algorithm, send tasks, run tasks, computing ...
    comm_turn.size_bytes          bytes of the turn
    counter_sample.value          in the unit of its counter
    graph_node.api_call_id        api_call.id of the captured launch
    graph_node.op_id              op.id that was captured
    graph_node.total_ns           sum of its executions
    graph_replay.api_call_id      api_call.id that launched it
    graph_replay.op_id            op.id around that call
    link_rule.text                the rule
    memory_copy.size_bytes        bytes copied
    memory_event.size_bytes       positive: alloc, negative: free
    module_memory.module_id       string.id: SLOG, HCCL, RUNTIME ...
    queue_task.op_id              op.id of the innermost operator around the enqueue
    rank.device_id                its device, the first of several; none if no device was recorded
    rank.id                       rank.id: number of this rank in this file (rank_no is that in the job)
    rank.path                     input it was read from
    rank_metadata.source_id       source.id of the file that says it
    reference_comm_bandwidth.bandwidth  GB/s
    reference_comm_bandwidth.count  packets of that size
    reference_step.device_id      device number
    run.path                      folder that its rank directories share; " (2)" after it: second profiles of its ranks
    source.kind                   what the file is
    source.path                   the file
    source_table.name             table in the file
    stack_frame.depth             0 = the innermost
    stack_frame.stack_id          number of the call stack
    step.start_ns                 start on the host, Unix epoch
    step.end_ns                   end on the host, Unix epoch
    step_time.step_id             step.id; none without steps
    string.value                  the text
    api_total.total_ns            sum of durations
    busy_interval.copy_ns         time in it in which any of them ran
    busy_interval.step_id         step.id: in whose device window it starts
    busy_total.total_ns           sum of their lengths
    kernel_op_total.total_ns      sum of durations
    kernel_total.total_ns         sum of durations
    kernel_total.wait_ns          sum of the gaps to the row before in kernel_details.csv
    module_total.device_total_ns  their device time
    module_total.op_count         operators in it, at any depth
    op_total.communication_ns     communication operators it launched itself
    op_work.communication_ns      communication operators it launched itself
    op_work.id                    op.id
    step_kernel_total.total_ns    sum of durations
    stream_total.total_ns         sum of durations
    thread.rank_id                rank.id of the rank it belongs to
    data_queue.name_id            string.id: what was done, or the node that waited
    data_queue.source_id          string.id: the queue
    data_queue.time_ns            time of the record, Unix epoch
    data_queue.size               fill of the queue
    cache_rate.family             l2 or tlb
    cache_rate.hit_ratio          hits / requests
    cache_rate.start_ns           start of the execution that it counts, Unix epoch; none where that cannot be told
    cache_rate.end_ns             its end
    cache_rate.victim_ratio       victims / requests; of L2
    cache_rate.miss_ratio         misses / requests; of address translation
    cache_rate.device_task_id     device_task.id; none where the execution cannot be told
""")
