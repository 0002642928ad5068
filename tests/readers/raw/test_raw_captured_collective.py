"""A collective that was captured in a graph runs with each replay, under the operator that asked for it."""

from raw_run_writer import ACL, COMMUNICATION, MAIN, NODE, QUEUE, RUNTIME, at, host_ticks
from synth import codes, host_records

GRAPH_STREAM = 37
OPERATIONS = """SELECT c.name, c.start_ns, c.end_ns, c.model_no, c.rank_count, o.name, c.link_rule_id
    FROM comm_op_named c LEFT JOIN op_named o ON o.id = c.op_id ORDER BY c.start_ns"""
TASKS = """SELECT c.start_ns, c.type, o.name, r.replay_no FROM comm_task_named c
    LEFT JOIN comm_op_named o ON o.id = c.comm_op_id JOIN device_task t ON t.id = c.device_task_id
    LEFT JOIN graph_replay r ON r.id = t.graph_replay_id ORDER BY c.start_ns"""


def captured_collective(run, time):
    """An all-reduce of two tasks that is launched while its stream is captured."""
    run.types |= {key: codes.TYPE_NAMES[key] for key in TYPES}
    group, name = run.hash("group_name_0"), run.hash("hcom_allReduce__0_1")
    run.call(ACL, codes.ACL_HCCL, time, time + 20_000)
    run.call(NODE, codes.NODE_HCCL_API, time + 1_000, time + 19_000, "hcom_allReduce__0_1")
    run.basic(time + 18_000, "hcom_allReduce__0_1", "hcom_allReduce_", codes.GE_COMMUNICATION, 0)
    operation = host_records.hccl_op(0, 4, run.hash("MESH-RING-NB-HD"), 1024, group)
    run.compact("hccl_op_info", NODE, codes.NODE_HCCL_OP_INFO, time + 18_000, operation)
    for task, what in enumerate(("Memcpy", "Notify_Wait")):
        begin = time + 3_000 + 5_000 * task
        run.call(COMMUNICATION, codes.HCCL_MASTER, begin, begin + 4_000, what)
        run.track(begin + 1_000, GRAPH_STREAM, task, (codes.T_MEMCPY, codes.T_NOTIFY_WAIT)[task])
        payload = host_records.hccl_info(
            run.hash(what), name, group, 0, 1, 2, 0, 9, task, 1, 1.5, 0, 0, 4096, 0, 4, 1, 0, 0xFFFFFFFF
        )
        record = host_records.additional(COMMUNICATION, codes.HCCL_INFO, QUEUE, host_ticks(begin + 2_000), payload)
        run.stream("additional.hccl_info", record)


TYPES = [
    (ACL, codes.ACL_HCCL), (NODE, codes.NODE_HCCL_API), (NODE, codes.NODE_HCCL_OP_INFO),
    (COMMUNICATION, codes.HCCL_MASTER), (COMMUNICATION, codes.HCCL_INFO), (RUNTIME, codes.T_NOTIFY_WAIT),
]  # fmt: skip


def test_each_replay_is_an_execution_of_it(loaded, run):
    run.op("c10d::allreduce_", 100_000, 109_000)
    run.queued("HcclAllreduce", 3, (101_000, 103_000), (110_000, 140_000))
    run.captured(110_500, 7, GRAPH_STREAM)
    captured_collective(run, 111_000)
    for replay, time in enumerate((200_000, 220_000, 240_000)):
        run.op("graph::replay", time, time + 1_500, tid=MAIN)
        run.executed(time + 200, 20 + replay, (time + 2_000, time + 9_000))
        run.task(GRAPH_STREAM, 0, codes.SQE_SDMA, time + 3_000, time + 5_000)
        run.task(GRAPH_STREAM, 1, codes.SQE_NOTIFY_WAIT, time + 5_500, time + 8_000)
    query = loaded(run)
    found = query(OPERATIONS)
    assert [row[1:6] for row in found] == [
        (at(time + 3_000), at(time + 8_000), 7, 2, "c10d::allreduce_") for time in (200_000, 220_000, 240_000)
    ]
    names = [name for name, *_ in found]
    assert [name[-4:] for name in names] == ["_0_1", "_0_2", "_0_3"]
    assert query(TASKS) == [
        (at(time + begin), what, names[replay], replay + 1)
        for replay, time in enumerate((200_000, 220_000, 240_000))
        for begin, what in ((3_000, "Memcpy"), (5_500, "Notify_Wait"))
    ]
    costs = query("SELECT op_name, replays, total_ns FROM graph_op_cost ORDER BY task_no")
    assert costs == [("c10d::allreduce_", 3, 6_000), ("c10d::allreduce_", 3, 7_500)]
