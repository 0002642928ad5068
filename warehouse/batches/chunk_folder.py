"""A folder of chunks as a recording leaves it: the manifest, complete chunks, and what a killed process left open."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from warehouse.batches.recorded import RECORDED
from warehouse.errors import InputError

MANIFEST = "manifest.json"
_CHUNK = re.compile(r"(?P<table>[a-z_]+)-(?P<number>\d+)\.arrows(?P<open>\.part)?")
_LARGEST_MANIFEST = 64 << 20
_FRAME_BYTES = 8  # of a message: the continuation mark and the length of its metadata
_END = b"\xff\xff\xff\xff\0\0\0\0"
_SUM, _NO_SUM = b"crc32", b"0" * 8


@dataclass
class Chunk:
    """One file; what reading it came to stands in `rows`, `batches`, `good_bytes` and `fault` afterwards."""

    path: Path
    table: str
    number: int
    is_complete: bool
    listed_rows: int | None = None  # as the manifest has it
    size: int = 0
    rows: int = 0
    batches: int = 0
    good_bytes: int = 0
    fault: str | None = None


@dataclass
class ChunkFolder:
    """Chunks by table in their order, and what the manifest says.

    `state` is "complete", "disk-budget" or "disk-error" as the recorder ended it, or "recording" if nobody did.
    """

    path: Path
    pid: int | None = None
    state: str = "recording"
    reason: str = ""
    facts: dict[str, Any] = field(default_factory=dict)
    ticks: str = "counter"
    anchors: list[tuple[int, int, int]] = field(default_factory=list)
    lost_events: int = 0
    lost_frames: int = 0
    chunks: list[Chunk] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # listed in the manifest, but not there
    unknown: list[Path] = field(default_factory=list)

    def of(self, table: str) -> list[Chunk]:
        """Chunks of a table, oldest first."""
        return [chunk for chunk in self.chunks if chunk.table == table]


def open_chunk_folder(path: Path) -> ChunkFolder:
    """What lies in the folder; a manifest that is missing or damaged leaves its defaults.

    InputError if the folder cannot be read.
    """
    folder = ChunkFolder(path)
    try:
        entries = sorted(path.iterdir())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    listed = _read_manifest(path / MANIFEST, folder)
    for entry in entries:
        match = _CHUNK.fullmatch(entry.name)
        if match is None or match["table"] not in RECORDED or entry.is_symlink() or not entry.is_file():
            if entry.name not in (MANIFEST, f"{MANIFEST}.part"):
                folder.unknown.append(entry)
            continue
        rows = listed.pop(entry.name, None)
        folder.chunks.append(
            Chunk(entry, match["table"], int(match["number"]), match["open"] is None, rows, entry.stat().st_size)
        )
    folder.chunks.sort(key=lambda chunk: (chunk.table, chunk.number))
    folder.missing = sorted(listed)
    return folder


def _read_manifest(path: Path, folder: ChunkFolder) -> dict[str, int]:
    """Fills the folder; returns the rows of each chunk that the manifest lists."""
    try:
        if path.is_symlink() or path.stat().st_size > _LARGEST_MANIFEST:
            return {}
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    if not isinstance(content, dict):
        return {}
    folder.state = str(content.get("state", folder.state))
    folder.reason = str(content.get("reason", ""))
    folder.pid = _count(content.get("pid")) or None
    folder.ticks = str(content.get("ticks", folder.ticks))
    facts, lost, chunks = content.get("facts"), content.get("lost"), content.get("chunks")
    folder.facts = facts if isinstance(facts, dict) else {}
    if isinstance(lost, dict):
        folder.lost_events, folder.lost_frames = _count(lost.get("events")), _count(lost.get("frames"))
    for anchor in content.get("anchors") or []:
        if isinstance(anchor, list) and len(anchor) == 3 and all(isinstance(each, int) for each in anchor):
            folder.anchors.append((anchor[0], anchor[1], anchor[2]))
    return {
        each["file"]: _count(each.get("rows"))
        for each in (chunks if isinstance(chunks, list) else [])
        if isinstance(each, dict) and isinstance(each.get("file"), str)
    }


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value >= 0 else 0


def read_chunk(chunk: Chunk) -> Iterator[pa.RecordBatch]:
    """The whole batches of a chunk, up to the first one that is cut or damaged: `chunk.fault` says what it is.

    A process that was killed leaves such a tail, and a machine that stops a file whose end is zeros.
    """
    chunk.rows = chunk.batches = chunk.good_bytes = 0
    chunk.fault = None
    schema = RECORDED[chunk.table]
    if not chunk.size:
        chunk.fault = "is empty"
        return
    try:
        with pa.memory_map(str(chunk.path), "r") as file:  # so that no damaged length makes anything allocate
            content = file.read_buffer()
            whole, chunk.size = memoryview(content).cast("B"), content.size
            source = pa.BufferReader(content)
            stream = pa.ipc.open_stream(source)
            if not stream.schema.equals(schema):
                chunk.fault = f"has other columns than {chunk.table} chunks have"
                return
            chunk.good_bytes = source.tell()
            while (found := _next_batch(stream)) is not None:
                batch, metadata = found
                if not _is_as_written(whole[chunk.good_bytes : source.tell()], metadata):
                    chunk.fault = "has a batch that is not as it was written (by its check sum)"
                    return
                batch.validate(full=True)
                chunk.rows += batch.num_rows
                chunk.batches += 1
                chunk.good_bytes = source.tell()
                yield batch
            has_end = whole[chunk.good_bytes :] == _END
    except (pa.ArrowException, OSError, ValueError) as error:
        chunk.fault = f"ends in the middle of a batch ({str(error).splitlines()[0]})"
        return
    if has_end:
        chunk.good_bytes = chunk.size
    if chunk.good_bytes < chunk.size:
        chunk.fault = "has bytes behind its end"
    elif chunk.listed_rows is not None and chunk.listed_rows != chunk.rows:
        chunk.fault = f"holds {chunk.rows} rows where the manifest says {chunk.listed_rows}"
    elif chunk.is_complete and not has_end:
        chunk.fault = "is cut off behind a batch"


def _next_batch(stream: pa.RecordBatchStreamReader) -> tuple[pa.RecordBatch, Mapping[bytes, bytes]] | None:
    try:
        found = stream.read_next_batch_with_custom_metadata()
    except StopIteration:
        return None
    return found.batch, found.custom_metadata or {}


def _is_as_written(message: memoryview, metadata: Mapping[bytes, bytes]) -> bool:
    """Whether a message has the check sum that it tells (collector_ext/core/arrow_stream.hpp)."""
    told = metadata.get(_SUM, b"")
    try:
        expected = int(told, 16)
    except ValueError:
        return False
    head = bytes(message[: _FRAME_BYTES + int.from_bytes(message[4:_FRAME_BYTES], "little")])
    at = head.rfind(told)
    if len(told) != len(_NO_SUM) or at < 0:
        return False
    found = zlib.crc32(_NO_SUM, zlib.crc32(head[:at]))
    return zlib.crc32(message[at + len(told) :], found) == expected
