"""Chunks that were cut off anywhere: whole batches are read, the rest is told, and nothing else happens."""

from __future__ import annotations

import random
import time
from pathlib import Path

import pyarrow as pa
import pytest

from warehouse import _recorder
from warehouse.batches.chunk_folder import open_chunk_folder, read_chunk

END = b"\xff\xff\xff\xff\0\0\0\0"  # of an Arrow stream


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


@pytest.mark.parametrize("library", ["pyarrow", "polars"])
def test_whole_chunks_are_arrow_streams_for_everybody(recording, library):
    rows, good_bytes, fault = read(recording)
    assert len(rows) == 100
    assert fault is None
    (path,) = recording.glob("op-*.arrows")
    assert good_bytes == path.stat().st_size
    if library == "polars":
        found = pytest.importorskip("polars").read_ipc_stream(path).to_dicts()
    else:
        with pa.OSFile(str(path)) as file:
            found = pa.ipc.open_stream(file).read_all().to_pylist()
    assert found == rows


def test_a_range_without_inputs_takes_few_bytes(recording):
    (path,) = recording.glob("op-*.arrows")
    with pa.OSFile(str(path)) as file:
        assert sum(batch.nbytes for batch in pa.ipc.open_stream(file)) == 28 * 100


@pytest.mark.parametrize("ending", [b"", b"\0" * 4, b"\0" * 8, b"\0" * 4096, b"\xff" * 64, END])
@pytest.mark.parametrize("name", ["op-000001.arrows.part", "op-000001.arrows"])
def test_chunks_cut_off_at_every_point(recording, tmp_path, ending, name):
    """Also where a file system made the file longer than what was written: zeros are never taken for records."""
    (path,) = recording.glob("op-*.arrows")
    whole = path.read_bytes()
    rows, *_ = read(recording)
    target = tmp_path / name
    seen = set()
    for length in range(0, len(whole), 3 if not ending else 7):
        torn = whole[:length] + ending
        target.write_bytes(torn)
        found, good_bytes, fault = read(tmp_path)
        assert found == rows[: len(found)]
        assert len(found) % 25 == 0
        assert fault is not None or good_bytes == len(torn)  # every byte is good, or told
        if name.endswith("arrows"):
            assert fault is not None or torn[-8:] == END
        seen.add(len(found))
    assert seen >= {0, 25, 50, 75}


def has_whole_batches(found: list[dict], rows: list[dict]) -> bool:
    """Whether these are some of the batches, each whole, in their order."""
    batches = [rows[first : first + 25] for first in range(0, 100, 25)]
    places = [batches.index(found[first : first + 25]) for first in range(0, len(found), 25)]
    return places == sorted(set(places))


def test_zeros_within_a_whole_file_cost_the_batches_they_lie_in(recording, tmp_path):
    """Blocks of a file that never came onto the disk."""
    (path,) = recording.glob("op-*.arrows")
    whole = path.read_bytes()
    rows, *_ = read(recording)
    for first in range(0, len(whole) - 8, 11):
        for last in (first + 1, first + 64, len(whole)):
            damaged = whole[:first] + b"\0" * (min(last, len(whole)) - first) + whole[last:]
            (tmp_path / "op-000001.arrows").write_bytes(damaged)
            found, good_bytes, fault = read(tmp_path)
            assert has_whole_batches(found, rows)
            # behind what tells the columns at most one batch is lost
            if last == first + 1 and first >= whole.index(b"\xff\xff\xff\xff", 8):
                assert len(found) >= 75
            assert (fault is None) == (found == rows and good_bytes == len(whole))


def test_damaged_bytes_cost_at_most_their_batches(recording, tmp_path):
    (path,) = recording.glob("op-*.arrows")
    whole = path.read_bytes()
    rows, *_ = read(recording)
    rng = random.Random(5)
    for _ in range(400):
        damaged = bytearray(whole)
        for _ in range(rng.randrange(1, 4)):
            damaged[rng.randrange(len(damaged))] = rng.randrange(256)
        (tmp_path / "op-000001.arrows").write_bytes(damaged)
        found, _, fault = read(tmp_path)
        assert has_whole_batches(found, rows)
        assert fault is not None or found == rows


@pytest.mark.parametrize("shift", [1, 3, 8, 64])
def test_bytes_put_in_or_taken_out_cost_the_batch_they_lie_in(recording, tmp_path, shift):
    (path,) = recording.glob("op-*.arrows")
    whole = path.read_bytes()
    rows, *_ = read(recording)
    middle = whole.index(b"\xff\xff\xff\xff", len(whole) // 2) - 8 * 25  # in the body of the second batch
    for damaged in (whole[:middle] + b"\x55" * shift + whole[middle:], whole[:middle] + whole[middle + shift :]):
        (tmp_path / "op-000001.arrows").write_bytes(damaged)
        (chunk,) = open_chunk_folder(tmp_path).of("op")
        found = [row for batch in read_chunk(chunk) for row in batch.to_pylist()]
        assert len(found) == 75
        assert has_whole_batches(found, rows)
        assert chunk.lost_rows == 25
        assert "not as it was written" in chunk.fault


def test_a_file_of_nothing_but_beginnings_ends_soon(recording, tmp_path):
    (path,) = recording.glob("op-*.arrows")
    whole = path.read_bytes()
    begin = whole.index(b"\xff\xff\xff\xff", 8)
    damaged = bytearray(whole[begin : begin + 720])
    damaged[-1] ^= 1
    (tmp_path / "op-000001.arrows").write_bytes(whole[:begin] + bytes(damaged) * 20_000)
    before = time.monotonic()
    found, _, fault = read(tmp_path)
    assert time.monotonic() - before < 10
    assert found == []
    assert fault is not None
