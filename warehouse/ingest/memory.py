"""Memory tables; their rows keep the order of the source."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pyarrow as pa

from warehouse.ingest.link import LinkTable, Numbers
from warehouse.ingest.rank_load import RankLoad
from warehouse.ingest.strings import filled, nullable
from warehouse.store.loader import Column


def load_memory(load: RankLoad, allocation_ops: LinkTable) -> None:
    """Stream the memory records of a rank into their tables."""
    _load_events(load)
    _load_allocations(load, allocation_ops)
    texts = load.strings.required
    for batch in load.reader.read("memory_record"):
        time = batch.column("time_ns").to_numpy()
        names = "device_id time_ns allocated_bytes reserved_bytes active_bytes stream_ptr"
        _write(load, "memory_record", batch, names, {"component_id": texts(batch.column("component"))}, (time, time))
    for batch in load.reader.read("module_memory"):
        time = batch.column("time_ns").to_numpy()
        module = {"module_id": texts(batch.column("module"))}
        _write(load, "module_memory", batch, "device_id time_ns reserved_bytes", module, (time, time))
    for batch in load.reader.read("device_memory"):
        time = batch.column("time_ns").to_numpy()
        scope = {"scope_id": texts(batch.column("scope"))}
        _write(load, "device_memory", batch, "device_id time_ns ddr_bytes hbm_bytes", scope, (time, time))


def _load_events(load: RankLoad) -> None:
    names = (
        "device_id time_ns address size_bytes total_allocated_bytes total_reserved_bytes total_active_bytes stream_ptr"
    )
    for batch in load.reader.read("memory_event"):
        time = batch.column("time_ns").to_numpy()
        ids: Mapping[str, Column] = {
            "component_id": load.strings.required(batch.column("component")),
            "name_id": nullable(load.strings.ids(batch.column("name"))),
            "action_id": nullable(load.strings.ids(batch.column("action"))),
            "thread_id": nullable(load.optional_thread_ids(filled(batch.column("pid")), filled(batch.column("tid")))),
        }
        _write(load, "memory_event", batch, names, ids, (time, time))


def _load_allocations(load: RankLoad, ops: LinkTable) -> None:
    names = (
        "device_id size_bytes start_ns release_ns active_release_ns start_allocated_bytes start_reserved_bytes "
        "start_active_bytes release_allocated_bytes release_reserved_bytes release_active_bytes stream_ptr address"
    )
    for batch in load.reader.read("allocation"):
        op, step = ops.find(batch.column("row").to_numpy())
        start = batch.column("start_ns").to_numpy()
        end = np.maximum(start, filled(batch.column("release_ns")))
        ids: Mapping[str, Column] = {
            "component_id": load.strings.required(batch.column("component")),
            "name_id": nullable(load.strings.ids(batch.column("name"))),
            "op_id": nullable(op),
            "step_id": nullable(step),
        }
        _write(load, "allocation", batch, names, ids, (start, end))


def _write(
    load: RankLoad,
    table: str,
    batch: pa.RecordBatch,
    names: str,
    ids: Mapping[str, Column],
    slices: tuple[Numbers, Numbers],
) -> None:
    columns: dict[str, Column] = {name: batch.column(name) for name in names.split()}
    load.write(table, {**columns, **ids}, slices)
