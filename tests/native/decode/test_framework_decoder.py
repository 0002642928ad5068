"""The decoders of FRAMEWORK files as Python sees them, against a plain reading with `struct`."""

from __future__ import annotations

import gc
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import framework_records as records
import polars as pl
import pyarrow as pa
import pytest
from framework_records import READ, TEXT_COLUMNS, Row
from hypothesis import given, settings
from hypothesis import strategies as st

from warehouse._native import FrameworkDecoder, StringTable

KINDS = FrameworkDecoder.kinds()


def drained(take: Any, *arguments: str) -> Iterator[pa.RecordBatch]:
    while (batch := take(*arguments)) is not None:
        yield pa.record_batch(batch)


def decode(kind: str, paths: list[Path], **options: Any) -> tuple[list[Row], list[Row], dict[str, Any]]:
    """Rows with their texts, rows of tensors, ledger."""
    decoder = FrameworkDecoder(kind, paths, **options)
    batches, texts, frames, tensors = [], {}, {}, []
    for batch in drained(decoder.next):
        batch.validate(full=True)
        batches.append(batch)
        for new in drained(decoder.strings):
            texts.update(zip(new["id"].to_pylist(), new["value"].to_pylist(), strict=True))
        for new in drained(decoder.take, "stack_frame"):
            for row in new.to_pylist():
                frames.setdefault(row["stack"], []).append(texts[row["frame"]])
        tensors += [row for new in drained(decoder.take, "tensor") for row in new.to_pylist()]
    rows = [row for batch in batches for row in batch.to_pylist()]
    for row in rows + tensors:
        for name in TEXT_COLUMNS & row.keys():
            row[name] = None if row[name] is None else texts[row[name]]
        if row.get("stack") is not None:
            row["stack"] = frames[row["stack"]]
    return rows, tensors, decoder.ledger()


def assert_reads_as_struct(kind: str, path: Path) -> int:
    data = path.read_bytes()
    rows, tensors, ledger = decode(kind, [path], with_tensors=True)
    assert rows == READ[kind](data)
    if kind == "op_range":
        assert tensors == records.read_op_tensors(data)
    assert ledger["bytes_decoded"] == ledger["size_bytes"] == len(data)
    assert ledger["bytes_rejected"] == 0
    return len(rows)


def sample(rng: random.Random, count: int) -> dict[str, list[bytes]]:
    """Records of every kind, with all fields over their whole range where the format allows it."""

    def word() -> int:
        return rng.getrandbits(64)

    def number() -> int:
        return word() - (1 << 63)

    def text() -> bytes:
        return rng.choice(["aten::add", "Netz::größe", "名前", "", "x" * 300, f"n{rng.randrange(9)}"]).encode()

    def tensor() -> str:
        sizes = ",".join(str(rng.randrange(9)) for _ in range(rng.randrange(4)))
        return f"{word():#x};{rng.choice(['', hex(word())])};float;4;{sizes};{sizes};20;{rng.randrange(-1, 8)}"

    def tags() -> dict[int, bytes]:
        chosen = {2: text(), 3: text(), 4: text(), 7: text(), 8: b"a.py(1): f;b.py(2): g", 9: text(), 10: text()}
        chosen[5] = ")".join(tensor() for _ in range(rng.randrange(1, 4))).encode()
        lists = ["".join(tensor() + ")" for _ in range(rng.randrange(1, 3))) + "}" for _ in range(rng.randrange(1, 3))]
        chosen[6] = "".join(lists)[:-1].encode()
        return {tag: chosen[tag] for tag in sorted(chosen) if tag == 2 or rng.random() < 0.5}

    def parameter(owner: int) -> str:
        if owner == 1:
            return f"w{rng.randrange(3)}){tensor()}){rng.choice(['', tensor()])}"
        states = "".join(f"s{place}>{tensor()}]" for place in range(rng.randrange(3)))
        return f"{tensor()}){rng.choice(['', tensor()])}){states}"

    made: dict[str, list[bytes]] = {kind: [] for kind in KINDS}
    for _ in range(count):
        start = number() >> 1
        fields = (start, start + rng.getrandbits(40), rng.choice([-1, number()]), word(), word(), word(), word())
        made["op_range"].append(records.op_range((*fields, rng.randrange(10), rng.random() < 0.5), tags()))
        made["op_mark"].append(records.op_mark((number(), rng.randrange(4), word(), word(), word()), text()))
        small = (rng.randrange(-128, 128), rng.randrange(-128, 128), rng.randrange(2), rng.randrange(4), 1)
        made["memory_usage"].append(records.memory_usage((*(number() for _ in range(7)), *small, word(), word())))
        call = (word(), rng.randrange(1, 1 << 22), 4321, word(), rng.randrange(4))
        made["python_tracer_func"].append(records.python_tracer_func(call))
        made["python_tracer_hash"].append(records.python_tracer_hash(word(), text()))
        owner = rng.randrange(1, 3)
        items = "}".join(parameter(owner) for _ in range(rng.randrange(1, 4))).encode()
        made["param_tensor_info"].append(records.param_tensor_info(word(), owner, items))
        tick = rng.getrandbits(63)
        made["gc_record"].append(records.gc_record((4321, tick, tick + rng.getrandbits(30))))
    return made


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(3))
def test_columns_are_those_of_a_plain_reading(kind: str, seed: int, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"".join(sample(random.Random(seed), 300)[kind]))
    assert assert_reads_as_struct(kind, path) >= 300


@pytest.mark.shared
@pytest.mark.parametrize("path", sorted(Path(__file__).parents[4].glob("shared/data/gold/*/raw/**/torch.*")), ids=str)
def test_real_files_read_as_a_plain_reading(path: Path) -> None:
    assert assert_reads_as_struct(path.name.removeprefix("torch."), path) > 0


