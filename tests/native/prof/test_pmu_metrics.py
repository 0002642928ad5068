"""PMU metrics against the formulas written out in Python (cann-files.md 5.4)."""

from __future__ import annotations

import random
from array import array
from math import ceil

import pyarrow as pa
import pytest

from warehouse import _native
from warehouse.store.table_list import CORE_METRICS

CYCLES, CORES, NOMINAL = 400_000, 24, 1650.0
PIPE = [0x8, 0xA, 0x9, 0xB, 0xC, 0xD, 0x54, 0x55]
EXCT = [0x416, 0x417, 0x9, 0x302, 0xC, 0x303, 0x54, 0x55]


def evaluate(
    group: str, events: list[int], rows: list[list[int]], blocks: int = 20, mhz: int = 1000, cycles: int = CYCLES
) -> list[dict]:
    counters = [array("q", [row[place] for row in rows]) for place in range(8)]
    count = len(rows)
    batch = _native.PmuMetrics(group, events).evaluate(
        counters, array("q", [cycles] * count), array("q", [blocks] * count), array("q", [mhz] * count),
        cores=CORES, nominal_mhz=NOMINAL,
    )  # fmt: skip
    return pa.record_batch(batch).to_pylist()


def numbers(seed: int) -> list[int]:
    rng = random.Random(seed)
    return [rng.randrange(1, CYCLES) for _ in range(8)]


@pytest.mark.parametrize("blocks", [1, 20, 24, 25, 49])
def test_times_and_ratios_of_pipes(blocks: int):
    row = numbers(blocks)
    by_event = dict(zip(PIPE, row, strict=True))
    (found,) = evaluate("PipeUtilization", PIPE, [row], blocks)
    total_us = CYCLES * 1e6 / 1000e6 / blocks * ceil(blocks / CORES)
    assert found["total_time_ns"] == total_us * 1000
    assert found["total_cycles_count"] == CYCLES
    for name, event in (("vec", 0x8), ("mac", 0xA), ("scalar", 0x9), ("mte1", 0xB), ("mte2", 0xC), ("mte3", 0xD)):
        assert found[f"{name}_ratio"] == by_event[event] / CYCLES
        assert found[f"{name}_time_ns"] == pytest.approx(total_us * 1000 * by_event[event] / CYCLES, rel=1e-12)
    assert found["icache_miss_ratio"] == pytest.approx(by_event[0x55] / by_event[0x54], rel=1e-12)


def test_two_events_of_the_cube():
    row = numbers(1)
    (found,) = evaluate("PipeUtilizationExct", EXCT, [row])
    assert found["mac_ratio"] == row[0] / CYCLES + row[1] / CYCLES
    assert found["fixpipe_ratio"] == row[5] / CYCLES
    assert "vec_ratio" not in found


def test_bandwidth_is_reckoned_with_the_nominal_clock():
    events = [0x15, 0x16, 0x31, 0x32, 0x12, 0x13, 0xF, 0x10]
    row = numbers(2)
    (found,) = evaluate("Memory", events, [row])
    names = ("ub_read", "ub_write", "l1_read", "l1_write", "main_mem_read", "main_mem_write", "l2_read", "l2_write")
    factors = (256 * 4, 256 * 4, 256 * 16, 128 * 8, 8 * 8, 8 * 8, 256 * 8, 256 * 8)
    for name, factor, counter in zip(names, factors, row, strict=True):
        assert found[f"{name}_bw"] == pytest.approx(counter * factor / (CYCLES / (NOMINAL * 1e6)) / 2**33, rel=1e-12)


def test_operations_and_kilobytes():
    (found,) = evaluate(
        "ArithmeticUtilization", [0x49, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F, 0], [[3, 5, 7, 11, 13, 17, 19, 0]]
    )
    assert found["cube_fops_count"] == 8192 * 3 + 16384 * 5
    assert found["vector_fops_count"] == 128 * 11 + 64 * 13 + 64 * 7 + 64 * 17 + 32 * 19
    assert found["vec_fp16_ratio"] == 11 / CYCLES + 13 / CYCLES
    (found,) = evaluate(
        "MemoryAccess", [0x50D, 0x50E, 0x50C, 0x32, 0x206, 0x20C, 0x3E, 0x3D], [[8, 16, 24, 80, 40, 100, 32, 64]]
    )
    names = "read_main_memory write_main_memory gm_to_l1 l0c_to_l1 l0c_to_gm gm_to_ub ub_to_gm"
    assert [found[f"{name}_datas"] for name in names.split()] == [3, 3, 10, 5, 7.5, 4, 8]
    (found,) = evaluate("L2Cache", [0x500, 0x502, 0x504, 0x506, 0x508, 0x50A, 0, 1], [[1, 2, 3, 4, 5, 6, 7, 8]])
    assert list(found.values())[2:] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(("change", "value"), [({"cycles": 0}, 0), ({"blocks": 0}, 0), ({"mhz": 0}, 0)])
def test_nothing_is_divided_by_zero(change: dict, value: int):
    (found,) = evaluate("PipeUtilization", PIPE, [[0] * 8], **change)
    assert found["total_time_ns"] == value
    assert found["icache_miss_ratio"] == 0


def test_what_cannot_be_evaluated_is_an_error():
    with pytest.raises(ValueError, match="'Custom:0x1' is not specified"):
        _native.PmuMetrics("Custom:0x1", PIPE)
    with pytest.raises(ValueError, match="7 events"):
        _native.PmuMetrics("PipeUtilization", PIPE[:7])
    with pytest.raises(ValueError, match="vec_time_ns needs event 8"):
        _native.PmuMetrics("PipeUtilization", EXCT)
    with pytest.raises(ValueError, match="blocks has 1 rows"):
        _native.PmuMetrics("Memory", [0x15, 0x16, 0x31, 0x32, 0x12, 0x13, 0xF, 0x10]).evaluate(
            [array("q", [1, 2])] * 8, array("q", [1, 2]), array("q", [1]), array("q", [1, 2]), cores=1, nominal_mhz=1
        )


def test_every_group_names_columns_of_the_warehouse():
    events = {
        "PipeUtilization": PIPE,
        "PipeUtilizationExct": EXCT,
        "ArithmeticUtilization": [*range(0x49, 0x50), 0],
        "Memory": [0x15, 0x16, 0x31, 0x32, 0x12, 0x13, 0xF, 0x10],
        "MemoryL0": [0x1B, 0x1C, 0x21, 0x22, 0x27, 0x29, 0x28, 0x2A],
        "MemoryUB": [0x43, 0x44, 0x37, 0x38, 0, 0, 0, 0],
        "ResourceConflictRatio": [0x64, 0x65, 0x66, 0, 0, 0, 0, 0],
        "L2Cache": [*range(0x500, 0x50C, 2), 0, 0],
        "MemoryAccess": [0x50D, 0x50E, 0x50C, 0x32, 0x206, 0x20C, 0x3E, 0x3D],
    }
    assert sorted(events) == sorted(_native.PmuMetrics.groups())
    for group, counted in events.items():
        assert set(_native.PmuMetrics(group, counted).names) <= set(CORE_METRICS)
