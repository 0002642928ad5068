"""One Arrow schema a record kind: whoever produces records ends here, whatever it read.

All columns are int64 unless marked.  Text columns hold the reader's own string numbers, declared by `string` records
that come first; a missing value is null, never a magic number.  Times are ns since the Unix epoch on one clock.
`row` is the record's number within its source table, `*_no` a number the profiler gave.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

_TYPES = {"": pa.int64(), "text": pa.string(), "real": pa.float64()}


def _schema(columns: str) -> pa.Schema:
    """`name` int64, `name:text`, `name:real`; `name!` is never null."""
    fields = []
    for spec in columns.split():
        name, _, kind = spec.rstrip("!").partition(":")
        fields.append(pa.field(name, _TYPES[kind], nullable=not spec.endswith("!")))
    return pa.schema(fields)


# kinds of a host event
HOST_OP, HOST_PYTHON, HOST_ENQUEUE, HOST_DEQUEUE, HOST_API, HOST_ALLOCATION = range(6)
# kinds of a device event
DEVICE_TASK, DEVICE_COMM_OP = range(2)
# what a `kernel` record describes: an operator, or a scheduling task of a collective
KERNEL_OPERATOR, KERNEL_SCHEDULE = range(2)

RECORDS: dict[str, pa.Schema] = {
    # text of a string number; numbers may be sparse, texts may repeat
    "string": _schema("id! value:text!"),
    # key-value facts about the rank
    "metadata": _schema("name:text! value:text"),
    # host range of a training step
    "step": _schema("step_no! start_ns! end_ns!"),
    # every range of the host, merged and sorted by start, then longer first.  key: correlation number of a queue event;
    # level: string number of the API level; row of an allocation: its place in `allocation` records; item, mode: what a
    # call handles, and its kind where the name does not tell it; frame_no, outer_frame_no: the tracer's numbers of a
    # Python frame and of the one around it (0: none)
    "host_event": _schema(
        "kind! start_ns! end_ns! pid! tid! name key connection_no level sequence_no forward_thread_no dtypes shapes "
        "stack row! item mode module frame_no outer_frame_no"
    ),
    # one frame of a call stack, depth 0 innermost
    "stack_frame": _schema("stack! depth! frame!"),
    "gc_event": _schema("start_ns! end_ns! pid! tid!"),
    "mark": _schema(
        "start_ns! end_ns! pid! tid! end_pid end_tid event_type message domain category_no range_no connection_no"
    ),
    # what a task descriptor executes
    "kernel": _schema(
        "descriptor_no! kind! name! op_type core block_count mix_block_count input_shapes input_dtypes input_formats "
        "output_shapes output_dtypes output_formats attributes state hf32 grid block symbol"
    ),
    # everything launched under a connection number, sorted by it; then the record the vendor links first (a
    # communication operation before tasks, covered tasks last), then by start.  class: 0 communication operation,
    # 1 task, 2 covered task (its sub-tasks are drawn instead)
    "launch": _schema("connection_no! class! start_ns! end_ns! device_id type"),
    # a captured graph; generation: how often its first stream was captured before.  Sources that tell no captures have
    # none: there a graph is what has a model number
    "graph": _schema("graph_no! device_id! model_no! generation! captured_ns destroyed_ns"),
    "graph_stream": _schema("graph_no! model_stream_no! original_stream_no generation!"),
    # a captured task
    "graph_node": _schema("graph_no! stream_no! batch_no! task_no! context_no descriptor_no! connection_no"),
    # n-th run (from 1) of a graph: the window of its tasks; by device, then by start
    "graph_run": _schema("device_id! model_no! run_no! start_ns! end_ns! task_count! graph_no"),
    # every range of a device, merged and sorted by start; run_no: which run of its graph a graph's task belongs to
    "device_event": _schema(
        "kind! start_ns! end_ns! device_id connection_no descriptor_no type context_no stream_no task_no model_no "
        "is_covered run_no name group op_type data_type algorithm element_count rank_count is_relay is_retry row! "
        "batch_no graph_no"
    ),
    # PMU value of a task; task_row = `row` of its device event; by descriptor, so that a task's values are together
    "task_metric": _schema("task_row name! value:real"),
    # the same as a row a task: a real column a metric follows, in the order of the reader's metric names and named by
    # their place in it, "0", "1" ...; in order of descriptors
    "task_metrics": _schema("task_row!"),
    # size_bytes is null where no sizes were recorded; engine: what the device says the copy was
    "memory_copy": _schema("task_row! size_bytes direction engine"),
    # task of a collective, sorted by start; op_row = `row` of its operation's device event
    "comm_task": _schema(
        "task_row! start_ns! end_ns! name type plane_no group notify_no rdma_type src_rank_no dst_rank_no transport "
        "link_type data_type size_bytes op_row is_master bandwidth:real estimated_us:real"
    ),
    "comm_group": _schema("name:text! alias:text group_rank rank_no rank_count"),
    "memory_event": _schema(
        "component! device_id time_ns! name address size_bytes! total_allocated_bytes total_reserved_bytes "
        "total_active_bytes stream_ptr pid tid action"
    ),
    "allocation": _schema(
        "component! device_id name size_bytes! start_ns! release_ns active_release_ns start_allocated_bytes "
        "start_reserved_bytes start_active_bytes release_allocated_bytes release_reserved_bytes release_active_bytes "
        "stream_ptr address row!"
    ),
    "memory_record": _schema("component! device_id time_ns! allocated_bytes reserved_bytes active_bytes stream_ptr"),
    "module_memory": _schema("device_id! module! time_ns! reserved_bytes!"),
    "device_memory": _schema("device_id! scope! time_ns! ddr_bytes hbm_bytes"),
    # a hardware or host series, e.g. family HBM, instance 0, name read, unit bytes/s; then its values
    "counter_series": _schema("series! device_id family:text! instance_no name:text! unit:text!"),
    "counter": _schema("series! time_ns! value:real"),
    # how a task used a cache: family l2 or tlb; row_no: order of the records of a device
    "cache_rate": _schema(
        "device_id! family:text! row_no! stream_no! task_no! task_row start_ns end_ns hit_ratio:real victim_ratio:real "
        "miss_ratio:real"
    ),
    "aicpu_task": _schema(
        "device_id! time_ns! stream_no! task_no! task_row compute_ns copy_ns task_ns dispatch_ns total_ns"
    ),
    # one use of a queue of input data by the AI CPU; start_us and end_us on a clock of its own
    "data_queue": _schema("device_id! time_ns! name source index_no size start_us end_us"),
    # one phase of a turn of a collective that the AI CPU drives
    "comm_turn": _schema("device_id! start_ns! end_ns! stream_no! task_no! turn_no! turn_count! size_bytes name!"),
    # what the vendor's own analysis said, kept to compare with
    "reference_overlap": _schema("device_id! kind! start_ns! end_ns!"),
}


def batch(kind: str, columns: Sequence[Sequence[Any]]) -> pa.RecordBatch:
    """A record batch of the kind from one Python sequence a column, in the schema's order.

    Raises pa.ArrowInvalid or pa.ArrowTypeError where a value does not fit its column.

    >>> batch("step", [[3], [100], [200]]).num_rows
    1
    """
    schema = RECORDS[kind]
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def rows_of(batches: Iterable[pa.RecordBatch]) -> list[dict[str, Any]]:
    """All rows as dictionaries: for tests and for records that are few.

    >>> rows_of([batch("step", [[3], [100], [200]])])
    [{'step_no': 3, 'start_ns': 100, 'end_ns': 200}]
    """
    return [row for each in batches for row in each.to_pylist()]
