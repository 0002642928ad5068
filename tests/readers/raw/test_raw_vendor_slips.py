"""What the vendor's own readers get wrong or lose is right here: the table of the README says so."""

import pytest
from raw_run_writer import KERNEL_AIVEC, LAUNCH, MAIN, NODE, QUEUE, RUN, at

OTHER = QUEUE + 1
STEPS = "SELECT step_no, start_ns, end_ns FROM step ORDER BY start_ns"
OP_OF_TASK = """SELECT t.start_ns, o.name FROM device_task t LEFT JOIN op_named o ON o.id = t.op_id
    WHERE t.start_ns >= 1700000000000100000 ORDER BY t.start_ns"""


def launched(run, task, time, tid):
    run.call(NODE, LAUNCH, time, time + 200, f"k{task}", tid)
    run.track(time + 100, 2, task, KERNEL_AIVEC, tid=tid)
    run.task(2, task, 2, time + 20_000, time + 20_500)


def test_operators_of_other_threads_are_no_children(loaded, run):
    run.op("aten::linear", 100_000, 110_000)
    run.op("MmBackward0", 102_000, 104_000, tid=OTHER)
    run.op("aten::mm", 102_500, 103_500, tid=OTHER)
    run.op("aten::t", 105_000, 106_000)
    found = loaded(run)(
        """SELECT o.name, p.name, o.depth, c.host_self_ns FROM op_named o LEFT JOIN op_named p ON p.id = o.parent_id
        JOIN op_cost c ON c.op_id = o.id WHERE o.start_ns >= 1700000000000100000 ORDER BY o.start_ns"""
    )
    assert found == [
        ("aten::linear", None, 0, 9_000),
        ("MmBackward0", None, 0, 1_000),
        ("aten::mm", "MmBackward0", 1, 1_000),
        ("aten::t", "aten::linear", 1, 1_000),
    ]


def test_steps_may_lie_in_another_range(loaded, run):
    run.op("epoch", 100_000, 150_000)
    run.op("ProfilerStep#5", 110_000, 120_000)
    run.op("ProfilerStep#6", 120_000, 130_000)  # begins as the other ends
    assert loaded(run)(STEPS)[1:] == [(5, at(110_000), at(120_000)), (6, at(120_000), at(130_000))]


def test_steps_may_begin_while_another_thread_is_at_work(loaded, run):
    run.op("DataLoader", 95_000, 115_000, tid=OTHER)
    run.op("ProfilerStep#5", 110_000, 120_000)
    assert loaded(run)(STEPS)[1:] == [(5, at(110_000), at(120_000))]


def test_a_step_in_a_step_is_none(loaded, run):
    run.op("ProfilerStep#5", 50_000, 60_000)
    query = loaded(run)
    assert query(STEPS) == [(4, at(1_000), at(90_000))]
    assert query("SELECT text FROM issue WHERE code = 'nested-step'") != []


def test_two_threads_take_from_the_queue(loaded, run):
    """Their dequeues overlap, and end in another order than they begin; so do the enqueues."""
    run.op("first", 100_000, 106_000)
    run.op("second", 100_500, 105_000, tid=OTHER)
    for category, time in enumerate((101_000, 104_500, 110_000, 119_000)):
        run.mark(category, time, 7, MAIN if category < 2 else QUEUE, "aclnnAdd")
    for category, time in enumerate((101_500, 102_500, 111_000, 114_000)):
        run.mark(category, time, 8, OTHER if category < 2 else OTHER + 1, "aclnnMul")
    launched(run, 20, 112_000, QUEUE)
    launched(run, 21, 113_000, OTHER + 1)
    launched(run, 22, 117_000, QUEUE)
    assert loaded(run)(OP_OF_TASK) == [(at(132_000), "first"), (at(133_000), "second"), (at(137_000), "first")]


def test_one_bad_mark_costs_that_mark(loaded, run):
    run.mark(9, 50_000, 0, MAIN, "x")
    query = loaded(run)
    assert query("SELECT count(*) FROM queue_task WHERE enqueue_start_ns IS NOT NULL") == [(3,)]
    assert query("SELECT rejected_count FROM source WHERE path LIKE '%op_mark'") == [(1,)]


def test_a_run_that_was_killed_is_read(tmp_path, loaded, run):
    """It has no profiler_info, which is written last."""
    everything = "SELECT name, start_ns, end_ns, tid FROM op_named ORDER BY start_ns"
    whole = loaded(run)(everything)
    (tmp_path / "in" / RUN / "profiler_info_0.json").unlink()
    query = loaded(tmp_path / "in")
    assert query(everything) == whole
    assert query("SELECT op_id IS NULL FROM device_task") == [(0,)] * 3
    assert query("SELECT severity FROM issue WHERE code = 'no-settings'") == [("info",)]


def test_allocations_of_every_process_count(loaded, run):
    own = run.files["FRAMEWORK/torch.memory_usage"]
    run.memory(50_000, 0x2000, 256, 256, 0)
    run.memory(55_000, 0x2000, -256, 0, 1)
    both = run.files["FRAMEWORK/torch.memory_usage"]
    added = both[len(own) :]
    run.files["FRAMEWORK/torch.memory_usage"] = both[: len(own)] + other_process(added)
    assert loaded(run)("SELECT start_ns, release_ns, size_bytes FROM allocation ORDER BY start_ns") == [
        (at(2_500), at(40_000), 512),
        (at(50_000), at(55_000), 256),
    ]


def other_process(records):
    """The last field of each record is the process."""
    size = len(records) // 2
    return b"".join(
        records[first : first + size - 8] + (4711).to_bytes(8, "little") for first in range(0, len(records), size)
    )


def test_collections_are_told_without_operators(loaded, synthesized, tmp_path):
    root = synthesized("--gc --with-stack --seed 31")
    wanted = "SELECT (SELECT count(*) FROM gc_event), (SELECT count(*) FROM python_call)"
    whole = loaded(root)(wanted)
    (framework,) = root.glob("*/FRAMEWORK")
    kept = tmp_path / "kept"
    for path in root.rglob("*"):
        if path.is_file() and not path.name.startswith(("torch.op_range", "torch.op_mark")):
            target = kept / path.relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(path.read_bytes())
    assert framework.is_dir()
    assert loaded(kept)(wanted) == whole
    assert min(whole[0]) > 0


@pytest.mark.parametrize("here", ["torch.op_range", "torch.memory_usage"])
def test_nothing_is_read_from_where_one_stands(loaded, run, tmp_path, monkeypatch, here):
    data = run.files[f"FRAMEWORK/{here}"]
    run.files = {name: each for name, each in run.files.items() if not name.startswith("FRAMEWORK")}
    (tmp_path / here).write_bytes(data)
    monkeypatch.chdir(tmp_path)
    query = loaded(run)
    assert query("SELECT (SELECT count(*) FROM op), (SELECT count(*) FROM allocation)") == [(0, 0)]
