"""The text files of the small sample, cell by cell: names, order and formats of columns, numbers, ends of lines."""

import csv
import json
import stat

import pytest

from warehouse.errors import UsageError
from warehouse.export import export, kind_names
from warehouse.ingest import ingest
from warehouse.sample import write_profile

OUTPUT = "ASCEND_PROFILER_OUTPUT"
# what these profiles were not made with
NOT_RECORDED = {"data_preprocess.csv", "l2_cache.csv", "soc_pmu.csv"} | {
    f"{name}.csv" for name in ("nic", "roce", "pcie", "hccs")
}
RANKS = ["sim_41000_20251009085320000_ascend_pt", "sim_41011_20251009085320000_ascend_pt"]
MATMUL = (
    "3,0,4294967295,2,2,aclnnAddmm_MatMulV2_MatMulV2,MatMulV2,dynamic,AI_CORE,1760000000005179.200\t,22.780,1.500000,8,0,NO,"
    '"""128,256;128,256""",FLOAT16;FLOAT16,ND;ND,"""128,256""",FLOAT16,ND,N/A,'
    "21.641,21641,15.308,0.707,1.515,0.07,4.545,0.21,9.033,0.417,2.381,0.11,0.012,"
    "0.0,0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0"
)
COLLECTIVE = (
    "3,0,4294967295,N/A,N/A,hcom_allReduce__002_0_1,hcom_allReduce_,N/A,COMMUNICATION,1760000000005454.420\t,10.240,"
    "0.620000,0" + ",N/A" * 33
)
PMU = (
    "aicore_time(us),aic_total_cycles,aic_mac_time(us),aic_mac_ratio,aic_scalar_time(us),aic_scalar_ratio,"
    "aic_mte1_time(us),aic_mte1_ratio,aic_mte2_time(us),aic_mte2_ratio,aic_fixpipe_time(us),aic_fixpipe_ratio,"
    "aic_icache_miss_rate,aiv_time(us),aiv_total_cycles,aiv_vec_time(us),aiv_vec_ratio,aiv_scalar_time(us),"
    "aiv_scalar_ratio,aiv_mte2_time(us),aiv_mte2_ratio,aiv_mte3_time(us),aiv_mte3_ratio,aiv_icache_miss_rate"
)
# file -> rows, header, some rows (number from 1, text)
FILES = {
    "kernel_details.csv": (
        75,
        "Step Id,Device_id,Model ID,Task ID,Stream ID,Name,Type,OP State,Accelerator Core,Start Time(us),Duration(us),"
        "Wait Time(us),Block Num,Mix Block Num,HF32 Eligible,Input Shapes,Input Data Types,Input Formats,Output Shapes,"
        "Output Data Types,Output Formats,Context ID," + PMU,
        {2: MATMUL, 19: COLLECTIVE},
    ),
    "op_statistic.csv": (
        10,
        "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)",
        {
            1: "0,MatMulV2,AI_CORE,18,397.78,19.28,22.099,24.06,39.237",
            10: "0,ForeachMulScalar,AI_VECTOR_CORE,6,12.26,1.94,2.043,2.28,1.209",
        },
    ),
    "api_statistic.csv": (
        34,
        "Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance",
        {1: "host,communication,Memcpy,10.8,9,1.2,1.2,1.2,0", 34: "host,node,launch,331.5,50,6.63,4.98,8.74,0.975"},
    ),
    "task_time.csv": (
        155,
        "Device_id,kernel_name,kernel_type,stream_id,task_id,task_time(us),task_start(us),task_stop(us)",
        {
            1: "0,N/A,PROFILING_ENABLE,0,0,0.020,1760000000004000.000\t,1760000000004000.020\t",
            4: "0,aclnnAddmm_MatMulV2_MatMulV2,AI_CORE,2,2,22.780,1760000000005179.200\t,1760000000005201.980\t",
        },
    ),
    "step_trace_time.csv": (
        3,
        "Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,"
        "Communication(Not Overlapped and Exclude Receive),Preparing",
        {1: "0,3,288.44,16.76,0.0,16.76,91.3,396.5,0,16.76,57.996"},
    ),
    "operator_memory.csv": (
        48,
        "Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),Active Duration(us),"
        "Allocation Total Allocated(MB),Allocation Total Reserved(MB),Allocation Total Active(MB),"
        "Release Total Allocated(MB),Release Total Reserved(MB),Release Total Active(MB),Stream Ptr,Device Type",
        {
            1: "aten::addmm,64.0,1760000000005024.104\t,1760000000005029.804\t,1760000000005029.784\t,5.700\t,5.680\t,"
            "0.0625,2.0,0.0625,0.0,2.0,0.0,897461056,NPU:0",
            48: "cann::aclnnFlashAttentionScoreGrad_FlashAttentionScoreGrad_FlashAttentionScoreGrad,2048.0,"
            "1760000000006057.729\t,1760000000006067.469\t,,9.74,,2.0,2.0,0.0,0.0,2.0,0.0,,NPU:0",
        },
    ),
    "memory_record.csv": (
        285,
        "Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Stream Ptr,Device Type",
        {1: "APP,1760000000005120.504\t,,64.35051536560059,,,NPU:0", 49: "GE,1760000000005186.184\t,2.0,2.0,,,NPU:0"},
    ),
    "npu_module_mem.csv": (
        27,
        "Device_id,Component,Timestamp(us),Total Reserved(MB),Device",
        {1: "0,GE,1760000000005120.504\t,45.0,NPU:0"},
    ),
}


