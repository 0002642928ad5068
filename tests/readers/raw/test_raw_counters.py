"""Series of counters out of a few records each, with values reckoned by hand."""

import struct

import pytest
import stream_records as records
from raw_run_writer import PROF, at, host_ticks

from warehouse.export import export

MB = 1048576
MS = 1_000_000


@pytest.fixture
def series(loaded, run):
    """A function: the run ingested, all samples of a family: (instance, name, unit, ns since the beginning, value)."""

    def samples(family):
        query = loaded(run)
        assert query("SELECT * FROM check_ledger") == []
        rows = query(
            "SELECT c.instance_no, c.name, c.unit, s.time_ns, s.value FROM counter c JOIN counter_sample s "
            f"ON s.counter_id = c.id WHERE c.family = '{family}' ORDER BY c.instance_no, c.name, s.time_ns"
        )
        samples.issues = query("SELECT code, text, count FROM issue ORDER BY id")
        return [(instance, name, unit, _since(time), value) for instance, name, unit, time, value in rows]

    return samples


def _since(time):
    """Stamps of samples are doubles: to the us."""
    return round((time - at(0)) / 1000) * 1000


def _only(rows, *names):
    return {name: [(time, value) for _, each, _, time, value in rows if each == name] for name in names}


def test_hbm_counts_32_bytes_since_the_round_before(run, series):
    for place in range(3):  # four stacks, reads and writes, 20 ms apart
        for event in (0, 1):
            for stack in range(4):
                time = 1000 + 20_000 * place
                run.device_stream("hbm.data", records.hbm(time, 1000 * (place + event) + stack, event, stack))
    run.device_stream("hbm.data", records.hbm(41_000, 2003, 0, 3))  # once more the same row
    found = series("HBM")
    assert len(found) == 24
    rows = {
        (instance, name): [value for _, value in _only(each, name)[name]] for instance, name, each in _groups(found)
    }
    assert rows[0, "read"] == [0, 1000 * 32 * 50, 2000 * 32 * 50]
    assert rows[3, "write"] == pytest.approx([0, 2003 * 32 * 50, 3003 * 32 * 50], rel=2e-5)  # ns of 256
    assert {row[2] for row in found} == {"bytes/s"}


def _groups(rows):
    for instance, name in dict.fromkeys((row[0], row[1]) for row in rows):
        yield instance, name, [row for row in rows if row[:2] == (instance, name)]


def test_hbm_of_one_kind(run, series):
    run.sample["hbm_profiling_events"] = "read"
    for place in range(2):
        for stack in range(4):
            run.device_stream("hbm.data", records.hbm(1024 * (1 + place), 1000 if place else 9, 0, stack))
    values = [value for *_, value in series("HBM")]
    assert values == pytest.approx([0, 1000 * 32 / 1024e-6] * 4)


def test_hbm_of_the_second_format_has_wall_clock(run, series):
    run.identity["version"] = "2.0"
    for place in range(2):
        for stack in range(4):
            for event in (0, 1):
                run.device_stream("hbm.data", records.hbm_2(at(MS * (1 + place)), 1000, event, stack))
    found = _only([row for row in series("HBM") if row[0] == 2], "write")["write"]
    assert found == [(MS, 0), (2 * MS, 1000 * 32 * 1000)]


def test_ddr_sums_the_channels_of_a_moment(run, series):
    for time, factor in ((1000, 1), (3000, 2)):
        for number in (0, 1):
            run.device_stream("ddr.data", records.ddr(time, 100 * factor, 0, number))
            run.device_stream("ddr.data", records.ddr(time, 50 * factor, 1, number))
    run.device_stream("ddr.data", records.ddr(3000, 7, 0, 0, mark=5))
    found = series("DDR")
    assert {name for _, name, *_ in found} == {"read", "write", "master read"}
    assert _only(found, "read", "write") == {
        "read": [(MS, 200 * 16 * 1000), (3 * MS, 400 * 16 * 500)],
        "write": [(MS, 100 * 16 * 1000), (3 * MS, 200 * 16 * 500)],
    }
    assert _only(found, "master read")["master read"][-1] == (3 * MS, 7 * 16 * 500)


READ_EVENTS = (0x00, 0x01, 0x02, 0x13, 0x20, 0x22, 0x34, 0x36)


