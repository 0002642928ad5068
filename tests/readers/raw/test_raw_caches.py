"""Cache rates of tasks, and tasks of the AI CPU, out of a few records each."""

import pytest
import stream_records as records
from raw_run_writer import at

L2_EVENTS = "0xfb,0xFC,0x90,0x91,0x9c,0x9d"
RATES = (
    "SELECT family, stream_no, task_no, name, hit_ratio, victim_ratio, miss_ratio, start_ns FROM task_cache_rate "
    "ORDER BY row_no"
)
ADD, MUL, SUB = "aclnnAdd_Add_Add", "aclnnMul_Mul_Mul", "aclnnSub_Sub_Sub"


@pytest.fixture
def run(run):
    run.sample |= {"l2CacheTaskProfilingEvents": L2_EVENTS, "npuEvents": "HHA:0x1;SMMU:0x2,0x8a,0x8b,0x8c,0x8d"}
    return run


def test_l2_rates_of_the_tasks_they_count(loaded, run):
    run.device_stream("l2_cache.data", records.l2_cache(2, 1, 300, 100, 90, 10, 20, 7))  # 400 requests
    run.device_stream("l2_cache.data", records.l2_cache(2, 0, 0, 0, 0, 0, 0))
    run.device_stream("l2_cache.data", records.l2_cache(9, 0, 4, 0, 1, 2, 1))  # no such task
    query = loaded(run)
    assert query(RATES) == [
        ("l2", 2, 1, MUL, 0.25, 0.05, None, at(18_000)),
        ("l2", 2, 0, ADD, None, None, None, at(8_000)),
        ("l2", 9, 0, None, 0.75, 0.25, None, None),
    ]
    assert query("SELECT code, count FROM issue WHERE code = 'no-task'") == [("no-task", 1)]
    assert query("SELECT * FROM check_ledger") == []
    assert query('SELECT "Stream Id", "Task Id", "Hit Rate", "Victim Rate", "Op Name" FROM export_l2_cache') == [
        (2, 1, "N/A", 0.05, MUL),
        (2, 0, "N/A", 0, ADD),
        (9, 0, "N/A", 0.25, "N/A"),
    ]


def test_address_translation(loaded, run):
    run.device_stream("socpmu.data", records.soc_pmu(2, 2, 0, 1, 8, 99, 2, 4))
    run.device_stream("socpmu.data", records.soc_pmu(1, 2, 0, 300, 100, 90, 10, 20, 7))
    run.device_stream("socpmu.data", records.soc_pmu(4, 2, 0, 1, 1, 1, 1, 1))
    query = loaded(run)
    assert query(RATES) == [
        ("tlb", 2, 0, ADD, 0.75, None, 0.125, at(8_000)),
        ("l2", 2, 0, ADD, 0.25, 0.05, None, at(8_000)),
    ]
    assert query('SELECT "TLB Hit Rate", "TLB Miss Rate", "Op Name" FROM export_soc_pmu') == [(0.75, 0.125, ADD)]


def _again(run):
    """The numbers of tasks begin anew: task 0 comes a second time."""
    run.track(60_000, 2, 0, 98)
    run.flip(60_000, 2, 0, 0)
    run.queued("aclnnSub", 3, (70_500, 74_000), (75_000, 76_000))
    run.launch(SUB, "Sub", 75_000, 0, (78_000, 80_000))


def test_a_number_that_comes_again_is_counted_in_turn(loaded, run):
    _again(run)
    for requests in (10, 20):
        run.device_stream("l2_cache.data", records.l2_cache(2, 0, requests, 0, 5, 0, 1))
    assert [(row[3], row[4], row[7]) for row in loaded(run)(RATES)] == [
        (ADD, 0.5, at(8_000)),
        (SUB, 0.25, at(78_000)),
    ]


