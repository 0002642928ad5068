"""Records that need no sweep: marks, garbage collections, stacks, copies, counters, references."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from warehouse import _native
from warehouse.ingest.link import NONE, LinkTable
from warehouse.ingest.rank_load import RankLoad
from warehouse.ingest.strings import filled, nullable
from warehouse.store.loader import Column


def load_stacks(load: RankLoad) -> int:
    """Stream stacks; returns by how much their numbers are moved, so that those of several ranks do not meet."""
    base = load.loader.reserve_stacks(0)
    count = 0
    for batch in load.reader.read("stack_frame"):
        stack = batch.column("stack").to_numpy()
        count = max(count, int(stack.max(initial=-1)) + 1)
        columns: dict[str, Column] = {
            "stack_id": stack + base,
            "depth": batch.column("depth"),
            "string_id": load.strings.required(batch.column("frame")),
        }
        load.loader.write("stack_frame", columns)
    load.loader.reserve_stacks(count)
    return base


def load_gc(load: RankLoad) -> None:
    """Stream garbage collections."""
    for batch in load.reader.read("gc_event"):
        start, end = batch.column("start_ns").to_numpy(), batch.column("end_ns").to_numpy()
        thread = load.thread_ids(batch.column("pid").to_numpy(), batch.column("tid").to_numpy())
        load.count_on_threads("gc_count", thread)
        load.write("gc_event", {"start_ns": start, "end_ns": end, "thread_id": thread}, (start, end))


def load_marks(load: RankLoad) -> None:
    """Stream marks; lanes are within a thread."""
    sweep = _native.LaneSweep()
    for batch in load.reader.read("mark"):
        start, end = batch.column("start_ns").to_numpy(), batch.column("end_ns").to_numpy()
        thread = load.thread_ids(batch.column("pid").to_numpy(), batch.column("tid").to_numpy())
        load.count_on_threads("mark_count", thread)
        columns: dict[str, Column] = {
            "start_ns": start,
            "end_ns": end,
            "thread_id": thread,
            "end_thread_id": nullable(
                load.optional_thread_ids(filled(batch.column("end_pid")), filled(batch.column("end_tid")))
            ),
            "event_type_id": nullable(load.strings.ids(batch.column("event_type"))),
            "message_id": nullable(load.strings.ids(batch.column("message"))),
            "domain_id": nullable(load.strings.ids(batch.column("domain"))),
            "category_no": batch.column("category_no"),
            "range_no": batch.column("range_no"),
            "connection_no": batch.column("connection_no"),
            "lane": np.asarray(sweep.feed(thread, start, end)),
        }
        load.write("mark", columns, (start, end))


def load_copies(load: RankLoad, tasks: LinkTable) -> None:
    """Stream sizes and directions of memory copies."""
    lost = 0
    for records in load.reader.read("memory_copy"):
        (task,) = tasks.find(records.column("task_row").to_numpy())
        known = task != NONE
        lost += int((~known).sum())
        batch = records.filter(pa.array(known))
        columns: dict[str, Column] = {
            "device_task_id": task[known],
            "size_bytes": batch.column("size_bytes"),
            "direction_id": nullable(load.strings.ids(batch.column("direction"))),
            "engine_id": nullable(load.strings.ids(batch.column("engine"))),
        }
        if batch.num_rows:
            load.write("memory_copy", columns)
    if lost:
        load.ledger.take_back("MEMCPY_INFO", lost, "no-task", "belongs to a task that was not loaded")


def load_counters(load: RankLoad) -> None:
    """Stream hardware and host series."""
    base = load.loader.reserve("counter", 0)
    for kind, batch in load.reader.counters():
        if kind == "counter_series":
            load.loader.reserve("counter", batch.num_rows)
            columns: dict[str, Column] = {name: batch.column(name) for name in batch.schema.names if name != "series"}
            load.write("counter", {"id": batch.column("series").to_numpy() + base, **columns})
        else:
            time = batch.column("time_ns").to_numpy()
            load.moments("counter_sample", time)
            load.write(
                "counter_sample",
                {
                    "counter_id": batch.column("series").to_numpy() + base,
                    "time_ns": batch.column("time_ns"),
                    "value": batch.column("value"),
                },
            )


def load_cache_rates(load: RankLoad, tasks: LinkTable) -> None:
    """Stream cache rates of tasks."""
    for batch in load.reader.read("cache_rate"):
        columns: dict[str, Column] = {name: batch.column(name) for name in batch.schema.names if name != "task_row"}
        linked = batch.filter(pc.is_valid(batch.column("start_ns")))
        times = linked.column("start_ns").to_numpy(), linked.column("end_ns").to_numpy()
        load.write(
            "cache_rate", {"device_task_id": _task_ids(tasks, batch), **columns}, times if linked.num_rows else None
        )


def load_aicpu(load: RankLoad, tasks: LinkTable) -> None:
    """Stream tasks of the AI CPU and its uses of queues."""
    for batch in load.reader.read("aicpu_task"):
        parts = ("compute_ns", "copy_ns", "task_ns", "dispatch_ns", "total_ns")
        columns: dict[str, Column] = {
            name: batch.column(name) for name in ("device_id", "time_ns", "stream_no", "task_no", *parts)
        }
        load.write(
            "aicpu_task", {**_new_ids(load, "aicpu_task", batch), "device_task_id": _task_ids(tasks, batch), **columns}
        )
    for batch in load.reader.read("data_queue"):
        names = ("device_id", "time_ns", "index_no", "size", "start_us", "end_us")
        columns = {name: batch.column(name) for name in names}
        texts: dict[str, Column] = {
            f"{name}_id": nullable(load.strings.ids(batch.column(name))) for name in ("name", "source")
        }
        load.write("data_queue", {**_new_ids(load, "data_queue", batch), **texts, **columns})


def load_comm_turns(load: RankLoad) -> None:
    """Stream phases of collectives that the AI CPU drives."""
    for batch in load.reader.read("comm_turn"):
        columns: dict[str, Column] = {name: batch.column(name) for name in batch.schema.names if name != "name"}
        times = batch.column("start_ns").to_numpy(), batch.column("end_ns").to_numpy()
        load.write("comm_turn", {**columns, "name_id": load.strings.required(batch.column("name"))}, times)


def _new_ids(load: RankLoad, table: str, batch: pa.RecordBatch) -> dict[str, Column]:
    last = load.loader.reserve(table, batch.num_rows)
    return {"id": np.arange(last, last + batch.num_rows)}


def _task_ids(tasks: LinkTable, batch: pa.RecordBatch) -> Column:
    (task,) = tasks.find(filled(batch.column("task_row")))
    return nullable(task)


def load_overlap(load: RankLoad) -> None:
    """Stream the vendor's own overlap analysis."""
    for batch in load.reader.read("reference_overlap"):
        columns: dict[str, Column] = {name: batch.column(name) for name in batch.schema.names}
        load.write("reference_overlap", {"source_id": load.source_id, **columns})