@pytest.fixture(scope="module")
def exported(sample, tmp_path_factory):
    folder = tmp_path_factory.mktemp("text") / "out"
    report = export(sample, folder, ["text"])
    return folder, report


@pytest.mark.parametrize("name", FILES)
def test_cells(exported, name):
    folder, _ = exported
    count, header, some = FILES[name]
    lines = (folder / RANKS[0] / OUTPUT / name).read_bytes().decode().split("\r\n")
    assert lines[0] == header
    assert lines[-1] == ""
    assert len(lines) == count + 2
    assert {number: lines[number] for number in some} == some


def test_operators(exported):
    folder, _ = exported
    path = folder / RANKS[0] / OUTPUT / "operator_details.csv"
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 175
    assert not any("ProfilerStep#" in row["Name"] for row in rows)
    attention = next(row for row in rows if row["Name"] == "npu::npu_fusion_attention")
    assert list(attention.values()) == [
        "npu::npu_fusion_attention",
        "192,256;\r\n192,256;\r\n192,256;\r\n",
        "train.py(34): train_step;\r\ntrain.py(60): main;\r\ntrain.py(70): <module>",
        "2.8", "5.5", "0", "31.82", "0", "0",
    ]  # fmt: skip


def test_communication(exported):
    folder, _ = exported
    content = json.loads((folder / RANKS[0] / OUTPUT / "communication.json").read_text(), parse_float=str)
    assert list(content) == ["step3", "step4", "step5"]
    operator = content["step3"]["p2p"]["hcom_send__005_0_1@4238000060001180005"]
    assert operator["Communication Time Info"] == {
        "Start Timestamp(us)": "1760000000005454.740",
        "Elapse Time(ms)": "0.01126",
        "Transit Time(ms)": "0.00204",
        "Wait Time(ms)": "0.00842",
        "Synchronization Time(ms)": "0.00842",
        "Idle Time(ms)": "0.0008",
        "Wait Time Ratio": "0.805",
        "Synchronization Time Ratio": "0.805",
    }
    assert operator["Communication Bandwidth Info"]["HCCS"] == {
        "Transit Size(MB)": "0.065536",
        "Transit Time(ms)": "0.00408",
        "Bandwidth(GB/s)": "16.0627",
        "Large Packet Ratio": "0.0",
        "Size Distribution": {"0.032768": [2, "0.00408"]},
    }
    total = content["step3"]["collective"]["Total Op Info"]
    assert total["Communication Bandwidth Info"]["HCCS"] == {
        "Transit Size(MB)": "0.16384",
        "Transit Time(ms)": "0.0102",
        "Size Distribution": {"0.016384": [2, "0.00204"], "0.065536": [2, "0.00816"]},
    }
    assert "Start Timestamp(us)" not in total["Communication Time Info"]
    assert list(total["Communication Bandwidth Info"]) == ["RDMA", "HCCS", "PCIE", "SDMA", "SIO"]


