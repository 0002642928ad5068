"""What only raw profiles tell of a slice: what calls handle, what moved a copy, the numbers of Python frames."""

import random

import pytest
from raw_run_writer import ACL, COMMUNICATION, COPY_API, MAIN, NODE, RUNTIME, at

MODEL, MASTER, STEP_INFO, LOAD = 15000, 0x10001, 7, 2

CALLS = """SELECT a.start_ns, l.value, n.value, m.value, i.value FROM api_call a JOIN string l ON l.id = a.level_id
    JOIN string n ON n.id = a.name_id LEFT JOIN string m ON m.id = a.mode_id LEFT JOIN string i ON i.id = a.item_id
    WHERE a.start_ns >= ? ORDER BY 1"""
FRAMES = "SELECT frame_no, outer_frame_no, start_ns, end_ns FROM python_call ORDER BY 1"


def test_calls_tell_their_kind_and_what_they_handle(loaded, run):
    run.types |= {(COMMUNICATION, MASTER): "master", (NODE, STEP_INFO): "step_info", (MODEL, LOAD): "ModelLoad"}
    run.call(ACL, 0xC0007, 50_000, 50_500)  # of a class that is not known, and of no name
    run.call(NODE, STEP_INFO, 51_000, 51_500, "as a number")
    run.call(COMMUNICATION, MASTER, 52_000, 52_500, "Notify_Wait")
    run.call(COMMUNICATION, MASTER, 53_000, 53_500)
    run.call(MODEL, LOAD, 54_000, 54_500, "this too")
    run.call(RUNTIME, 900, 55_000, 55_500)
    found = loaded(run)(CALLS.replace("?", str(at(30_000))))
    assert found == [
        (at(34_200), "acl", "aclrtMemcpyAsync", "ACL_RTS", None),
        (at(50_000), "acl", str(0xC0007), "12", None),
        (at(51_000), "node", "step_info", None, str(run.hash("as a number"))),
        (at(52_000), "communication", "Notify_Wait", "master", "Notify_Wait"),
        (at(53_000), "communication", "master", None, None),
        (at(54_000), "model", "ModelLoad", None, str(run.hash("this too"))),
        (at(55_000), "runtime", "900", None, None),
    ]
    assert COPY_API >> 16 == 3  # the class of the first


@pytest.mark.parametrize("has_sizes", [True, False])
def test_a_copy_has_its_engine_whether_its_size_is_known_or_not(loaded, run, has_sizes):
    if not has_sizes:
        run.files = {name: data for name, data in run.files.items() if "memcpy_info" not in name}
    found = loaded(run)("SELECT size_bytes, direction, engine FROM memory_copy_named")
    assert found == [(4096, "host to device", "SDMA_SQE") if has_sizes else (None, None, "SDMA_SQE")]


@pytest.mark.parametrize("seed", range(4))
def test_frames_are_numbered_as_the_tracer_met_them(loaded, run, seed):
    """Many events at one moment, returns of frames from before, frames that never return; several batches."""
    run.files.pop("FRAMEWORK/torch.python_tracer_func")
    choose = random.Random(seed)
    events, time = [], 500
    for _ in range(9_000):
        time += choose.choice((0, 0, 10, 20))
        events.append((time, choose.random() < 0.52))
        run.python(time, 11 if events[-1][1] else 99, 0 if events[-1][1] else 1)
    expected, stack = {}, []
    for number, (time, is_call) in enumerate(events):
        if is_call:
            expected[number] = [stack[-1] if stack else 0, at(time), at(events[-1][0])]
            stack.append(number)
        elif stack:
            expected[stack.pop()][2] = at(time)
    assert loaded(run)(FRAMES) == [(number, *facts) for number, facts in sorted(expected.items())]


def test_operators_have_their_module(loaded, run):
    run.op("aten::linear", 60_000, 61_000, tid=MAIN, modules="Net;layers;fc")
    names = "SELECT s.value, m.value FROM op JOIN string s ON s.id = op.name_id LEFT JOIN string m ON m.id = module_id"
    assert dict(loaded(run)(names))["aten::linear"] == "Net;layers;fc"
    assert dict(loaded(run)(names))["aten::add"] is None
