"""Inputs of recorded operators: their bytes, and the work that they tell of."""

from __future__ import annotations

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse.batches.recorded_inputs import BadInputsError, RecordedInput, RecordedTensor, decode_inputs
from warehouse.readers.recorded_flops import flops_of


def tensor_bytes(*sizes, impl=7, storage=64, strides=True):
    head = struct.pack("<QQBBbbBB", impl, storage, 4, 6, 0, -1, len(sizes), strides)
    return head + struct.pack(f"<{len(sizes)}q", *sizes) * (1 + strides)


def test_every_kind_of_input():
    data = (
        bytes([1]) + tensor_bytes(2, 3)
        + bytes([0])
        + bytes([2]) + struct.pack("<H", 2) + tensor_bytes(5) + tensor_bytes(strides=False)
        + bytes([3, 0]) + struct.pack("<q", 1)
        + bytes([3, 2]) + struct.pack("<d", 0.5)
        + bytes([3, 3]) + bytes(8)
        + bytes([4]) + struct.pack("<H", 2) + b"".join(bytes([1]) + struct.pack("<q", n) for n in (1, -2))
    )  # fmt: skip
    kinds = [(each.kind, each.value) for each in decode_inputs(data)]
    assert kinds[0] == ("tensor", RecordedTensor(7, 64, 4, 6, (0, -1), (2, 3), (2, 3)))
    assert kinds[1] == ("none", None)
    assert kinds[2][0] == "tensors"
    assert [each.sizes for each in kinds[2][1]] == [(5,), ()]
    assert kinds[2][1][1].strides is None
    assert kinds[3:] == [("scalar", True), ("scalar", 0.5), ("scalar", None), ("scalars", [1, -2])]
    for cut in range(1, len(data)):
        try:
            assert decode_inputs(data[:cut]) == decode_inputs(data)[: len(decode_inputs(data[:cut]))]
        except BadInputsError:
            continue


@given(st.binary(max_size=200))
def test_damaged_bytes_are_refused_or_read(data):
    try:
        decode_inputs(data)
    except BadInputsError as error:
        assert str(error).startswith("byte ")  # noqa: PT017 any bytes may be fine


def tensor(*sizes):
    return RecordedInput("tensor", RecordedTensor(1, 1, 4, 6, (0, -1), sizes))


def numbers(*values):
    return RecordedInput("scalars", list(values))


NONE, NO, YES = RecordedInput("none"), RecordedInput("scalar", False), RecordedInput("scalar", True)


@pytest.mark.parametrize(
    ("name", "inputs", "expected"),
    [
        ("aten::mm", [tensor(4, 8), tensor(8, 3)], 2 * 4 * 8 * 3),
        ("aten::addmm", [tensor(3), tensor(4, 8), tensor(8, 3), NONE, NONE], 2 * 4 * 8 * 3),
        ("aten::bmm", [tensor(5, 4, 8), tensor(5, 8, 3)], 5 * 2 * 4 * 8 * 3),
        ("aten::add", [tensor(4, 8), tensor(8), NONE], 32),
        # 8x8 with a 3x3 kernel: 6x6, each of 16 channels meets 3 * 9 weights
        (
            "aten::convolution",
            [tensor(2, 3, 8, 8), tensor(16, 3, 3, 3), NONE, numbers(1, 1), numbers(0, 0), numbers(1, 1), NO,
             numbers(0, 0), RecordedInput("scalar", 1)],
            2 * 2 * 6 * 6 * 16 * 27,
        ),
        # with 3 groups, a step of 2 and a border of 1: 4x4
        (
            "aten::convolution",
            [tensor(1, 3, 8, 8), tensor(6, 1, 3, 3), NONE, numbers(2, 2), numbers(1, 1), numbers(1, 1), NO,
             numbers(0, 0), RecordedInput("scalar", 3)],
            2 * 4 * 4 * 6 * 9,
        ),
        ("aten::_scaled_dot_product_flash_attention_for_cpu", [tensor(2, 4, 10, 8)] * 3, 2 * (2 * 4) * 10 * 10 * 16),
        ("aten::view", [tensor(3)], None),
        ("aten::mm", [tensor(4, 8)], None),
        ("aten::mm", [NONE, NONE], None),
        ("aten::convolution", [tensor(2, 3, 8, 8), tensor(16, 3, 3, 3), *[NONE] * 7], None),
    ],
)  # fmt: skip
def test_floating_point_operations(name, inputs, expected):
    assert flops_of(name, inputs) == expected
