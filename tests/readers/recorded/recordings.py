"""Recordings that the recorder itself writes, and chunks of them rewritten with right check sums: damage that no sum
finds, as somebody may write it."""

from __future__ import annotations

import gc
import json
import threading
import time
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa

from warehouse import _recorder
from warehouse.batches.recorded import RECORDED

_NO_SUM = b"0" * 8
Columns = dict[str, list[Any]]
RANGES = 40


def record(
    run: Path, *, ranges: int = RANGES, chunk_bytes: int = 1 << 20, disk_bytes: int = 0, calls: bool = True
) -> Path:
    """Two threads with calls, ranges, marks and collections; the run directory."""
    folder = run / "NPUWH_RECORDING"
    folder.mkdir(parents=True)
    facts = json.dumps({"config": {"common_config": {"with_stack": True, "activities": ["ProfilerActivity.CPU"]}}})
    _recorder.prepare(
        str(folder), facts_json=facts, ring_bytes=1 << 20, chunk_bytes=chunk_bytes, chunk_ns=1 << 60,
        flush_ns=1 << 60, disk_bytes=disk_bytes,
    )  # fmt: skip
    for name in ("here", "there"):
        _recorder.start()
        if calls:
            _recorder.start_tracer(None)
        thread = threading.Thread(target=_work, args=(name, ranges // 2))
        thread.start()
        thread.join()
        _recorder.stop_tracer()
        _recorder.stop()  # everything is in the files: a batch of each table
    _recorder.finish()
    return run


def _work(name: str, count: int) -> None:
    _recorder.start_tracer_on_thread()
    for number in range(count):
        start = _recorder.now_ticks()
        time.sleep(0.0005)
        _recorder.range(f"{name} {number % 5}", start, _recorder.now_ticks(), 7)
        _recorder.mark(start, _recorder.now_ticks(), 1 + number, "mark", "domain")
    start = _recorder.now_ticks()
    gc.collect()
    _recorder.gc(start, _recorder.now_ticks(), 2, 0)


def chunk_bytes(table: str, batches: list[Columns], schema: pa.Schema | None = None) -> bytes:
    """A whole chunk; each batch a message with its sum (collector_ext/core/arrow_stream.hpp)."""
    schema = RECORDED[table] if schema is None else schema
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        ends = []
        for columns in batches:
            writer.write_batch(pa.RecordBatch.from_pydict(columns, schema), custom_metadata={"crc32": _NO_SUM.decode()})
            ends.append(sink.tell())
    data = bytearray(sink.getvalue().to_pybytes())
    begin = _schema_end(schema)
    for end in ends:
        with_sum(data, begin, end)
        begin = end
    return bytes(data)


def with_sum(data: bytearray, begin: int, end: int) -> None:
    """Write the sum of a message where eight zeros stand for it."""
    body_at = begin + 8 + int.from_bytes(data[begin + 4 : begin + 8], "little")
    at = data.rindex(_NO_SUM, begin, body_at)
    data[at : at + 8] = b"%08x" % zlib.crc32(data[begin:end])


def _schema_end(schema: pa.Schema) -> int:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema):
        pass
    return sink.getvalue().size - 8  # the end mark


def rewritten(run: Path, name: str, change: Callable[[Columns], None]) -> None:
    """Change the columns of a chunk, one batch then; `name` is the beginning of its file's name."""
    path = sorted(run.glob(f"NPUWH_RECORDING/{name}-*"))[0]
    with pa.OSFile(str(path)) as file:
        columns = pa.ipc.open_stream(file).read_all().to_pydict()
    change(columns)
    path.write_bytes(chunk_bytes(path.name.partition("-")[0], [columns]))


def manifest(run: Path, **changes: Any) -> None:
    """Change values of the manifest."""
    path = run / "NPUWH_RECORDING" / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
