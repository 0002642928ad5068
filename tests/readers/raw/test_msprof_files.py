"""A small raw run into the files of msprof itself: what they say, where they lie, and which part of the run."""

import csv
import json
import struct

import pytest
from raw_run_writer import PROF, RUN, at, host_ticks
from synth import codes, host_records

from warehouse.export import export
from warehouse.ingest import ingest

STAMP = "20231114221321"  # the recording ends 1 s after it began
FOLDER = f"{RUN}/{PROF}/mindstudio_profiler_output"


def us(time_ns):
    """A moment of the run as the files write it."""
    return f"{at(time_ns) // 1000}.{at(time_ns) % 1000:03d}\t"


@pytest.fixture
def complete(run):
    """The small run and a matrix product of 10 us, the graph engine's memory, memory of the device."""
    run.op("aten::mm", 45_000, 46_000)
    run.launch("aclnnMm_MatMul_MatMul", "MatMul", 45_000, 3, (50_000, 60_000), symbol="MatMul_k0", cube_cycles=330_000)
    for time, size, allocated in ((51_000, 1536, 2048), (52_500, -1536, 512)):
        payload = host_records.task_memory(0x10, size, run.hash("aclnnMm_MatMul_MatMul"), allocated, 1 << 20, 0)
        record = host_records.additional(codes.L_NODE, 6, 709, host_ticks(time), payload)
        run.stream("additional.task_memory_info", record)
    run.device_stream("npu_mem.data", struct.pack("<IIQQQ", 61, 1, 0, 2048, 5000))
    run.device_stream("npu_module_mem.data", struct.pack("<IIQQ", 7, 0, host_ticks(62_000), 4095))
    return run


@pytest.fixture
def written(tmp_path, complete):
    """A function: export of the run's msprof files with a selection; gives their rows, or the trace, by name."""
    ingest([complete.write(tmp_path / "in")], tmp_path / "W.db")

    def write(**selection):
        export(tmp_path / "W.db", tmp_path / "out", ["msprof"], **selection)
        found = {}
        for path in (tmp_path / "out" / FOLDER).iterdir():
            name, _, stamp = path.stem.rpartition("_")
            assert stamp == STAMP
            with path.open(newline="", encoding="utf-8") as file:
                found[name] = json.load(file) if path.suffix == ".json" else list(csv.DictReader(file))
        return found

    return write


def test_every_file_is_there(written):
    assert set(written()) == {
        "msprof", "op_summary", "task_time", "op_statistic", "api_statistic", "operator_memory", "memory_record",
        "npu_mem", "npu_module_mem",
    }  # fmt: skip


def test_operators(written):
    rows = written()["op_summary"]
    assert [list(row.values())[:13] for row in rows] == [
        ["0", "4294967295", "0", "2", "aclnnAdd_Add_Add", "Add", "dynamic", "AI_VECTOR_CORE", us(8_000), "4.000",
         "0.000000", "40", "0"],
        ["0", "4294967295", "1", "2", "aclnnMul_Mul_Mul", "Mul", "dynamic", "AI_VECTOR_CORE", us(18_000), "6.000",
         "6.000000", "40", "0"],
        ["0", "4294967295", "3", "2", "aclnnMm_MatMul_MatMul", "MatMul", "dynamic", "AI_CORE", us(50_000), "10.000",
         "26.000000", "40", "0"],
    ]  # fmt: skip
    # 24 cube cores at 1650 MHz: 40 blocks go over them twice, and 330 000 cycles are 8.333 us of each
    chosen = ("aicore_time(us)", "aic_total_cycles", "aiv_time(us)", "aiv_total_cycles", "cube_utilization(%)")
    assert [[row[name] for name in chosen] for row in rows] == [
        ["0.0", "0", "1.0", "66000", "0.000"],
        ["0.0", "0", "1.0", "66000", "0.000"],
        ["10.0", "330000", "0.0", "0", "83.333"],
    ]
    assert {row["Input Shapes"] for row in rows} == {'"4,8;8"'}


def test_tasks_have_the_symbols_of_their_launches(written):
    chosen = ("kernel_name", "kernel_type", "stream_id", "task_id", "task_time(us)", "task_start(us)", "task_stop(us)")
    assert [[row[name] for name in chosen] for row in written()["task_time"]] == [
        ["N/A", "AI_VECTOR_CORE", "2", "0", "4.000", us(8_000), us(12_000)],
        ["N/A", "AI_VECTOR_CORE", "2", "1", "6.000", us(18_000), us(24_000)],
        ["N/A", "MEMCPY_ASYNC", "2", "2", "2.000", us(37_000), us(39_000)],
        ["MatMul_k0", "AI_CORE", "2", "3", "10.000", us(50_000), us(60_000)],
    ]