@pytest.mark.parametrize("kind", KINDS)
def test_slices_window_and_batch_size_change_nothing(kind: str, tmp_path: Path) -> None:
    rng = random.Random(5)
    data = b"".join(sample(rng, 200)[kind])
    cuts = sorted(rng.randrange(len(data)) for _ in range(4))
    paths = [tmp_path / f"slice_{number}" for number in range(5)]
    for path, start, end in zip(paths, [0, *cuts], [*cuts, len(data)], strict=True):
        path.write_bytes(data[start:end])
    rows, tensors, ledger = decode(kind, paths, with_tensors=True, window_bytes=4096, batch_rows=7)
    whole = tmp_path / "whole"
    whole.write_bytes(data)
    assert (rows, tensors) == decode(kind, [whole], with_tensors=True)[:2]
    assert [file["bytes_decoded"] for file in ledger["files"]] == [path.stat().st_size for path in paths]
    assert [file["path"] for file in ledger["files"]] == [str(path) for path in paths]


@settings(max_examples=60, deadline=None)
@given(kind=st.sampled_from(KINDS), data=st.binary(max_size=400), seed=st.integers(0, 3), at=st.integers(0, 1000))
def test_any_bytes_are_accounted_for(
    kind: str, data: bytes, seed: int, at: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    path = tmp_path_factory.mktemp("any") / "file"
    good = b"".join(sample(random.Random(seed), 3)[kind])
    path.write_bytes(good[:at] + data + good[at:])
    rows, _, ledger = decode(kind, [path], with_tensors=True)
    assert ledger["bytes_decoded"] + ledger["bytes_rejected"] == ledger["bytes_seen"] == path.stat().st_size
    assert sum(fault["bytes"] for fault in ledger["faults"]) == ledger["bytes_rejected"]
    assert len(rows) >= (0 if data else 3)


def test_a_fault_says_where_and_how_much(tmp_path: Path) -> None:
    good = records.op_mark((1, 0, 0, 2, 3), b"Add")
    bad = records.op_mark((1, 9, 0, 2, 3), b"Add")
    path = tmp_path / "torch.op_mark"
    path.write_bytes(good + bad + good + bad + good[:-1])
    rows, _, ledger = decode("op_mark", [path])
    assert len(rows) == 2
    bad_category, cut = ledger["faults"]
    assert bad_category["code"] == "bad_category"
    assert (bad_category["first_offset"], bad_category["count"], bad_category["bytes"]) == (55, 2, 110)
    assert (cut["code"], cut["first_offset"], cut["count"], cut["bytes"], cut["file"]) == (
        "truncated_tail",
        220,
        1,
        54,
        0,
    )
    assert "cut off" in cut["text"]
    assert (ledger["records_decoded"], ledger["records_rejected"]) == (2, 3)


def test_a_missing_file_is_a_fault_and_no_error(tmp_path: Path) -> None:
    rows, _, ledger = decode("op_mark", [tmp_path / "none"])
    assert rows == []
    assert [fault["code"] for fault in ledger["faults"]] == ["file_missing"]


def test_batches_are_shared_not_copied_and_outlive_the_decoder(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"".join(sample(random.Random(1), 50)["op_range"]))
    decoder = FrameworkDecoder("op_range", [path])
    batch = decoder.next()
    assert batch is not None
    first, second = pa.record_batch(batch), pa.record_batch(batch)
    assert first["start_tick"].buffers()[1].address == second["start_tick"].buffers()[1].address
    assert pa.schema(batch) == first.schema
    expected = first.to_pylist()
    strings = decoder.strings()
    assert strings is not None
    assert pl.DataFrame(pa.table(pa.record_batch(strings))).height == len(strings) == strings.num_rows
    del decoder, batch, second
    gc.collect()
    assert first.to_pylist() == expected


def test_capsules_that_nobody_takes_are_freed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"".join(sample(random.Random(1), 5)["gc_record"]))
    batch = FrameworkDecoder("gc_record", [path]).next()
    assert batch is not None
    for _ in range(100):
        batch.__arrow_c_array__()
        batch.__arrow_c_schema__()


def test_decoders_share_a_string_table_between_threads(tmp_path: Path) -> None:
    strings = StringTable(first_id=1000)
    made = sample(random.Random(2), 2000)
    results: dict[str, list[int]] = {}

    def run(kind: str, path: Path) -> None:
        decoder = FrameworkDecoder(kind, [path], strings=strings, batch_rows=50)
        results[kind] = [i for batch in drained(decoder.next) for i in batch["name"].to_pylist()]

    threads = []
    for kind in ("op_range", "op_mark", "python_tracer_hash"):
        path = tmp_path / kind
        path.write_bytes(b"".join(made[kind]))
        threads.append(threading.Thread(target=run, args=(kind, path)))
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    texts = {}
    for batch in drained(strings.take):
        assert not texts.keys() & set(batch["id"].to_pylist())
        texts.update(zip(batch["id"].to_pylist(), batch["value"].to_pylist(), strict=True))
    assert len(set(texts.values())) == len(texts)
    assert sorted(texts) == list(range(1000, 1000 + len(texts)))
    for kind, ids in results.items():
        expected = [row["name"] for row in READ[kind](b"".join(made[kind]))]
        assert [texts[i] for i in ids] == expected


def test_wrong_arguments_are_named(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no kind 'op_rank'; kinds are op_range, op_mark"):
        FrameworkDecoder("op_rank", [tmp_path])
    with pytest.raises(TypeError, match="give a list of paths"):
        FrameworkDecoder("op_mark", str(tmp_path))  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        FrameworkDecoder("op_mark", [1])  # type: ignore[list-item]
