"""Text from the file: our trace, kernel_details.csv and trace_view.json, against libraries that format the same rows.

Ours is the whole command: start, SQL with its joins, text, file.  The peers get their rows ready in memory, as Python
objects or a polars frame, and make text in memory: less than half of the work.  They get the first 100 MB of what we
wrote; ratios are of bytes of our text a second.  `rows` are kernels.
"""

from __future__ import annotations

import csv
import importlib.util
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path

import polars as pl

from tests.bench.child import peak_mb, timed
from tests.bench.frame import Bench, Figure

ROWS = 100_000
STATED_ROWS = 1_000_000
_SAMPLE_BYTES = 100_000_000


def run(bench: Bench) -> Iterator[Figure]:
    """MB/s of each text, ratios, and the peak of memory."""
    source = bench.raw_warehouse(bench.rows)
    yield from _text(bench, source, "trace", "our Chrome trace", (400, 700), trace_peers)
    yield from _text(bench, source, "kernel_details", "kernel_details.csv", (200, 350), csv_peers)
    yield from _text(bench, source, "trace_view", "trace_view.json", (None, None), trace_peers)


def _text(
    bench: Bench, source: Path, kind: str, title: str, asked: tuple[float | None, float | None],
    peers: Callable[[Bench, bytes], dict[str, Callable[[], object]]],
) -> Iterator[Figure]:  # fmt: skip
    folder = bench.folder / kind
    command = ["warehouse.cli", "export", str(source), "--to", str(folder), kind]
    seconds = bench.in_turns({kind: lambda: timed(command)}, repeat=min(bench.repeat, 3))[kind]
    path = max((each for each in folder.rglob("*") if each.is_file()), key=lambda each: each.stat().st_size)
    size = path.stat().st_size
    rate = size / seconds / 1e6
    yield bench.figure(
        title, rate, "MB/s", *asked, note=f"{size / 1e6:,.0f} MB in {seconds:.2f} s, {seconds.cpu:.2f} s CPU"
    )
    count = _rows(path, kind)
    yield bench.figure("  a row", size / count, "bytes", note=f"{count:,} rows")
    most = peak_mb(command)
    if most is not None:
        yield bench.figure("  peak memory (sum of PSS)", most, "MB")
    with path.open("rb") as file:
        sample = file.read(_SAMPLE_BYTES)
    sample = sample[: sample.rindex(b"\n") + 1] if b"\n" in sample else sample
    for name, seconds in bench.in_turns(peers(bench, sample), repeat=min(bench.repeat, 3)).items():
        theirs = len(sample) / seconds / 1e6
        yield bench.figure(f"  against {name}, from memory", rate / theirs, "x", note=f"it makes {theirs:,.0f} MB/s")


def _rows(path: Path, kind: str) -> int:
    """Events of a trace, lines of a table."""
    mark, count = (b"\n" if kind == "kernel_details" else b'"ph":'), 0
    before = b""
    with path.open("rb") as file:
        while piece := file.read(1 << 24):
            count += (before + piece).count(mark)
            before = piece[-len(mark) + 1 :] if len(mark) > 1 else b""
    return count


def trace_peers(bench: Bench, sample: bytes) -> dict[str, Callable[[], object]]:
    """Formatters of the events of a part of a trace."""
    begin = sample.index(b"[", max(0, sample.find(b'"traceEvents"'))) + 1
    end = sample.rindex(b"}", 0, sample.rindex(b",\n") if b",\n" in sample else None) + 1
    events = json.loads(b"[" + sample[begin:end] + b"]")
    peers: dict[str, Callable[[], object]] = {"json.dumps": lambda: json.dumps(events, separators=(",", ":"))}
    if importlib.util.find_spec("orjson"):
        import orjson

        peers["orjson"] = lambda: orjson.dumps(events)
    else:
        bench.say("orjson is not installed: left out")
    return peers


def csv_peers(bench: Bench, sample: bytes) -> dict[str, Callable[[], object]]:
    """Formatters of the rows of a part of a table."""
    del bench
    frame = pl.read_csv(io.BytesIO(sample), infer_schema_length=100_000)
    rows = frame.rows()
    return {
        "polars.write_csv": frame.write_csv,
        "csv.writer": lambda: csv.writer(io.StringIO()).writerows(rows),
    }