def test_sums(written):
    files = written()
    assert [list(row.values()) for row in files["op_statistic"]] == [
        ["0", "MatMul", "AI_CORE", "1", "10", "10", "10", "10", "50"],
        ["0", "Mul", "AI_VECTOR_CORE", "1", "6", "6", "6", "6", "30"],
        ["0", "Add", "AI_VECTOR_CORE", "1", "4", "4", "4", "4", "20"],
    ]
    assert [list(row.values()) for row in files["api_statistic"]] == [
        ["host", "acl", "aclnnAdd", "0.8", "1", "0.8", "0.8", "0.8", "0"],
        ["host", "acl", "aclnnMatMul", "0.8", "1", "0.8", "0.8", "0.8", "0"],
        ["host", "acl", "aclnnMul", "0.8", "1", "0.8", "0.8", "0.8", "0"],
        ["host", "acl", "aclrtMemcpyAsync", "1.6", "1", "1.6", "1.6", "1.6", "0"],
        ["host", "node", "launch", "1.8", "3", "0.6", "0.6", "0.6", "0"],
    ]


def test_memory(written):
    files = written()
    assert [list(row.values()) for row in files["operator_memory"]] == [
        ["0", "aclnnMm_MatMul_MatMul", "1.5", us(51_000), "1.5", "2.0", "1024.0", "0.5", "1024.0", "NPU:0"]
    ]
    assert [list(row.values()) for row in files["memory_record"]] == [
        ["0", "GE", us(51_000), "2.0", "1024.0", "NPU:0"],
        ["0", "GE", us(52_500), "0.5", "1024.0", "NPU:0"],
    ]
    (sample,) = files["npu_mem"]
    assert abs(float(sample.pop("timestamp(us)")) - at(61_000) / 1000) <= 0.256  # a double of ns
    assert list(sample.values()) == ["0", "Device", "2", "4", "6"]
    assert [list(row.values()) for row in files["npu_module_mem"]] == [["0", "RUNTIME", us(62_000), "3", "NPU:0"]]


def test_the_trace_is_the_half_that_msprof_makes(tmp_path, written):
    events = written()["msprof"]
    export(tmp_path / "W.db", tmp_path / "out", ["trace_view"])
    (path,) = (tmp_path / "out").rglob("trace_view.json")
    framework = json.loads(path.read_text())
    assert [event for event in events if event not in framework] == []
    rest = [event for event in framework if event not in events]
    assert {event["cat"] for event in rest if event["ph"] != "M"} == {
        "cpu_op", "enqueue", "dequeue", "python_function", "async_task_queue", "async_npu",
    }  # fmt: skip
    assert {event["args"]["name"] for event in rest if event["name"] == "process_name"} == {"Python"}
    assert {event["args"]["name"] for event in events if event["name"] == "process_name"} == {
        "CANN", "Ascend Hardware", "AI Core Freq", "NPU MEM", "Overlap Analysis",
    }  # fmt: skip


def test_the_lowest_level_keeps_the_calls_of_the_host(tmp_path, complete, written):
    sample = next((tmp_path / "in" / RUN / PROF).rglob("host/sample.json"))
    sample.write_text(sample.read_text().replace('"l1"', '"l0"').replace('"level1"', '"level0"'))
    profiler = tmp_path / "in" / RUN / "profiler_info_0.json"
    profiler.write_text(profiler.read_text().replace("Level1", "Level0"))
    (tmp_path / "W.db").unlink()
    ingest([tmp_path / "in"], tmp_path / "W.db")
    files = written()
    assert "op_statistic" not in files
    assert len(files["api_statistic"]) == 5
    assert {row["OP Type"] for row in files["op_summary"]} == {"N/A"}
    assert {row["kernel_name"] for row in files["task_time"]} == {"MatMul_k0", "N/A"}
    names = {event["name"] for event in files["msprof"] if event["ph"] == "X"}
    assert {"AscendCL@aclnnAdd", "Node@launch"} <= names


def test_a_step_takes_its_own(written):
    files = written(step=4)
    assert [row["Op Name"] for row in files["op_summary"]] == [
        "aclnnAdd_Add_Add", "aclnnMul_Mul_Mul", "aclnnMm_MatMul_MatMul",
    ]  # fmt: skip
    assert [row["Count"] for row in files["op_statistic"]] == ["1", "1", "1"]


def test_a_window_takes_what_overlaps_it(written):
    files = written(from_ns=at(20_000), to_ns=at(52_000))
    assert [row["Op Name"] for row in files["op_summary"]] == ["aclnnMul_Mul_Mul", "aclnnMm_MatMul_MatMul"]
    assert [row["kernel_type"] for row in files["task_time"]] == ["AI_VECTOR_CORE", "MEMCPY_ASYNC", "AI_CORE"]
    assert [row["Ratio(%)"] for row in files["op_statistic"]] == ["62.5", "37.5"]  # of 16 us
    assert [row["API Name"] for row in files["api_statistic"]] == ["aclnnMatMul", "aclrtMemcpyAsync", "launch"]
    assert len(files["operator_memory"]) == len(files["memory_record"]) == 1
    assert "npu_mem" not in files
    assert {event["name"] for event in files["msprof"] if event["ph"] == "X" and event["tid"] == 2} >= {
        "aclnnMul_Mul_Mul", "MEMCPY_ASYNC", "aclnnMm_MatMul_MatMul",
    }  # fmt: skip
