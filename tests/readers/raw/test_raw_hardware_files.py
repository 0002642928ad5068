"""Files and traces of hardware counters out of a few records, to the byte."""

import json

import pytest
import stream_records as records
from raw_run_writer import at

from warehouse.export import export
from warehouse.ingest import ingest

MOMENT = 1_024_000  # ns; doubles of the wall clock hold it exactly
READ_EVENTS = (0x00, 0x01, 0x02, 0x13, 0x20, 0x22, 0x34, 0x36)
NETWORK = "rxPacketRate rxByteRate rxPackets rxBytes rxErrors rxDropped".split()


def _record(run):
    """Two moments of everything; most move 4 MB in between, which are 3906.25 MB/s."""
    run.sample |= {"llc_profiling": "read", "qosEvents": "DVPP,OTHERS", "npuEvents": "SMMU:0x2,0x8a,0x8c,0x8d"}
    run.sample["l2CacheTaskProfilingEvents"] = "0xfb,0xfc,0x90,0x91,0x9c"
    add = run.device_stream
    for place, time in enumerate((MOMENT, 2 * MOMENT)):
        for event in (0, 1):
            for stack in range(4):
                add("hbm.data", records.hbm(time // 1000, 4 * 32_768, event, stack))
        add("ddr.data", records.ddr(time // 1000, 4 * 65_536, 0, 0))
        for event in READ_EVENTS:
            add("llc.data", records.llc(time // 1000, 4 * 128, event, 0))
        add("pcie.data", records.pcie(time, *(1_048_576 + 1_048_576 * place + each for each in (0, 2, 1) * 7)))
        add("stars_soc_profile.data", records.sio(time, 0, *[4 * 1048576] * 8))
        add("stars_soc_profile.data", records.stars_qos(time, 0, 7, *range(9)))
        add("stars_soc_profile.data", records.transmission(time, 0, 5, 100, 200))
        add("stars_soc_profile.data", records.soc_level(time, 17, 5))
        add("stars_soc_profile.data", records.accelerator(time, 3, 10, 20, 30, 40))
        totals = f"{4 * 1048576 * place} {8 * 1048576 * place}"
        add("hccs.data", f"{'' if place else 'time tx rx' + chr(10)}{records.DEVICE_NS + time}: {totals}\n".encode())
        port = f"100 7 {131072 * 50} {100 * place} {4 * 1048576 * place} {place} 0"
        line = f"{records.DEVICE_NS + time}: {port} {port[4:]} 2\n"
        for stream in ("nic.data", "roce.data"):
            add(stream, ("" if place else "head\n").encode() + line.encode())
    add("l2_cache.data", records.l2_cache(2, 0, 300, 100, 90, 10, 20))
    add("socpmu.data", records.soc_pmu(2, 2, 1, 1, 8, 2, 4))
    add("aicpu.data", records.aicpu_node(2, 0, 8_400, 11_000, 8_000, 11_400, 3, 1, 1))
    add("aicpu.data", records.preprocess(9_000, "dequeue", "iterator", 3, 131))
    add("aicpu.data", records.queue_wait(8_000, 1, 7, 500, 900))


@pytest.fixture
def made(run, tmp_path):
    """A function: the text of an exported file; `*` stands for a time stamp."""
    _record(run)
    run.write(tmp_path / "in")
    ingest([tmp_path / "in"], tmp_path / "W.db")
    export(tmp_path / "W.db", tmp_path / "out", ["text", "msprof", "trace"])

    def text(pattern):
        (path,) = (tmp_path / "out").rglob(pattern)
        return path.read_bytes().decode()

    return text


PCIE = ("Tx_p_avg(MB/s)", "Tx_np_avg(MB/s)", "Tx_cpl_avg(MB/s)", "Tx_latency_avg(us)", "Rx_p_avg(MB/s)")
PORT = "rxPacket/s,rxError rate(%),rxDropped rate(%)"
FILES = {
    "hbm_*.csv": [
        "Device_id,Metric,Read(MB/s),Write(MB/s)", "0,Average,1953.125,1953.125",
        *(f"0,{stack},1953.125,1953.125" for stack in range(4)),
    ],
    "ddr_*.csv": ["Device_id,Metric,Read(MB/s),Write(MB/s)", "0,Average,3906.25,0.0"],
    "llc_read_write_*.csv": [
        "Device_id,Mode,Task,Hit Rate(%),Throughput(MB/s)", "0,read,Average,200.0,1953.125", "0,read,0,200.0,1953.125",
    ],
    "ASCEND_PROFILER_OUTPUT/hccs.csv": [
        "Device_id,Mode,Max,Min,Average", "0,Tx (MB/s),3906.25,3906.25,3906.25", "0,Rx (MB/s),7812.5,7812.5,7812.5",
    ],
    "ASCEND_PROFILER_OUTPUT/nic.csv": [
        f"Device_id,Timestamp(us),Bandwidth(MB/s),Rx Bandwidth efficiency(%),{PORT},Tx Bandwidth efficiency(%),"
        f"{PORT.replace('rx', 'tx')},funcId",
        "0,1700000000001024.000\t,100.0,31250.0,97656.25,1.0,0.0,31250.0,97656.25,1.0,0.0,2",
    ],
    "ASCEND_PROFILER_OUTPUT/l2_cache.csv": [
        "Device_id,Stream Id,Task Id,Hit Rate,Victim Rate,Op Name", "0,2,0,N/A,0.05,aclnnAdd_Add_Add",
    ],
    "ASCEND_PROFILER_OUTPUT/soc_pmu.csv": [
        "Device_id,Stream Id,Task Id,TLB Hit Rate,TLB Miss Rate,Op Name", "0,2,1,0.75,0.125,aclnnMul_Mul_Mul",
    ],
    "aicpu_[0-9]*.csv": [
        "Device_id,Timestamp(us),Node,Compute_time(us),Memcpy_time(us),Task_time(us),Dispatch_time(us),Total_time(us),"
        "Stream ID,Task ID",
        "0,1700000000000008.400\t,N/A,3.0,1.0,2.6,1.0,3.4,2,0",
    ],
    "dp_*.csv": [
        "Device_id,Timestamp(us),Action,Source,Cached Buffer Size", "0,1700000000000009.000\t,dequeue,iterator,131",
    ],
    "aicpu_mi_*.csv": [
        "Device_id,Node Name,Start Time(us),End Time(us),Queue Size", "0,GetNext_dequeue_wait,500,900,7",
    ],
}  # fmt: skip


def test_files(made):
    for pattern, lines in FILES.items():
        assert made(pattern).replace("\r\n", "\n").splitlines() == lines, pattern
    pcie = made("ASCEND_PROFILER_OUTPUT/pcie.csv").splitlines()
    assert pcie[0] == "Device_id,Mode,Min,Max,Avg"
    assert pcie[1] == "0,Tx_p_avg(MB/s),2000000.0,2000001.907,2000000.954"  # MB/s of the last sample
    assert pcie[4] == "0,Tx_latency_avg(us),2097.152,2097.154,2097.153"
    assert [line.split(",")[1] for line in pcie[1:6]] == list(PCIE)
    assert made("ASCEND_PROFILER_OUTPUT/roce.csv") == made("ASCEND_PROFILER_OUTPUT/nic.csv")
    assert (
        made("mindstudio_profiler_output/nic_*.csv").splitlines() == made("ASCEND_PROFILER_OUTPUT/nic.csv").splitlines()
    )


TRACE = {  # at the second moment
    "HBM 2/Write": {"Write(MB/s)": 3906.25},
    "LLC 0 Read/Throughput": {"Throughput(MB/s)": 3906.25},
    "LLC 0 Read/Hit Rate": {"Hit Rate(%)": 2.0},
    "DDR/Read": {"Read(MB/s)": 3906.25},
    "Tx": {"Tx(MB/s)": 3906.25},
    "Rx": {"Rx(MB/s)": 7812.5},
    "Port 2/Rx": {
        "Rx Dropped Rate": 0.0, "Rx Error Rate": 0.01, "Rx Packets": 7.0, "Rx Bandwidth Efficiency": 0.5,
    },
    "PCIe_post": {"Tx": (2_097_153 * 1_000_000) / 1048576, "Rx": (2_097_153 * 1_000_000) / 1048576},
    "PCIe_nonpost_latency": {"Tx": 2_097_153 * 0.001, "Rx": 0},
    "dat_rx": {"die 0": 3906.25},
    "QoS DVPP": {"die 0": 7},
    "PA Link Rx": {"PA Link ID": 5, "value": 100.0},
    "L2 Buffer Bw Level": {"L2 Buffer Bw Level": 17},
    "read_bandwidth": {"value": 10},
}  # fmt: skip


def test_traces(made):
    for pattern in ("trace_view.json", "msprof_*.json"):
        events = json.loads(made(pattern))
        counters = [event for event in events if event["ph"] == "C"]
        last = {event["name"]: event["args"] for event in counters if float(event["ts"]) == at(2 * MOMENT) / 1000}
        assert {name: last.get(name) for name in TRACE} == TRACE
        named = {event["pid"] for event in events if event["name"] == "process_name"}
        assert {event["pid"] for event in counters} <= named
    own = json.loads(made("trace.json"))["traceEvents"]
    tracks = {event["name"] for event in own if event["ph"] == "C"}
    assert tracks >= {
        "HBM 3 write (bytes/s)", "DDR read (bytes/s)", "LLC 0 read hitRate (percent)", "HCCS txThroughput (bytes/s)",
        "NIC 2 rxPacketRate (packets/s)", "ROCE 2 bandwidth (bytes/s)", "PCIE txPostAvg (bytes/s)",
        "SIO die 0 rxDat (bytes/s)", "QOS 0 QoS DVPP (bytes/s)", "PA_LINK 5 rx (level)",
        "ACC_PMU 3 readBwLevel (level)", "SOC_BANDWIDTH_LEVEL mataBwLevel (level)",
    }  # fmt: skip
