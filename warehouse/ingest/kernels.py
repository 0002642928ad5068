"""What tasks execute: descriptions stored once for all their executions, found again by what they say."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

import numpy as np
import pyarrow as pa

from warehouse import _native
from warehouse.batches.records import KERNEL_SCHEDULE
from warehouse.ingest.link import NONE, LinkStore, LinkTable, Numbers
from warehouse.ingest.rank_load import RankLoad
from warehouse.ingest.strings import ENDS_IN_AICPU_KERNEL, ENDS_IN_AIV_KERNEL, filled
from warehouse.store import Loader, select

# how a kernel counts on its device; the numbers are DeviceSweep's
COMPUTING, UNCOUNTED = 1, 4
# cores whose tasks are no rows of kernel_details.csv (deliverables.md 3)
_NO_DETAILS = ("WRITE_BACK", "INVALID", "HCCL_AI_CPU", "COMMUNICATION")
_REMEMBERED = 4000
_TEXTS = (
    "op_type", "core", "input_shapes", "input_dtypes", "input_formats", "output_shapes", "output_dtypes",
    "output_formats", "attributes", "state", "hf32", "grid", "block",
)  # fmt: skip
_COLUMNS = (
    "name_id", "op_type_id", "core_id", "block_count", "mix_block_count", "input_shapes_id", "input_dtypes_id",
    "input_formats_id", "output_shapes_id", "output_dtypes_id", "output_formats_id", "attributes_id", "state_id",
    "hf32_id", "grid_id", "block_id", "is_schedule",
)  # fmt: skip


class KernelCatalogue:
    """Ids of `kernel` by content, over all ranks of a warehouse; contents are known by a hash of 64 bits."""

    def __init__(self, loader: Loader, links: LinkStore) -> None:
        self._loader = loader
        self._known = links.table("kernel_content", "kernel")
        self._recent: dict[tuple[int, ...], int] = {}
        self._read_existing()

    def ids(self, contents: list[tuple[int, ...]]) -> list[int]:
        """Ids of the contents (columns `_COLUMNS`, NONE for missing); new ones are written."""
        missing = dict.fromkeys(content for content in contents if content not in self._recent)
        if len(self._recent) + len(missing) > _REMEMBERED:
            missing = dict.fromkeys(contents)
            self._recent.clear()
        if missing:
            self._look_up(list(missing))
        return [self._recent[content] for content in contents]

    def forget(self) -> None:
        """Read everything again: rows were taken back."""
        self._recent.clear()
        self._known.clear()
        self._read_existing()

    def _look_up(self, contents: list[tuple[int, ...]]) -> None:
        keys = np.array([_hashed(content) for content in contents], dtype=np.int64)
        (found,) = self._known.find(keys)
        new = [place for place, id_ in enumerate(found.tolist()) if id_ == NONE]
        if new:
            first = self._loader.reserve("kernel", len(new))
            ids = range(first, first + len(new))
            rows = [[None if value == NONE else value for value in contents[place]] for place in new]
            columns: dict[str, Any] = dict(zip(_COLUMNS, map(list, zip(*rows, strict=True)), strict=True))
            self._loader.write("kernel", {"id": list(ids), **columns})
            self._known.add(keys[new], np.array(ids))
            found[new] = np.array(ids)
        self._recent.update(zip(contents, found.tolist(), strict=True))

    def _read_existing(self) -> None:
        if not self._loader.last_id("kernel"):
            return
        cursor = self._loader.connection.execute(*select("kernel", ("id", *_COLUMNS)))
        while rows := cursor.fetchmany(10_000):
            contents = [tuple(NONE if value is None else value for value in row[1:]) for row in rows]
            self._known.add([_hashed(content) for content in contents], [row[0] for row in rows])


def load_kernels(load: RankLoad, catalogue: KernelCatalogue) -> LinkTable:
    """Read the rank's descriptions; the links lead from a descriptor to its kernel, how that counts, its name
    (SCHEDULING for scheduling tasks) and core."""
    links = load.links.table("descriptor", "kernel counts_as name core")
    no_details = load.strings.text_ids(*_NO_DETAILS)
    for batch in load.reader.read("kernel"):
        content = _content(load, batch)
        ids = catalogue.ids(list(zip(*(column.tolist() for column in content), strict=True)))
        forms = load.strings.forms(batch.column("name"))
        is_aiv, is_aicpu = (forms & ENDS_IN_AIV_KERNEL) > 0, (forms & ENDS_IN_AICPU_KERNEL) > 0
        is_schedule = content[-1] == 1
        has_row = ~is_schedule & (~np.isin(content[2], no_details) | is_aiv)
        counts_as = np.where(has_row, np.where(is_aiv | is_aicpu, UNCOUNTED, COMPUTING), NONE)
        name = np.where(is_schedule, _native.SCHEDULING, content[0])
        links.add(batch.column("descriptor_no").to_numpy(), ids, counts_as, name, content[2])
    return links


def _content(load: RankLoad, batch: pa.RecordBatch) -> list[Numbers]:
    """Columns `_COLUMNS`."""
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


def _hashed(content: tuple[int, ...]) -> int:
    """64 bits of the content, as a signed number; two of a million kernels share one in 1 of 40 million warehouses."""
    data = np.array(content, dtype=np.int64).tobytes()
    return int.from_bytes(blake2b(data, digest_size=8).digest(), "big", signed=True)
