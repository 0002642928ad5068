"""Every kind of PROF record against plain struct packing."""

from __future__ import annotations

import random
import struct
from pathlib import Path

import pytest
from prof_forms import FORMS
from prof_reading import read, write_slices
from prof_records import Form

from warehouse import _native

_NOT_HERE = {  # have tests of their own
    "additional.tensor_info",
    "additional.context_id_info",
    "additional.fusion_op_info",
    "additional.logic_stream_info",
    "additional.Multi_Thread",
    "additional.mc2_comm_info",
    "additional.capture_op_info",
    "variable.capture_op_info",
    "additional.hash_dic",
    "additional.type_info_dic",
    "stars_soc",
    "lpmFreqConv",
    "lpmInfoConv",
    "hccs",
    "nic",
    "roce",
    "netdev_stats",
}


def _name(form: Form) -> str:
    return f"{form.stream}-{form.kind}{form.options.get('version', '')}"


@pytest.mark.parametrize("form", FORMS, ids=_name)
def test_a_record_gives_the_row_that_struct_reads(form: Form, tmp_path: Path):
    rng = random.Random(_name(form))
    records = [form.make(rng) for _ in range(200)]
    blob = b"".join(record for record, _ in records)
    paths = write_slices(tmp_path, form.stream, [blob[:1000], blob[1000:]])  # a record straddles them
    reading = read(form.stream, paths, batch_rows=64, **form.options)
    assert reading.faults == {}
    assert reading.rows == {form.kind: [row for _, row in records]}
    assert reading.ledger["records_decoded"] == len(records)


def test_every_stream_is_tested():
    assert {form.stream for form in FORMS} | _NOT_HERE == set(_native.ProfDecoder.streams())


def test_kinds_of_one_stream_stay_apart(tmp_path: Path):
    rng = random.Random(1)
    forms = [form for form in FORMS if form.stream == "ts_track"]
    records = [(form, *form.make(rng)) for form in rng.choices(forms, k=500)]
    reading = read(
        "ts_track", write_slices(tmp_path, "ts_track.data.0", [b"".join(blob for _, blob, _ in records)]), batch_rows=16
    )
    assert reading.rows == {form.kind: [row for one, _, row in records if one is form] for form in forms}


def test_unknown_types_and_levels_are_skipped_and_counted(tmp_path: Path):
    rng = random.Random(2)
    track = next(form for form in FORMS if form.kind == "step_trace")
    good = [track.make(rng) for _ in range(10)]
    unknown = struct.pack("<BBHIQ", 0, 0x77, 0, 0, 5).ljust(40, b"\0")
    blob = b"".join(record + unknown for record, _ in good)
    reading = read("ts_track", write_slices(tmp_path, "ts_track", [blob]))
    assert reading.rows["step_trace"] == [row for _, row in good]
    assert reading.faults == {"unknown_type": 10}
    assert reading.ledger["bytes_rejected"] == 400
    assert reading.ledger["faults"][0]["first_offset"] == 40

    memcpy = next(form for form in FORMS if form.kind == "memcpy_info")
    good = [memcpy.make(rng) for _ in range(3)]
    other = bytearray(good[0][0])
    other[2:4] = struct.pack("<H", 4500)
    blob = good[0][0] + bytes(other) + good[1][0] + good[2][0]
    reading = read("compact.memcpy_info", write_slices(tmp_path, "memcpy", [blob]))
    assert reading.rows["memcpy_info"] == [row for _, row in good]
    assert reading.faults == {"unknown_level": 1}


@pytest.mark.parametrize(
    ("stream", "options", "code"),
    [
        ("stars_soc", {"platform_version": "15"}, "unsupported_chip"),
        ("ffts_profile", {"platform_version": "2"}, "unsupported_chip"),
        ("stars_soc_profile", {"platform_version": ""}, "unsupported_chip"),
        ("compact.task_track", {"platform_version": "16"}, "unsupported_chip"),
        ("aicore", {}, "unsupported_form"),
        ("llc", {"version": "3.0"}, "unsupported_form"),
        ("hbm", {"version": "3.0"}, "unsupported_form"),
        ("hwts", {}, "no_layout"),
        ("123-Memory", {}, "no_layout"),
        ("instr.group_0_aic", {}, "no_layout"),
    ],
)
def test_what_is_not_specified_is_rejected_loudly(stream: str, options: dict[str, str], code: str, tmp_path: Path):
    reading = read(stream, write_slices(tmp_path, stream, [b"\0" * 4096, b"\1" * 77]), **options)
    assert reading.rows == {}
    assert set(reading.faults) == {code}
    assert reading.ledger["bytes_rejected"] == 4096 + 77