def test_communication_matrix(exported):
    folder, _ = exported
    content = json.loads((folder / RANKS[0] / OUTPUT / "communication_matrix.json").read_text())
    assert content["step3"]["collective"]["allreduce-top1@4238000060000180002"] == {
        "0-0": {
            "Transport Type": "LOCAL",
            "Transit Size(MB)": 0.008192,
            "Transit Time(ms)": 0.0004,
            "Bandwidth(GB/s)": 20.48,
            "Op Name": "hcom_allReduce__002_0_1",
        },
        "0-1": {
            "Transport Type": "HCCS",
            "Transit Size(MB)": 0.032768,
            "Transit Time(ms)": 0.00204,
            "Bandwidth(GB/s)": 16.0627,
            "Op Name": "hcom_allReduce__002_0_1",
        },
    }
    assert "Op Name" not in content["step3"]["p2p"]["send-total@4238000060001180005"]["0-1"]


def test_report_and_modes(exported):
    folder, report = exported
    assert {file.path.name for file in report.files} >= set(FILES) | {"trace_view.json", "communication.json"}
    assert {file.rank_no for file in report.files} == {0, 1}
    assert {path.parent.parent.name for path in folder.rglob("*.csv")} == set(RANKS)
    for path in folder.rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o750 if path.is_dir() else 0o640), path


def test_level0_has_fewer_files_and_columns(tmp_path):
    write_profile(tmp_path / "job", ranks=1, steps=1, ops_per_step=8, level="Level0")
    ingest([tmp_path / "job"], tmp_path / "W.db")
    report = export(tmp_path / "W.db", tmp_path / "out", ["text"])
    absent = {name.rpartition("/")[2] for name in report.absent} - NOT_RECORDED
    assert absent == {"op_statistic.csv", "api_statistic.csv", "communication.json", "communication_matrix.json"}
    assert not any(path.name in absent for path in (tmp_path / "out").rglob("*"))
    header = next((tmp_path / "out").rglob("kernel_details.csv")).read_text().splitlines()[0]
    assert header == (
        "Step Id,Device_id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Num,"
        "Mix Block Num,Input Shapes,Input Data Types,Input Formats,Output Shapes,Output Data Types,Output Formats"
    )


def test_older_generation_gives_the_newest_files(tmp_path):
    write_profile(tmp_path / "job", ranks=1, steps=1, ops_per_step=8, generation="1.0.0")
    ingest([tmp_path / "job"], tmp_path / "W.db")
    export(tmp_path / "W.db", tmp_path / "out", ["kernel_details"])
    header = next((tmp_path / "out").rglob("kernel_details.csv")).read_text().splitlines()[0]
    assert header == FILES["kernel_details.csv"][1]


def test_unknown_kind_lists_the_kinds(sample, tmp_path):
    with pytest.raises(UsageError, match=r"'nonsense' cannot be exported \(kinds are text trace_view .* parquet"):
        export(sample, tmp_path / "out", ["nonsense"])
    assert not (tmp_path / "out").exists()
    assert {"kernel_details", "trace", "communication"} <= set(kind_names())


def test_a_file_name_is_a_kind(sample, tmp_path):
    report = export(sample, tmp_path / "out", ["op_statistic.csv"], rank=1)
    assert [file.path for file in report.files] == [tmp_path / "out" / RANKS[1] / OUTPUT / "op_statistic.csv"]