def test_what_may_belong_to_several_tasks_is_linked_to_none(loaded, run):
    _again(run)
    run.device_stream("l2_cache.data", records.l2_cache(2, 0, 10, 0, 5, 0, 1))
    query = loaded(run)
    assert query("SELECT device_task_id, start_ns FROM cache_rate") == [(None, None)]
    assert query('SELECT "Op Name" FROM export_l2_cache') == [(SUB,)]  # the last one, as the vendor has it


def test_only_operators_may_have_been_counted(loaded, run):
    """The copy has a number of its own; a second record of it would have none."""
    run.device_stream("l2_cache.data", records.l2_cache(2, 2, 10, 0, 5, 0, 1))
    assert [row[7] for row in loaded(run)(RATES)] == [at(37_000)]


@pytest.mark.parametrize(
    ("sample", "chip"),
    [({"l2CacheTaskProfilingEvents": ""}, "5"), ({"l2CacheTaskProfilingEvents": "0xfb,0xfc"}, "5"), ({}, "9")],
)
def test_what_the_counters_mean_has_to_be_known(loaded, run, sample, chip):
    run.sample |= sample
    run.identity["platform_version"] = chip
    run.device_stream("l2_cache.data", records.l2_cache(2, 0, 10, 0, 5, 0, 1))
    query = loaded(run)
    assert query("SELECT count(*) FROM cache_rate") == [(0,)]
    ((text, count),) = query("SELECT text, count FROM issue WHERE code = 'no-formula'")
    assert "l2 counts are left out" in text
    assert f"chip '{chip}'" in text
    assert count == 1


AICPU = (
    "SELECT time_ns, name, stream_no, task_no, compute_ns, copy_ns, task_ns, dispatch_ns, total_ns "
    "FROM aicpu_task_named ORDER BY id"
)


def test_tasks_of_the_ai_cpu(loaded, run):
    node = records.aicpu_node
    run.device_stream("aicpu.data", node(2, 1, 19_000, 23_000, 18_400, 24_400, 30, 5, 2))
    run.device_stream("aicpu.data", node(2, 0, 8_400, 11_000, 8_000, 11_400, 3, 1, 1))
    run.device_stream("aicpu.data", node(2, 0, 20_000, 21_000, 20_000, 21_000, 3, 1, 1))  # after its task
    run.device_stream("aicpu.data", node(2, 0, None, 21_000, 20_000, 21_000, 3, 1, 1))
    run.device_stream("aicpu.data", node(2, 7, 50_000, 51_000, 52_000, 51_000, -3, 1, 1))  # damaged
    query = loaded(run)
    assert query(AICPU) == [
        (at(8_400), ADD, 2, 0, 3_000, 1_000, 2_600, 1_000, 3_400),
        (at(19_000), MUL, 2, 1, 30_000, 5_000, 4_000, 2_000, 6_000),
        (at(20_000), None, 2, 0, 3_000, 1_000, 1_000, 1_000, 1_000),
        (at(50_000), None, 2, 7, None, 1_000, 1_000, 1_000, None),
    ]
    assert query("SELECT code, count FROM issue WHERE code = 'early'") == [("early", 1)]
    assert [node for (node,) in query("SELECT Node FROM msprof_aicpu")] == ["N/A"] * 4  # of vector cores
    assert query("SELECT count(*) FROM export_data_preprocess") == [(0,)]  # Level1


def test_queues_of_input_data(loaded, run):
    run.device_stream("aicpu.data", records.preprocess(9_000, "Last dequeue", "iterator_default", 3, 131))
    run.device_stream("aicpu.data", records.queue_wait(8_000, 1, 7, 500, 900))
    run.device_stream("aicpu.data", records.queue_wait(8_000, 4, 6, 600, 700))
    query = loaded(run)
    assert query(
        "SELECT time_ns, name, source, index_no, size, start_us, end_us FROM data_queue_named ORDER BY id"
    ) == [
        (at(8_000), "GetNext_dequeue_wait", None, 1, 7, 500, 900),
        (at(8_000), None, None, 4, 6, 600, 700),
        (at(9_000), "Last dequeue", "iterator_default", 3, 131, None, None),
    ]