def test_llc(run, series):
    run.sample["llc_profiling"] = "read"
    counts = (3, 1, 10, 20, 50, 5, 150, 15)  # moved 4; hits 10 + 20 + 5 + 15 of 200
    for time in (1024, 3072):
        for event, count in zip(READ_EVENTS, counts, strict=True):
            run.device_stream("llc.data", records.llc(time, count, event, 1))
    run.device_stream("llc.data", records.llc(3072, 1, 0x77, 1))
    found = series("LLC")
    assert {(instance, name, unit) for instance, name, unit, *_ in found} == {
        (1, "read hitRate", "percent"),
        (1, "read throughput", "bytes/s"),
    }
    rows = _only(found, "read hitRate", "read throughput")
    assert [value for _, value in rows["read hitRate"]] == [25.0, 25.0]
    assert [value for _, value in rows["read throughput"]] == pytest.approx([0, 4 * 4096 / 2048e-6], rel=1e-3)
    assert ("unknown-event", "counts of events that do not belong to the mode 'read'; they were left out", 1) in (
        series.issues
    )


def test_llc_of_the_second_format_has_wall_clock(run, series):
    run.identity["version"] = "2.0"
    run.sample["llc_profiling"] = "read"
    for time in (MS, 3 * MS):
        for event in READ_EVENTS:
            run.device_stream("llc.data", records.llc_2(at(time), 4, event, 0))
    assert _only(series("LLC"), "read throughput", "read hitRate") == {
        "read throughput": [(MS, 0), (3 * MS, 8 * 4096 * 500)],
        "read hitRate": [(MS, 200), (3 * MS, 200)],
    }


def test_llc_without_some_events_has_no_rates(run, series):
    run.sample["llc_profiling"] = "write"
    for time in (1024, 3072):
        run.device_stream("llc.data", records.llc(time, 5, 0x00, 0))
    assert [value for *_, value in series("LLC")] == [0, 0, 0, 0]


PCIE = ("txPost", "txNonpost", "txCpl", "txNonpostLatency", "rxPost", "rxNonpost", "rxCpl")


def test_pcie(run, series):
    values = [number for place in range(7) for number in (10 * place, 10 * place + 2, 10 * place + 1)]
    values[12] = 0xFFFFF  # smallest rx_post: not measured
    run.device_stream("pcie.data", records.pcie(MS, *values))
    run.device_stream("pcie.data", records.pcie(2 * MS, 9, 8, *values[2:]))  # nothing was measured
    found = {name: (unit, time, value) for _, name, unit, time, value in series("PCIE")}
    assert found["txPostMax"] == ("bytes/s", MS, 2_000_000)
    assert found["txNonpostAvg"] == ("bytes/s", MS, 11_000_000)
    assert found["txNonpostLatencyMin"] == ("ns", MS, 30)
    assert found.keys() == {f"{name}{end}" for name in PCIE for end in ("Min", "Max", "Avg")} - {"rxPostMin"}
    text = "PCIe samples whose largest value is below their smallest; they were left out"
    assert ("no-measurement", text, 1) in series.issues


def test_hccs_rates_are_differences_of_totals(run, series):
    lines = [(0, 100, 1000), (10 * MS, 150, 3000), (20 * MS, 50, 4000), (30 * MS, 250, 4000)]
    text = "time tx rx\n" + "".join(f"{records.DEVICE_NS + time}: {tx} {rx}\n" for time, tx, rx in lines)
    run.device_stream("hccs.data", text.encode())
    assert _only(series("HCCS"), "txThroughput", "rxThroughput") == {
        "txThroughput": [(10 * MS, 5000), (30 * MS, 20_000)],
        "rxThroughput": [(10 * MS, 200_000), (30 * MS, 0)],
    }
    text = "samples whose totals or time are below those before; no rate is known there"
    assert ("no-measurement", text, 1) in series.issues


@pytest.mark.parametrize(("stream", "family"), [("nic", "NIC"), ("roce", "ROCE")])
def test_network_ports(run, series, stream, family):
    values = "100 2 3 4 5 6 7 8 9 10 11 12 13"
    lines = f"head\n{records.DEVICE_NS + MS}: {values} 1\n{records.DEVICE_NS + MS}: {values} 0\nbad line\n"
    run.device_stream(f"{stream}.data", lines.encode())
    found = series(family)
    assert {row[0] for row in found} == {0, 1}
    assert {row[3] for row in found} == {MS}
    names = "bandwidth rxPacketRate rxByteRate rxPackets rxBytes rxErrors rxDropped".split()
    names += [f"tx{name[2:]}" for name in names[1:]]
    wanted = dict(zip(names, [100 * MB, *range(2, 14)], strict=True))
    assert {name: value for instance, name, _, _, value in found if instance == 1} == wanted


