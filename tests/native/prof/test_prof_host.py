"""PROF streams of the host that join records: dictionaries, events, tensors, cached operator descriptions."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
from prof_reading import read, write_slices

MAGIC = 0x5A5A
EVENT = (1 << 64) - 1
Tensor = tuple[int, int, int, tuple[int, ...]]  # kind, format, data type, shape


def event(stamp: int, item: int = 0, request: int = 1, thread: int = 9) -> bytes:
    return struct.pack("<HHIIIQQQ", MAGIC, 15000, 1, thread, request, stamp, EVENT, item)


def tensor(kind: int, form: int, data_type: int, shape: tuple[int, ...]) -> bytes:
    return struct.pack("<III8I", kind, form, data_type, *shape, *[0] * (8 - len(shape)))


def tensor_info(thread: int, stamp: int, op_name: int, tensors: list[Tensor]) -> bytes:
    head = struct.pack("<HHIIIQQI", MAGIC, 10000, 1, thread, 232, stamp, op_name, len(tensors))
    return (head + b"".join(tensor(*one) for one in tensors)).ljust(256, b"\0")


def capture(task: int, tensors: list[Tensor], size: int | None = None, count: int | None = None) -> bytes:
    body = struct.pack(
        "<6I4QII", 7, 0, 37, task, 2, 3 << 16 | 20, 111, 222, 333, 0, 1, len(tensors) if count is None else count
    )
    body += b"".join(tensor(*one) for one in tensors)
    return struct.pack("<HHIIIQ", MAGIC, 5000, 803, 1, len(body) if size is None else size, 50) + body


ADD = [(0, 2, 0, (16, 128)), (0, 2, 0, (16, 128)), (1, 2, 0, (16, 128))]


def test_dictionaries(tmp_path: Path):
    text = "17:a:b\n18446744073709551615:é\n5:\n3:last"
    blob = text.encode()
    paths = write_slices(tmp_path, "unaging.additional.hash_dic", [blob[:5], blob[5:13], blob[13:]])
    reading = read("additional.hash_dic", paths)
    assert [(row["hash"], row["value"]) for row in reading.rows["hash"]] == [
        (17, "a:b"),
        (-1, "é"),
        (5, ""),
        (3, "last"),
    ]
    assert reading.faults == {"open_line": 1}

    lines = "5000_98:FLIP_TASK\n20000_655361:aclmdlRICaptureBegin\n"
    reading = read("additional.type_info_dic", write_slices(tmp_path, "types", [lines.encode()]))
    rows = [(row["level"], row["type"], row["name"]) for row in reading.rows["type_name"]]
    assert rows == [(5000, 98, "FLIP_TASK"), (20000, 655361, "aclmdlRICaptureBegin")]


def test_bad_lines_are_skipped(tmp_path: Path):
    blob = b"no colon\n12x:no\n-1:no\n18446744073709551616:no\n:no\n7:\xff\n8:yes\n"
    reading = read("additional.hash_dic", write_slices(tmp_path, "hash", [blob]))
    assert [(row["hash"], row["value"]) for row in reading.rows["hash"]] == [(7, "\ufffd"), (8, "yes")]
    assert reading.faults == {"bad_line": 5, "bad_utf8": 1}
    assert reading.ledger["bytes_decoded"] == len(b"7:\xff\n8:yes\n")


def test_a_line_without_end_does_not_fill_the_memory(tmp_path: Path):
    blob = b"1:one\n2:" + b"x" * (5 << 20) + b"\n3:three\n" + b"y" * (2 << 20)
    reading = read("additional.hash_dic", write_slices(tmp_path, "hash", [blob]))
    assert [row["hash"] for row in reading.rows["hash"]] == [1, 3]
    assert reading.faults.keys() == {"long_line"}
    assert reading.ledger["bytes_rejected"] == len(blob) - len(b"1:one\n3:three\n")


def test_two_events_make_an_interval(tmp_path: Path):
    blob = (
        event(10)
        + event(20, item=5)
        + event(30)
        + event(40)
        + event(50, request=0xFFFF)
        + event(60, item=5)
        + event(70, thread=1)
    )
    reading = read("api_event", write_slices(tmp_path, "api", [blob]))
    assert [(row["start"], row["end"], row["item"]) for row in reading.rows["api"]] == [(10, 30, 0), (20, 60, 5)]
    assert [row["time"] for row in reading.rows["event"]] == [50, 40, 70]
    assert reading.faults == {"event_without_partner": 2}


def test_waiting_events_are_bounded(tmp_path: Path):
    blob = b"".join(event(stamp, item=stamp) for stamp in range(1, 101)) + event(500, item=1) + event(501, item=100)
    reading = read("api_event", write_slices(tmp_path, "api", [blob]), most_open=10)
    assert [(row["start"], row["end"]) for row in reading.rows["api"]] == [(100, 501)]
    assert len(reading.rows["event"]) == 100
    assert reading.faults == {"event_without_partner": 100, "too_many_open": 91}


def test_api_without_start_is_dropped(tmp_path: Path):
    blob = struct.pack("<HHIIIQQQ", MAGIC, 20000, 1, 1, 0, 0, 5, 0) + struct.pack(
        "<HHIIIQQQ", MAGIC, 20000, 1, 1, 0, 3, 5, 0
    )
    reading = read("api_event", write_slices(tmp_path, "api", [blob]))
    assert [row["start"] for row in reading.rows["api"]] == [3]
    assert reading.faults == {"no_start": 1}


def test_parts_of_an_operator_are_joined(tmp_path: Path):
    many = [(0, 2, 1, (size, 3)) for size in range(1, 8)] + [(1, 29 | 32 << 8, 27, (9,))]
    blob = (
        tensor_info(1, 100, 11, many[:5])
        + tensor_info(2, 100, 11, ADD)
        + tensor_info(1, 100, 12, ADD)
        + tensor_info(1, 100, 11, many[5:])
        + tensor_info(1, 200, 11, ADD)
    )
    reading = read("additional.tensor_info", write_slices(tmp_path, "tensor", [blob[:300], blob[300:]]))
    rows = [(row["thread"], row["time"], row["op_name"], row["tensor_count"]) for row in reading.rows["tensor_info"]]
    assert rows == [(1, 100, 11, 8), (1, 100, 12, 3), (1, 200, 11, 3), (2, 100, 11, 3)]
    joined, *rest = [reading.tensors[row["tensors"]] for row in reading.rows["tensor_info"]]
    assert joined["input_count"], joined["output_count"] == (7, 1)
    assert joined["input_shapes"] == "1,3;2,3;3,3;4,3;5,3;6,3;7,3"
    assert (joined["output_shapes"], joined["output_types"], joined["output_formats"]) == (
        "9",
        "DT_BF16",
        "FRACTAL_NZ:32",
    )
    assert [one["input_shapes"] for one in rest] == ["16,128;16,128"] * 3
    assert len({row["tensors"] for row in reading.rows["tensor_info"]}) == 2  # equal lists share a number


def test_names_of_types_and_formats(tmp_path: Path):
    tensors = [(0, 0xFFFFFFFF, 0xFFFFFFFF, ()), (0, 199, 5, (0xFFFFFFFF, 2)), (0, 203, 241, (1, 0, 3)), (2, 0, 0, (1,))]
    reading = read("additional.tensor_info", write_slices(tmp_path, "tensor", [tensor_info(1, 1, 1, tensors)]))
    found = reading.tensors[0]
    assert found["input_formats"] == "UNDEFINED;199;ND_"
    assert found["input_types"] == "UNDEFINED;5;FLOAT_"
    assert found["input_shapes"] == ";4294967295,2;1"
    assert (found["output_count"], found["output_shapes"]) == (0, None)
    assert reading.faults == {"unknown_tensor_kind": 1}


def test_too_many_tensors_for_the_record(tmp_path: Path):
    blob = bytearray(tensor_info(1, 1, 1, ADD))
    blob[32:36] = struct.pack("<I", 6)
    reading = read(
        "additional.tensor_info", write_slices(tmp_path, "tensor", [bytes(blob) + tensor_info(1, 2, 2, ADD)])
    )
    assert [row["op_name"] for row in reading.rows["tensor_info"]] == [2]
    assert reading.faults == {"bad_count": 1}


@pytest.mark.parametrize("cut", [0, 1, 100, 400])
def test_cached_descriptions_of_varying_size(cut: int, tmp_path: Path):
    rng = random.Random(cut)
    counts = [0, 3, 1, 12, 200, 0, 2]
    records = [capture(task, [(0, 2, 0, (task + 1, rng.randrange(1, 9)))] * count) for task, count in enumerate(counts)]
    blob = b"".join(records)
    reading = read(
        "variable.capture_op_info", write_slices(tmp_path, "variable", [blob[:cut], blob[cut:]]), window_bytes=4096
    )
    rows = reading.rows["capture_op_info"]
    assert [row["tensor_count"] for row in rows] == counts
    assert [reading.tensors[row["tensors"]]["input_count"] for row in rows] == counts
    assert (rows[1]["stream"], rows[1]["task"], rows[1]["block_count"], rows[1]["mix_ratio"]) == (37, 1, 20, 3)
    assert (rows[1]["op_name"], rows[1]["op_type"], rows[1]["attr"], rows[1]["op_flag"]) == (111, 222, 333, 1)


def test_the_fixed_container_holds_three_tensors(tmp_path: Path):
    blob = capture(5, ADD).ljust(256, b"\0") + capture(6, ADD * 2)[:256].ljust(256, b"\0")
    reading = read("additional.capture_op_info", write_slices(tmp_path, "fixed", [blob]))
    assert [(row["task"], row["tensor_count"]) for row in reading.rows["capture_op_info"]] == [(5, 3)]
    assert reading.faults == {"bad_count": 1}


def test_a_description_with_a_wrong_size_loses_only_itself(tmp_path: Path):
    good = [capture(task, ADD) for task in range(4)]
    size = len(good[0]) - 24
    shorter = capture(70, ADD, count=2)  # dataLen is right, the number of tensors is not
    reading = read("variable.capture_op_info", write_slices(tmp_path, "variable", [good[0] + shorter + good[1]]))
    assert [row["task"] for row in reading.rows["capture_op_info"]] == [0, 1]
    assert reading.faults == {"bad_size": 1}
    huge = capture(71, ADD, size=size + 44 * 60000)  # dataLen reaches beyond the end
    reading = read(
        "variable.capture_op_info", write_slices(tmp_path, "variable", [good[0] + huge + good[1] + good[2] + good[3]])
    )
    assert [row["task"] for row in reading.rows["capture_op_info"]] == [0, 1, 2, 3]
    assert reading.faults == {"damaged_record": 1}
    assert reading.ledger["bytes_rejected"] == len(huge)
