"""What tasks execute: descriptions stored once for all their executions, found again by what they say."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.batches.records import KERNEL_SCHEDULE
from warehouse.ingest.link import NONE, LinkTable, Numbers
from warehouse.ingest.rank_load import RankLoad
from warehouse.ingest.strings import ENDS_IN_AICPU_KERNEL, ENDS_IN_AIV_KERNEL, filled, is_one_of, nullable
from warehouse.store import Loader, select
from warehouse.store.loader import Column

# how a kernel counts on its device; the numbers are DeviceSweep's
COMPUTING, UNCOUNTED = 1, 4
# cores whose tasks are no rows of kernel_details.csv (deliverables.md 3)
_NO_DETAILS = ("WRITE_BACK", "INVALID", "HCCL_AI_CPU", "COMMUNICATION")
_ROWS = 10_000
_TEXTS = (
    "op_type", "core", "input_shapes", "input_dtypes", "input_formats", "output_shapes", "output_dtypes",
    "output_formats", "attributes", "state", "hf32", "grid", "block", "symbol",
)  # fmt: skip
KERNEL_COLUMNS = (
    "name_id", "op_type_id", "core_id", "block_count", "mix_block_count", "input_shapes_id", "input_dtypes_id",
    "input_formats_id", "output_shapes_id", "output_dtypes_id", "output_formats_id", "attributes_id", "state_id",
    "hf32_id", "grid_id", "block_id", "symbol_id", "is_schedule",
)  # fmt: skip


class KernelCatalogue:
    """Ids of `kernel` by content, over all ranks of a warehouse; contents are known by a hash, 24 bytes a kernel."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader
        self._known = _native.ContentIds()
        self._read_existing()

    def ids(self, contents: list[Numbers]) -> Numbers:
        """Ids of rows of the columns `KERNEL_COLUMNS`, NONE for missing; new ones are written."""
        found, fresh = (np.asarray(column) for column in self._known.ids(contents))
        if len(fresh):
            columns: dict[str, Column] = {
                name: nullable(column[fresh]) for name, column in zip(KERNEL_COLUMNS, contents, strict=True)
            }
            self._loader.reserve("kernel", len(fresh))
            self._loader.write("kernel", {"id": found[fresh], **columns})
        return found

    def forget(self) -> None:
        """Kernels that were taken back are unknown again."""
        self._known.rewind(self._loader.last_id("kernel"))

    def _read_existing(self) -> None:
        if not self._loader.last_id("kernel"):
            return
        cursor = self._loader.before.execute(*select("kernel", ("id", *KERNEL_COLUMNS)))
        while rows := cursor.fetchmany(_ROWS):
            columns = [[NONE if value is None else value for value in column] for column in zip(*rows, strict=True)]
            ids, *contents = np.array(columns, dtype=np.int64)
            self._known.remember(ids, contents)


def load_kernels(load: RankLoad, catalogue: KernelCatalogue) -> LinkTable:
    """Read the rank's descriptions; the links lead from a descriptor to its kernel, how that counts, its name
    (SCHEDULING for scheduling tasks) and core."""
    links = load.links.table("kernel counts_as name core")
    no_details = load.strings.text_ids(*_NO_DETAILS)
    for batch in load.reader.read("kernel"):
        content = _content(load, batch)
        ids = catalogue.ids(content)
        forms = load.strings.forms(batch.column("name"))
        is_aiv, is_aicpu = (forms & ENDS_IN_AIV_KERNEL) > 0, (forms & ENDS_IN_AICPU_KERNEL) > 0
        is_schedule = content[-1] == 1
        has_row = ~is_schedule & (~is_one_of(content[2], no_details) | is_aiv)
        counts_as = np.where(has_row, np.where(is_aiv | is_aicpu, UNCOUNTED, COMPUTING), NONE)
        name = np.where(is_schedule, _native.SCHEDULING, content[0])
        links.add(batch.column("descriptor_no").to_numpy(), ids, counts_as, name, content[2])
    return links


def _content(load: RankLoad, batch: pa.RecordBatch) -> list[Numbers]:
    """Columns `KERNEL_COLUMNS`."""
    texts = {name: load.strings.ids_unless_missing(batch.column(name)) for name in _TEXTS}
    op_type, core = texts.pop("op_type"), texts.pop("core")
    return [
        load.strings.required(batch.column("name")),
        op_type,
        core,
        filled(batch.column("block_count")),
        filled(batch.column("mix_block_count")),
        *texts.values(),
        (batch.column("kind").to_numpy() == KERNEL_SCHEDULE).astype(np.int64),
    ]
