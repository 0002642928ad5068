"""Chunks that were cut off anywhere: whole batches are read, the rest is told, and nothing else happens."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pytest

from warehouse import _recorder
from warehouse.batches.chunk_folder import open_chunk_folder, read_chunk


@pytest.fixture(scope="module")
def recording(tmp_path_factory) -> Path:
    """Ranges in several batches, as the recorder itself writes them."""
    folder = tmp_path_factory.mktemp("recording")
    _recorder.prepare(
        str(folder), facts_json="{}", ring_bytes=1 << 20, chunk_bytes=1 << 20, chunk_ns=1 << 60, flush_ns=1 << 60,
        disk_bytes=0,
    )  # fmt: skip
    for batch in range(4):
        _recorder.start()
        for number in range(25):
            assert _recorder.range(f"range {number % 7}", 100 * batch + number, 100 * batch + number + 1, 7)
        _recorder.stop()  # everything is in the files: a batch
    _recorder.finish()
    return folder


def read(path: Path) -> tuple[list[dict], int, str | None]:
    """Rows of the ranges, bytes of them, and what is wrong."""
    (chunk,) = open_chunk_folder(path).of("op")
    rows = [row for batch in read_chunk(chunk) for row in batch.to_pylist()]
    assert chunk.rows == len(rows)
    assert 0 <= chunk.good_bytes <= chunk.size
    return rows, chunk.good_bytes, chunk.fault


def test_whole_chunks_are_arrow_streams_for_everybody(recording):
    rows, good_bytes, fault = read(recording)
    assert len(rows) == 100
    assert fault is None
    (path,) = recording.glob("op-*.arrows")
    assert good_bytes == path.stat().st_size
    with pa.OSFile(str(path)) as file:
        assert pa.ipc.open_stream(file).read_all().to_pylist() == rows


@pytest.mark.parametrize("ending", [b"", b"\0" * 512, b"\xff" * 64])
def test_chunks_cut_off_at_every_point(recording, tmp_path, ending):
    (path,) = recording.glob("op-*.arrows")
    whole = path.read_bytes()
    rows, *_ = read(recording)
    target = tmp_path / "op-000001.arrows.part"
    seen = set()
    for length in range(0, len(whole), 3 if not ending else 17):
        torn = whole[:length] + ending
        target.write_bytes(torn)
        found, good_bytes, fault = read(tmp_path)
        target.write_bytes(torn[:length])
        whole_rows = len(read(tmp_path)[0])
        assert whole_rows % 25 == 0
        assert found[:whole_rows] == rows[:whole_rows]
        assert len(found) <= whole_rows + 25  # the head of a batch was there, and an ending that fills it
        assert fault is not None or good_bytes == len(torn)  # every byte is good, or told
        seen.add(whole_rows)
    assert seen >= {0, 25, 50, 75}


def test_damaged_bytes_cost_at_most_the_rest_of_their_chunk(recording, tmp_path):
    (path,) = recording.glob("op-*.arrows")
    whole = path.read_bytes()
    rng = random.Random(5)
    for _ in range(400):
        damaged = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        (tmp_path / "op-000001.arrows").write_bytes(damaged)
        found, *_ = read(tmp_path)
        assert len(found) <= 100
