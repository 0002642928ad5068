"""A folder of chunks as a recording leaves it: the manifest, complete chunks, and what a killed process left open."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa

from warehouse.batches.recorded import RECORDED
from warehouse.batches.recorded_manifest import CHUNK_NAME, MANIFEST, Manifest
from warehouse.batches.recorded_message import END_MARK, Message, is_as_written, message_at, next_message
from warehouse.errors import InputError

_SEARCHED_TIMES = 4  # how often a chunk's bytes may be gone through for whole batches behind damaged ones
_SEARCHED_BYTES = 1 << 20
_WIDTHS = {pa.uint8(): 1, pa.int8(): 1, pa.uint16(): 2, pa.int32(): 4, pa.uint32(): 4}


@dataclass
class Chunk:
    """One file; what reading it came to stands in the fields behind `size` afterwards.

    `lost_rows`: as far as it is known; `first_fault`: byte at which the first damage lies.
    """

    path: Path
    table: str
    number: int
    is_complete: bool
    listed_rows: int | None = None  # as the manifest has it; -1: it has a number that cannot be
    size: int = 0
    rows: int = 0
    batches: int = 0
    good_bytes: int = 0
    fault: str | None = None
    first_fault: int = 0
    lost_rows: int = 0


@dataclass
class ChunkFolder(Manifest):
    """Chunks by table in their order, with what the manifest says of them."""

    path: Path = field(default_factory=Path)
    chunks: list[Chunk] = field(default_factory=list)
    missing: list[str] = field(default_factory=list)  # listed in the manifest, but not there
    unknown: list[Path] = field(default_factory=list)

    def of(self, table: str) -> list[Chunk]:
        """Chunks of a table, oldest first."""
        return [chunk for chunk in self.chunks if chunk.table == table]


def open_chunk_folder(path: Path) -> ChunkFolder:
    """What lies in the folder; a manifest that is missing or damaged leaves its defaults.

    InputError if the folder cannot be read, or is of a format that another version of npuwh writes.
    """
    folder = ChunkFolder(path=path)
    try:
        entries = sorted(path.iterdir())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror or error})") from error
    folder.read(path / MANIFEST)
    listed = dict(folder.listed)
    for entry in entries:
        match = CHUNK_NAME.fullmatch(entry.name)
        if match is None or entry.is_symlink() or not entry.is_file():
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


def read_chunk(chunk: Chunk) -> Iterator[pa.RecordBatch]:
    """The batches of a chunk that are as they were written: `chunk.fault` says what else there was.

    A process that was killed leaves a batch that is cut, and a machine that stops a file whose end is zeros.  Behind
    damaged bytes it goes on with the next batch whose check sum is right.
    """
    chunk.rows = chunk.batches = chunk.good_bytes = chunk.lost_rows = chunk.first_fault = 0
    chunk.fault = None
    if not chunk.size:
        chunk.fault = "is empty"
        return
    try:
        with pa.memory_map(str(chunk.path), "r") as file:  # so that no damaged length makes anything allocate
            content = file.read_buffer()
            chunk.size = content.size
            yield from _batches(chunk, content)
    except (OSError, ValueError) as error:
        chunk.fault = f"cannot be read ({str(error).splitlines()[0]})"
    if chunk.listed_rows is not None and chunk.listed_rows >= chunk.rows:
        chunk.lost_rows = chunk.listed_rows - chunk.rows
    if chunk.fault is None and chunk.listed_rows is not None and chunk.listed_rows != chunk.rows:
        chunk.fault = f"holds {chunk.rows} rows where the manifest says {max(chunk.listed_rows, 0)}"


def _batches(chunk: Chunk, content: pa.Buffer) -> Iterator[pa.RecordBatch]:
    schema, whole = RECORDED[chunk.table], memoryview(content).cast("B")
    at = _end_of_schema(chunk, content, schema)
    if at is None:
        return
    searched = 0
    while whole[at:] != END_MARK:
        if at == len(whole):
            chunk.fault = chunk.fault or ("is cut off behind a batch" if chunk.is_complete else None)
            return
        message = message_at(whole, at)
        if message is None or not message.is_batch or not is_as_written(whole, message):
            if whole[at : at + len(END_MARK)] == END_MARK:
                _note(chunk, at, "has bytes behind its end", None)
                return
            is_cut = message is None
            found, vain = next_message(whole, at + 1, _SEARCHED_BYTES + _SEARCHED_TIMES * len(whole) - searched)
            searched += vain
            is_cut = is_cut and found is None
            text = "ends in the middle of a batch" if is_cut else "has a batch that is not as it was written"
            _note(chunk, at, text if is_cut else f"{text} (by its check sum)", message)
            if message is None and found is not None:  # about as many rows as had room
                chunk.lost_rows += (found.at - at) // sum(_WIDTHS.get(each.type, 8) for each in schema)
            if found is None:
                return
            at, message = found.at, found
        batch = _batch_of(chunk, content, message, schema)
        if batch is not None:
            chunk.rows += batch.num_rows
            chunk.batches += 1
            chunk.good_bytes += message.end - message.at
            yield batch
        at = message.end
    chunk.good_bytes += len(END_MARK)


def _end_of_schema(chunk: Chunk, content: pa.Buffer, schema: pa.Schema) -> int | None:
    """Where the batches begin; where they may begin, if the schema itself is damaged."""
    source = pa.BufferReader(content)
    try:
        if not pa.ipc.open_stream(source).schema.equals(schema):
            chunk.fault = f"has other columns than {chunk.table} chunks have"
            return None
    except (pa.ArrowException, OSError, ValueError) as error:
        _note(chunk, 0, f"has no columns that can be read ({str(error).splitlines()[0]})", None)
        return 0
    chunk.good_bytes = source.tell()
    return chunk.good_bytes


def _batch_of(chunk: Chunk, content: pa.Buffer, message: Message, schema: pa.Schema) -> pa.RecordBatch | None:
    part = content.slice(message.at, message.end - message.at)
    if message.at % 8:  # bytes were lost or put in before: numbers are read from where they may lie
        part = pa.py_buffer(part.to_pybytes())
    try:
        batch = pa.ipc.read_record_batch(pa.ipc.read_message(part), schema)
        batch.validate(full=True)
        if batch.num_rows != message.rows or any(column.null_count for column in batch.columns):
            raise ValueError("it has other rows than it tells")
    except (pa.ArrowException, OSError, ValueError) as error:
        _note(chunk, message.at, f"has a batch that cannot be read ({str(error).splitlines()[0]})", message)
        return None
    return batch


def _note(chunk: Chunk, at: int, fault: str, message: Message | None) -> None:
    """Keep the first fault; count rows of all."""
    if chunk.fault is None:
        chunk.fault, chunk.first_fault = fault, at
    chunk.lost_rows += 0 if message is None else message.rows
