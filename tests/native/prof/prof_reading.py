"""A PROF stream decoded to its end, as plain Python values."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from warehouse import _native

Row = dict[str, Any]
# columns that hold ids of the string table
TEXT_COLUMNS = {
    "msproftx": {"message"},
    "aicpu_preprocess": {"action", "source"},
    "hash": {"value"},
    "type_name": {"name"},
    "tensor_list": {f"{side}_{what}" for side in ("input", "output") for what in ("shapes", "types", "formats")},
}


@dataclass
class Reading:
    """Rows by kind with texts in place of their ids, tensor lists by number, the ledger."""

    rows: dict[str, list[Row]] = field(default_factory=dict)
    tensors: dict[int, Row] = field(default_factory=dict)
    ledger: dict[str, Any] = field(default_factory=dict)

    @property
    def faults(self) -> dict[str, int]:
        """Count of each code."""
        counts: dict[str, int] = {}
        for fault in self.ledger["faults"]:
            counts[fault["code"]] = counts.get(fault["code"], 0) + fault["count"]
        return counts


def _decoded(kind: str, row: Row, texts: dict[int, str]) -> Row:
    columns = TEXT_COLUMNS.get(kind, set())
    return {name: texts.get(value) if name in columns else value for name, value in row.items()}


def read(stream: str, paths: list[Path], **options: Any) -> Reading:
    """Decodes all of it; checks that every byte is accounted for."""
    decoder = _native.ProfDecoder(stream, paths, **options)
    reading, texts = Reading(), {}
    rows: list[tuple[str, pa.RecordBatch]] = []
    lists: list[pa.RecordBatch] = []
    while (batch := decoder.next()) is not None:
        rows.append((decoder.kind, pa.record_batch(batch)))
        while (side := decoder.take("tensor_list")) is not None:
            lists.append(pa.record_batch(side))
        while (strings := decoder.strings()) is not None:
            new = pa.record_batch(strings)
            texts.update(zip(new["id"].to_pylist(), new["value"].to_pylist(), strict=True))
    for kind, columns in rows:
        reading.rows.setdefault(kind, []).extend(_decoded(kind, row, texts) for row in columns.to_pylist())
    reading.tensors = {row["id"]: _decoded("tensor_list", row, texts) for batch in lists for row in batch.to_pylist()}
    reading.ledger = decoder.ledger()
    assert (
        reading.ledger["bytes_seen"]
        == reading.ledger["size_bytes"]
        == sum(path.stat().st_size for path in paths if path.exists())
    )
    return reading


def write_slices(folder: Path, name: str, blobs: list[bytes], first: int = 0) -> list[Path]:
    """`name`.slice_n files with these contents, in order."""
    paths = [folder / f"{name}.slice_{first + number}" for number in range(len(blobs))]
    for path, blob in zip(paths, blobs, strict=True):
        path.write_bytes(blob)
    return paths
