"""Collectives that the AI CPU drives, out of a few records."""

import pytest
import stream_records as records
from raw_run_writer import KERNEL_AICORE, LAUNCH, NODE, QUEUE, at, host_ticks
from synth import host_records

KERNEL, OTHER = 6, 40  # streams
GROUP = 123456789987654321
BASE = "aclnnMatmulAllReduce_MC2"
TASKS = (
    "SELECT t.start_ns, t.name, t.type, t.plane_no, t.size_bytes, t.link_type, t.transport, t.is_master, o.name "
    "FROM comm_task_named t LEFT JOIN comm_op_named o ON o.id = t.comm_op_id ORDER BY t.start_ns"
)


@pytest.fixture
def run(run):
    payload = records.mc2_group(GROUP, 8, KERNEL, OTHER, 41)
    run.stream("additional.mc2_comm_info", host_records.additional(NODE, 9, QUEUE, host_ticks(100), payload))
    run.hashes["group of eight"] = GROUP
    run.queued("aclnnMatmulAllReduce", 3, (40_500, 43_000), (44_000, 46_000))
    run.launch(BASE, "MatmulAllReduce", 44_000, 0, (50_000, 60_000), stream=KERNEL)
    run.queued("aclnnMatmulAllReduce", 4, (60_500, 63_000), (64_000, 66_000))
    run.launch(BASE, "MatmulAllReduce", 64_000, 1, (70_000, 80_000), stream=KERNEL)
    for task, start in ((1, 51_000), (2, 55_000), (3, 71_000), (4, 90_000)):
        run.task(OTHER, task, 11, start, start + 2_000)
    return run


def test_operations_are_the_tasks_of_the_kernel_stream(loaded, run):
    run.device_stream("aicpu.data", records.comm_op(49_000, KERNEL, 1, GROUP, data_type=4))
    query = loaded(run)
    columns = "name, start_ns, end_ns, group_name, data_type, element_count, rank_count, is_relay, is_retry, op_type"
    assert query(f"SELECT {columns} FROM comm_op_named ORDER BY start_ns") == [
        (f"{BASE}_321_0_1", at(50_000), at(60_000), "group of eight", None, None, 8, None, None, None),
        (f"{BASE}_321_1_1", at(70_000), at(80_000), "group of eight", "FP32", 64, 8, 0, 1, None),
    ]
    # their kernels are no computing
    assert query(f"SELECT count(*) FROM device_task_named WHERE name = '{BASE}' AND is_schedule = 1") == [(2,)]
    assert query("SELECT count(*) FROM busy_interval_named WHERE start_ns = 1700000000000050000 AND kind = 0") == [(0,)]
    assert query("SELECT * FROM check_ledger") == []


def test_tasks_of_the_other_streams(loaded, run):
    item = run.hash("Memcpy")
    halves = [records.comm_task(OTHER, task, item, GROUP, size=1024 * task) for task in (1, 2, 3, 9)]
    run.device_stream("aicpu.data", records.comm_tasks(48_000, *halves[:2]))
    run.device_stream("aicpu.data", records.comm_tasks(68_000, halves[2]))
    run.device_stream("aicpu.data", records.comm_tasks(69_000, halves[3]))
    query = loaded(run)
    assert query(TASKS) == [
        (at(51_000), f"{BASE}_321_0_1", "Memcpy", 1, 1024, "HCCS", "SDMA", 0, f"{BASE}_321_0_1"),
        (at(55_000), f"{BASE}_321_0_1", "Memcpy", 1, 2048, "HCCS", "SDMA", 0, f"{BASE}_321_0_1"),
        (at(71_000), f"{BASE}_321_1_1", "Memcpy", 1, 3072, "HCCS", "SDMA", 0, f"{BASE}_321_1_1"),
    ]
    text = "records of tasks that did not run as often as they were told of; they are linked to none"
    assert query("SELECT text, count FROM issue WHERE code = 'no-task'") == [(text, 1)]


def test_turns(loaded, run):
    stamps = range(51_000, 58_000, 1_000)
    run.device_stream("aicpu.data", records.comm_turn(KERNEL, 0, 1, 2, 4096, *stamps))
    run.device_stream("aicpu.data", records.compute_turn(KERNEL, 0, 2, 2, 512, 51_000, 53_000, 52_000))
    run.device_stream("aicpu.data", records.flip(52_000, OTHER, 0, 1))
    query = loaded(run)
    assert query(
        "SELECT name, start_ns, duration_ns, stream_no, task_no, turn_no, turn_count, size_bytes FROM comm_turn_named"
    ) == [
        ("server", at(51_000), 6_000, KERNEL, 0, 1, 2, 4096),
        ("wait for computing", at(51_000), 2_000, KERNEL, 0, 2, 2, 512),
        ("wait for message", at(52_000), 1_000, KERNEL, 0, 1, 2, 4096),
        ("algorithm", at(53_000), 1_000, KERNEL, 0, 1, 2, 4096),
        ("send tasks", at(54_000), 1_000, KERNEL, 0, 1, 2, 4096),
        ("run tasks", at(55_000), 1_000, KERNEL, 0, 1, 2, 4096),
    ]
    assert query("SELECT text, count FROM issue WHERE code = 'not-kept'") == [
        ("records aicpu_flip are decoded, but no table holds them", 1)
    ]


def test_a_group_whose_streams_did_nothing(loaded, run):
    run.log = [entry for entry in run.log if entry[0] < 50_000]
    query = loaded(run)
    assert query("SELECT count(*) FROM comm_op") == [(0,)]
    assert query("SELECT * FROM check_ledger") == []


def test_captured_operations_run_on_the_stream_of_their_graph(loaded, run):
    """The graph of another stream runs on the same one later, and is no collective."""
    run.queued("aclnnMatmulAllReduce", 5, (100_500, 103_000), (104_000, 106_000))
    run.captured(104_000, 7, 37, KERNEL)
    run.call(NODE, LAUNCH, 104_200, 104_800, BASE)
    run.track(104_400, 37, 0, KERNEL_AICORE)
    run.basic(104_600, BASE, "MatmulAllReduce")
    for replay, time in enumerate((120_000, 140_000)):
        run.executed(time, 20 + replay, (time + 1_000, time + 9_000))
        run.task(37, 0, 0, time + 2_000, time + 8_000)
        run.task(OTHER, 5, 11, time + 3_000, time + 4_000)
    item = run.hash("Memcpy")
    for time in (120_500, 140_500):
        run.device_stream("aicpu.data", records.comm_tasks(time, records.comm_task(OTHER, 5, item, GROUP, size=512)))
    run.destroyed(150_000, 7)
    run.flip(150_500, 37, 0, 0xFFFF)
    run.captured(160_000, 8, 37)
    run.launch("aclnnAdd_Add", "Add", 161_000, 0, (170_000, 171_000), stream=37)
    query = loaded(run)
    assert query("SELECT name, start_ns, model_no, group_name FROM comm_op_named ORDER BY start_ns")[2:] == [
        (f"{BASE}_321_2_1", at(122_000), 7, "group of eight"),
        (f"{BASE}_321_2_2", at(142_000), 7, "group of eight"),
    ]
    assert [row[:2] for row in query(TASKS)] == [
        (at(123_000), f"{BASE}_321_2_1"),
        (at(143_000), f"{BASE}_321_2_2"),
    ]
