"""Tasks of the device have an operator, or it is said why not."""

from pathlib import Path

import pytest
from raw_run_writer import KERNEL_AICORE, KERNEL_AIVEC, LAUNCH, MAIN, NODE, QUEUE, at

GOLD = Path(__file__).parents[4] / "shared" / "data" / "gold"
SCENARIOS = sorted(path.parent.name for path in GOLD.glob("*/expected"))
REASONS = "SELECT stream_no, start_ns, reason FROM task_without_op ORDER BY start_ns"
LINKS = """SELECT t.start_ns, o.name, l.name, a.name FROM device_task t LEFT JOIN op_named o ON o.id = t.op_id
    LEFT JOIN link_rule l ON l.id = t.link_rule_id LEFT JOIN api_call_named a ON a.id = t.api_call_id
    WHERE t.start_ns >= ? ORDER BY t.start_ns"""


def lone(run, task, time, tid=QUEUE, is_called=True):
    """A launch without anything around it, whose task begins 2 us later."""
    if is_called:
        run.call(NODE, LAUNCH, time, time + 800, f"k{task}", tid)
    run.track(time + 400, 2, task, KERNEL_AIVEC, tid=tid)
    run.task(2, task, 2, time + 2_000, time + 3_000)


def test_a_task_outside_of_operators(loaded, run):
    """Each way to have none, in a run whose other tasks have one."""
    run.queued("aclnnSub", 3, (100_000, 100_500), (101_000, 103_000))
    lone(run, 10, 101_100)
    for category, time in ((2, 111_000), (3, 113_000)):  # without its other half
        run.mark(category, time, 4, QUEUE, "aclnnDiv")
    lone(run, 11, 111_100)
    lone(run, 12, 121_100, MAIN)
    lone(run, 13, 131_100, is_called=False)
    run.task(2, 14, 2, 143_100, 144_000)
    assert loaded(run)(REASONS) == [
        (2, at(103_100), "enqueued outside of operators"),
        (2, at(113_100), "enqueue not recorded"),
        (2, at(123_100), "launched outside of operators"),
        (2, at(133_100), "launch not recorded"),
        (2, at(143_100), "launch not recorded"),
    ]


@pytest.mark.parametrize("is_recorded", [True, False], ids=["captured while recording", "captured before"])
def test_a_graph_outside_of_operators(loaded, run, is_recorded):
    if is_recorded:
        run.captured(100_000, 5, 37)
    else:
        run.described(101_000, 5, 37, 0, "aclnnAdd_Add", "Add")
    run.track(101_000, 37, 0, KERNEL_AIVEC, tid=MAIN)
    run.executed(110_000, 20, (112_000, 114_000))
    run.task(37, 0, 2, 112_500, 113_000)
    ask = loaded(run)
    if is_recorded:
        reason = "captured and replayed outside of operators"
    else:
        reason = "captured before the recording and replayed outside of operators"
    assert ask(REASONS) == [(2, at(112_000), "launched outside of operators"), (37, at(112_500), reason)]


def test_a_replay_whose_call_was_not_recorded(loaded, run):
    run.captured(100_000, 5, 37)
    run.track(101_000, 37, 0, KERNEL_AIVEC, tid=MAIN)
    run.task(37, 0, 2, 112_500, 113_000)
    assert loaded(run)(REASONS) == [(37, at(112_500), "replayed by a call that was not recorded")]


def test_a_part_is_of_the_operator_of_its_task(loaded, run):
    """The host does not know the contexts of a mixed kernel: its part has a place and no launch."""
    run.op("aten::bmm", 100_000, 104_000)
    run.queued("aclnnBmm", 3, (100_500, 101_000), (102_000, 103_000))
    run.call(NODE, LAUNCH, 102_100, 102_800, "bmm")
    run.track(102_400, 2, 10, KERNEL_AICORE)
    for start, end in ((105_000, 109_000), (115_000, 119_000)):  # the second is another task of the same number
        run.task(2, 10, 0, start, end)
        run.part(2, 10, start + 200, end - 200)
    run.part(2, 9, 106_000, 107_000)  # of a task that was lost
    ask = loaded(run)
    assert ask(LINKS.replace("?", str(at(100_000)))) == [
        (at(105_000), "aten::bmm", "queue_more", "launch"),
        (at(105_200), "aten::bmm", "part", "launch"),
        (at(106_000), None, None, None),
        (at(115_000), "aten::bmm", "queue_more", "launch"),
        (at(115_200), "aten::bmm", "part", "launch"),
    ]
    assert ask(REASONS) == [(2, at(106_000), "part of a task")]


def test_without_framework_records(loaded, run):
    run.files = {name: data for name, data in run.files.items() if not name.startswith("FRAMEWORK")}
    assert {reason for *_, reason in loaded(run)(REASONS)} == {"no operators recorded"}


@pytest.mark.shared
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_every_task_has_one(loaded, raw, scenario):
    ask = loaded(raw(scenario))
    assert ask("SELECT DISTINCT reason FROM task_without_op") == []