def test_netdev_stats(run, series):
    before, after = range(100, 115), [each + place for place, each in enumerate(range(100, 115))]
    lines = [(0, before), (2_000_000, after)]
    start = 5_000_000_000  # ns of the host's monotonic clock
    text = "".join(" ".join(map(str, [start + time, *values])) + "\n" for time, values in lines)
    run.device_stream("netdev_stats.data", text.encode())
    found = {name: (unit, time, value) for _, name, unit, time, value in series("NETDEV_STATS")}
    assert found["macTxPfcPkt"] == ("count", 2 * MS, 0)
    assert found["macTxByte"] == ("bytes", 2 * MS, 2)
    assert found["macTxBandwidth"] == ("bytes/s", 2 * MS, 1000)
    assert found["nicRxBandwidth"] == ("bytes/s", 2 * MS, 7000)
    assert len(found) == 19


def test_what_the_scheduler_reports(run, series):
    run.sample["qosEvents"] = "DVPP,OTHERS"
    add = run.device_stream
    add("stars_soc_profile.data", records.accelerator(1000, 3, 10, 20, 30, 40))
    add("stars_soc_profile.data", records.transmission(2000, 0, 5, 100, 200))
    add("stars_soc_profile.data", records.transmission(3000, 1, 6, 300, 400))
    add("stars_soc_profile.data", records.transmission(3000, 2, 6, 300, 400))
    add("stars_soc_profile.data", records.soc_level(4000, 17, 5))
    add("stars_soc_profile.data", records.low_power(5000, 1, range(100, 120)))
    add("stars_soc_profile.data", records.stars_qos(6000, 1, 7, 8, *range(8)))
    add("qos.data", records.qos(7000, 9, 10, *range(8)))
    add("lpmInfoConv.data", records.changes(4, (8000, 850), (9000, 800)))
    assert [row[:2] + row[3:] for row in series("ACC_PMU")] == [
        (3, "readBwLevel", 1000, 10),
        (3, "readOstLevel", 1000, 30),
        (3, "writeBwLevel", 1000, 20),
        (3, "writeOstLevel", 1000, 40),
    ]
    assert [row[:2] + row[3:] for row in series("PA_LINK")] == [(5, "rx", 2000, 100), (5, "tx", 2000, 200)]
    assert [row[:2] + row[3:] for row in series("CHIP_PCIE")] == [
        (6, "readBandwidth", 3000, 400),
        (6, "writeBandwidth", 3000, 300),
    ]
    assert [(name, time, value) for _, name, _, time, value in series("SOC_BANDWIDTH_LEVEL")] == [
        ("l2BufferBwLevel", 4000, 17),
        ("mataBwLevel", 4000, 5),
    ]
    power = series("LOW_POWER")
    assert {(instance, time) for instance, _, _, time, _ in power} == {(1, 5000)}
    assert {name: value for _, name, _, _, value in power} == {f"sample {place}": 100 + place for place in range(20)}
    assert [row[:2] + row[3:] for row in series("QOS")] == [
        (None, "QoS DVPP", 7000, 9 * MB),
        (None, "QoS OTHERS", 7000, 10 * MB),
        (1, "QoS DVPP", 6000, 7 * MB),
        (1, "QoS OTHERS", 6000, 8 * MB),
    ]
    assert [row[1:2] + row[3:] for row in series("LOW_POWER_STATE")] == [("kind 4", 8000, 850), ("kind 4", 9000, 800)]
    assert ("unknown-type", "transmissions of link type 2; they were left out", 1) in series.issues


def test_qos_without_names_of_its_events(run, series):
    run.device_stream("qos.data", records.qos(7000, *range(10)))
    assert series("QOS") == []
    assert ("no-formula", "QoS counters cannot be told apart: sample.json has no qosEvents", 1) in series.issues


def test_dies_move_bytes_since_their_record_before(run, series):
    for time, die, values in ((0, 0, range(8)), (500, 1, range(8)), (1000, 0, range(8)), (2000, 0, range(8))):
        run.device_stream("stars_soc_profile.data", records.sio(time * 1000, die, *values))
    found = series("SIO")
    assert [(name, time, value) for _, name, _, time, value in found if name == "die 0 txDat"] == [
        ("die 0 txDat", MS, 7000),
        ("die 0 txDat", 2 * MS, 7000),
    ]
    assert {name for _, name, *_ in found} == {
        f"die 0 {way}{kind}" for way in ("rx", "tx") for kind in ("Req", "Rsp", "Snp", "Dat")
    }