def test_an_unknown_stream_is_an_error():
    with pytest.raises(ValueError, match="no stream 'nonsense'"):
        _native.ProfDecoder("nonsense", [])


def test_repeated_elements_give_a_row_each(tmp_path: Path):
    def record(op_name: int, ids: list[int], count: int | None = None) -> bytes:
        head = struct.pack("<HHIIIQ", 0x5A5A, 10000, 4, 7, 232, 99)
        return (head + struct.pack(f"<QI{len(ids)}I", op_name, len(ids) if count is None else count, *ids)).ljust(
            256, b"\0"
        )

    blob = record(1, [4, 5]) + record(2, []) + record(3, list(range(55))) + record(4, [1], count=56)
    reading = read("additional.context_id_info", write_slices(tmp_path, "context", [blob]))
    rows = [(row["op_name"], row["position"], row["context"]) for row in reading.rows["context_id_info"]]
    assert rows == [(1, 0, 4), (1, 1, 5), (2, -1, -1), *((3, place, place) for place in range(55))]
    assert reading.faults == {"bad_count": 1}


@pytest.mark.parametrize(
    ("stream", "kind", "before", "after", "code", "most", "column"),
    [
        ("additional.fusion_op_info", "fusion_op_info", "Q", "5Q", "Q", 8, "fusion_op"),
        ("additional.logic_stream_info", "logic_stream_info", "I", "", "I", 56, "physic_stream"),
        ("additional.Multi_Thread", "multi_thread", "", "", "I", 25, "sub_thread"),
        ("additional.mc2_comm_info", "mc2_comm_info", "Q4I", "", "I", 8, "comm_stream"),
    ],
)
def test_lists_in_additional_records(
    stream: str, kind: str, before: str, after: str, code: str, most: int, column: str, tmp_path: Path
):
    rng = random.Random(kind)
    blob, expected = b"", []
    for count in (1, most, 2):
        values = [rng.getrandbits(31) for _ in range(count)]
        record = struct.pack("<HHIIIQ", 0x5A5A, 15000, 0, 7, 232, 99) + bytes(struct.calcsize("<" + before))
        record += (
            struct.pack("<I", count) + bytes(struct.calcsize("<" + after)) + struct.pack(f"<{count}{code}", *values)
        )
        blob += record.ljust(256, b"\0")
        expected += list(enumerate(values))
    reading = read(stream, write_slices(tmp_path, kind, [blob]))
    assert [(row["position"], row[column]) for row in reading.rows[kind]] == expected


@pytest.mark.parametrize(
    ("stream", "kind", "value"), [("lpmFreqConv", "frequency", "mhz"), ("lpmInfoConv", "low_power_state", "value")]
)
def test_changes_of_frequency_and_voltage(stream: str, kind: str, value: str, tmp_path: Path):
    changes = [(10, 800), (20, 1650), (30, 1000)]
    record = struct.pack("<II", 3, 1) + b"".join(struct.pack("<QII", *change, 0) for change in changes)
    reading = read(stream, write_slices(tmp_path, stream, [record.ljust(888, b"\0") * 2]))
    assert [(row["time"], row[value]) for row in reading.rows[kind]] == changes * 2


def test_two_hccl_tasks_in_a_record(tmp_path: Path):
    part = struct.Struct("<3Q4I2Qd3QIIHH7B9x")
    values = (1, 2, 3, 0, 1, 8, 2, 77, 123, 1.5, 0x10, 0x20, 4096, 70000, 0, 33, 1, 0, 4, 1, 0, 0, 1, 2)
    head = struct.pack("<HHIIIQ", 0x5A5A, 6000, 13, 5, 232, 500)
    blob = head + part.pack(*values) + part.pack(*values) + head + part.pack(*values) + b"\0" * 116
    rows = read("aicpu", write_slices(tmp_path, "aicpu.data.0", [blob])).rows["device_hccl_task"]
    assert [row["position"] for row in rows] == [0, 1, 0]
    names = (
        "item tag group local_rank remote_rank rank_count stage notify task_time duration_estimated source_address "
        "target_address size task _ stream plane op_type data_type link_type transport_type rdma_type role "
        "work_flow_mode"
    )
    expected = {name: value for name, value in zip(names.split(), values, strict=True) if name != "_"}
    assert all({**row, **expected} == row for row in rows)