def test_changes_of_the_clock_without_pmu_records(run, series):
    del run.files[f"{PROF}/device_0/data/ffts_profile.data.0.slice_0"]
    run.device_stream("lpmFreqConv.data", records.changes(0, (50_000, 800), (20_000, 1000)))
    end = 1_000_000_000
    assert series("AICORE_FREQ") == [
        (None, "freq", "MHz", time, value) for time, value in [(0, 1650), (20_000, 1000), (50_000, 800), (end, 800)]
    ]


def test_no_changes_of_the_clock(series):
    assert series("AICORE_FREQ") == [(None, "freq", "MHz", time, 1650) for time in (0, 1_000_000_000)]


def test_memory_of_both_scopes(loaded, run):
    run.device_stream("npu_mem.data", records.npu_mem(1000, 1, 5, 6))
    run.device_stream("npu_mem.app", records.npu_mem(2000, 0, 7, 8))
    query = loaded(run)
    rows = query(
        "SELECT (SELECT value FROM string WHERE id = scope_id), ddr_bytes, hbm_bytes FROM device_memory ORDER BY id"
    )
    assert rows == [("device", 5, 6), ("app", 7, 8)]


def test_a_damaged_stamp_costs_its_sample_alone(tmp_path, loaded, run):
    for stamp in (host_ticks(62_000), -(1 << 63)):
        run.device_stream("npu_module_mem.data", struct.pack("<IIqQ", 7, 0, stamp, 4096))
    query = loaded(run)
    assert query("SELECT time_ns FROM module_memory") == [(at(62_000),)]
    assert query("SELECT count FROM issue WHERE code = 'time-order' AND table_name = 'module_memory'") == [(1,)]
    assert query("SELECT count(*) FROM issue WHERE code LIKE '%-clock'") == [(0,)]
    export(tmp_path / "W.db", tmp_path / "out", ["trace"])


def test_samples_far_outside_of_the_recording_are_told(loaded, run):
    run.device_stream("hbm.data", records.hbm(1000, 1, 0, 0) + records.hbm((1 << 63) - 1, 2, 0, 0))
    assert [text for (text,) in loaded(run)("SELECT text FROM issue WHERE code = 'late-clock'") if "counter" in text]


DAMAGED = {
    "hbm.data": records.hbm(1, 1, 0, 0), "ddr.data": records.ddr(1, 1, 0, 0), "llc.data": records.llc(1, 1, 0, 0),
    "pcie.data": records.pcie(1, *range(21)), "qos.data": records.qos(1, *range(10)),
    "stars_soc_profile.data": records.sio(1, 0, *range(8)), "lpmInfoConv.data": records.changes(1, (1, 1)),
    "lpmFreqConv.data": records.changes(1, (1, 1)), "l2_cache.data": records.l2_cache(2, 0, *range(8)),
    "socpmu.data": records.soc_pmu(2, 2, 0, *range(8)),
    "aicpu.data": records.aicpu_node(2, 0, 1, 2, 0, 3, 1, 1, 1), "npu_mem.data": records.npu_mem(1, 0, 1, 1),
}  # fmt: skip


@pytest.mark.parametrize("stream", DAMAGED)
@pytest.mark.parametrize("filler", [b"\0", b"\xff", b"\x5a"])
def test_damaged_records_cost_no_more_than_themselves(loaded, run, stream, filler):
    record = DAMAGED[stream]
    run.sample |= {
        "llc_profiling": "read", "qosEvents": "A,B", "npuEvents": "SMMU:0x2,0x8a,0x8c,0x8d",
        "l2CacheTaskProfilingEvents": "0xfb,0xfc,0x90,0x91,0x9c",
    }  # fmt: skip
    for piece in (
        record,
        filler * len(record),
        record[: len(record) // 2] + filler * (len(record) // 2),
        record,
        record[:-3],
    ):
        run.device_stream(stream, piece)
    query = loaded(run)
    assert query("SELECT * FROM check_ledger") == []
    assert query("SELECT count(*) FROM op") == [(7,)]
    ((size, decoded, rejected),) = query(
        f"SELECT size_bytes, decoded_bytes, rejected_bytes FROM source WHERE path LIKE '%/{stream}.0.slice_0'"
    )
    assert decoded + rejected == size
    assert rejected > 0
