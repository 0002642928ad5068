"""Captured graphs in the forms that a runtime may report them, and what damage leaves of them."""

import itertools

import pytest
from raw_run_writer import ACL, KERNEL_AIVEC, MAIN, PROF, Run, at

GRAPHS = "SELECT model_no, generation, captured_ns, destroyed_ns FROM graph ORDER BY id"
STREAMS = """SELECT g.model_no, s.model_stream_no, s.original_stream_no, s.generation FROM graph_stream s
    JOIN graph g ON g.id = s.graph_id ORDER BY s.rowid"""
NODES = """SELECT model_no, stream_no, task_no, batch_no, name, op_type FROM graph_node_named ORDER BY id"""
REPLAYS = """SELECT g.model_no, r.replay_no, r.task_count, r.start_ns, r.end_ns, a.start_ns FROM graph_replay r
    JOIN graph g ON g.id = r.graph_id LEFT JOIN api_call a ON a.id = r.api_call_id ORDER BY r.start_ns"""
TASKS = """SELECT t.stream_no, t.task_no, g.model_no, r.replay_no FROM device_task t LEFT JOIN graph_node n
    ON n.id = t.graph_node_id LEFT JOIN graph g ON g.id = n.graph_id LEFT JOIN graph_replay r
    ON r.id = t.graph_replay_id WHERE t.stream_no > 30 ORDER BY t.start_ns, t.stream_no"""
A, B = 37, 38  # streams of graphs


class Device:
    """Runs tasks of graphs one after the other."""

    def __init__(self, run, time):
        self.run, self.time = run, time

    def does(self, *tasks, lost=()):
        """(stream, task) pairs, 1 us each; the records of some are lost."""
        for stream, task in tasks:
            if (stream, task) not in lost:
                self.run.task(stream, task, 2, self.time, self.time + 1_000)
            self.time += 1_200


def tracks(run, time, *tasks, symbol="k"):
    for place, (stream, task) in enumerate(tasks):
        run.track(time + 20 * place, stream, task, KERNEL_AIVEC, symbol=f"{symbol}{task}")


def on(stream, count):
    return [(stream, task) for task in range(count)]


def plain(rows):
    """Without the first column repeated: rows as (stream, task) -> (model, replay) in order."""
    return [(tuple(row[:2]), tuple(row[2:])) for row in rows]


@pytest.fixture
def run():
    run = Run()
    run.call(ACL, run.acl("aclInit"), 0, 100, tid=MAIN)
    return run


def test_a_graph_of_one_stream(loaded, run):
    """Reported as it is executed first, its streams after its tasks, which carry the times of the capture."""
    run.executed(20_000, 7, (21_000, 25_000))
    tracks(run, 2_000, *on(A, 2))
    run.captured(1_000, 5, A)
    run.described(20_500, 5, A, 0, "aclnnAdd_Add", "Add")
    run.destroyed(90_000, 5)
    device = Device(run, 22_000)
    device.does(*on(A, 2))
    run.executed(40_000, 8, (41_000, 45_000))
    device.time = 42_000
    device.does(*on(A, 2))
    query = loaded(run)
    assert query(GRAPHS) == [(5, 0, at(1_000), at(90_000))]
    assert query(STREAMS) == [(5, A, 2, 0)]
    assert query(NODES) == [(5, A, 0, 0, "aclnnAdd_Add", "Add"), (5, A, 1, 0, "k1", "k1")]
    assert query(REPLAYS) == [
        (5, 1, 2, at(22_000), at(24_200), at(20_000)),
        (5, 2, 2, at(42_000), at(44_200), at(40_000)),
    ]
    assert plain(query(TASKS)) == [((A, task), (5, replay)) for replay in (1, 2) for task in (0, 1)]


def test_what_was_captured_and_never_executed_is_there(loaded, run):
    run.captured(1_000, 5, A)
    tracks(run, 2_000, *on(A, 2))
    run.task(2, 0, 2, 50_000, 51_000)
    query = loaded(run)
    assert query(NODES) == [(5, A, 0, 0, "k0", "k0"), (5, A, 1, 0, "k1", "k1")]
    assert query(REPLAYS) == []


@pytest.mark.parametrize("with_flips", [True, False])
def test_a_stream_that_serves_one_graph_after_the_other(loaded, run, with_flips):
    """Told apart even if the end of the stream is not reported: the numbers of tasks begin anew all the same."""
    device = Device(run, 0)
    for number, begin in enumerate((1_000, 101_000, 201_000)):
        run.captured(begin, 5 + number, A)
        tracks(run, begin + 1_000, *on(A, 2), symbol="abc"[number])
        for execution in (20_000, 40_000):
            device.time = begin + execution
            device.does(*on(A, 2))
        run.destroyed(begin + 60_000, 5 + number)
        if with_flips:
            run.track(begin + 60_000, A, 0, 98, flip=0xFFFF)
            run.flip(begin + 60_000, A, 0, 0xFFFF)
    query = loaded(run)
    assert query(GRAPHS) == [
        (5 + number, number, at(begin), at(begin + 60_000)) for number, begin in enumerate((1_000, 101_000, 201_000))
    ]
    assert query(STREAMS) == [(5 + number, A, 2, number) for number in range(3)]
    names = [(5 + number, A, task, number, f"{'abc'[number]}{task}") for number in range(3) for task in (0, 1)]
    assert [row[:5] for row in query(NODES)] == names
    expected = [((A, task), (5 + n, replay)) for n in range(3) for replay in (1, 2) for task in (0, 1)]
    assert plain(query(TASKS)) == expected
    assert query("SELECT name FROM device_task_named WHERE stream_no = 37 ORDER BY start_ns") == [
        (f"{letter}{task}",) for letter in "abc" for _ in (1, 2) for task in (0, 1)
    ]


def test_a_number_that_is_given_again(loaded, run):
    """Two graphs have one number, on one stream, one after the other; descriptions go to their own."""
    for begin, letter in ((1_000, "a"), (101_000, "b")):
        run.captured(begin, 5, A)
        tracks(run, begin + 1_000, (A, 0))
        run.described(begin + 1_000, 5, A, 0, f"op_{letter}", "Op")
        Device(run, begin + 20_000).does((A, 0))
        run.destroyed(begin + 60_000, 5)
        run.track(begin + 60_000, A, 0, 98, flip=0xFFFF)
        run.flip(begin + 60_000, A, 0, 0xFFFF)
    query = loaded(run)
    assert query(GRAPHS) == [(5, 0, at(1_000), at(61_000)), (5, 1, at(101_000), at(161_000))]
    assert [row[4] for row in query(NODES)] == ["op_a", "op_b"]
    assert query("SELECT name FROM device_task_named WHERE stream_no = 37 ORDER BY start_ns") == [("op_a",), ("op_b",)]


def test_a_stream_is_free_after_its_graph(loaded, run):
    run.captured(1_000, 5, A)
    tracks(run, 2_000, (A, 0))
    Device(run, 20_000).does((A, 0))
    run.destroyed(60_000, 5)
    run.track(60_000, A, 0, 98, flip=0xFFFF)
    run.flip(60_000, A, 0, 0xFFFF)
    tracks(run, 70_000, (A, 0), symbol="own")
    Device(run, 80_000).does((A, 0))
    query = loaded(run)
    assert plain(query(TASKS)) == [((A, 0), (5, 1)), ((A, 0), (None, None))]
    assert query("SELECT name, model_no FROM device_task_named ORDER BY start_ns") == [("k0", 5), ("own0", None)]


def test_reports_that_come_again_count_once(loaded, run):
    for _ in range(3):
        run.captured(1_000, 5, A)
        tracks(run, 2_000, *on(A, 2))
    Device(run, 20_000).does(*on(A, 2))
    query = loaded(run)
    assert query(GRAPHS) == [(5, 0, at(1_000), None)]
    assert len(query(NODES)) == 2
    assert plain(query(TASKS)) == [((A, 0), (5, 1)), ((A, 1), (5, 1))]
    assert query("SELECT code, count FROM issue WHERE code = 'repeated'") == [("repeated", 4)]


def test_descriptions_tell_of_a_graph_whose_capture_was_lost(loaded, run):
    tracks(run, 2_000, *on(A, 2))
    run.described(2_000, 5, A, 0, "aclnnAdd_Add", "Add")
    Device(run, 20_000).does(*on(A, 2))
    query = loaded(run)
    assert query(GRAPHS) == [(5, 0, None, None)]
    assert query(STREAMS) == [(5, A, None, 0)]
    assert plain(query(TASKS)) == [((A, 0), (5, 1)), ((A, 1), (5, 1))]


def test_two_streams_of_one_graph(loaded, run):
    """The second one forks off the first and joins it."""
    run.captured(1_000, 5, B, original=3)  # in whatever order they are reported
    run.captured(1_000, 5, A)
    order = [(A, 0), (B, 0), (A, 1), (B, 1), (A, 2)]
    tracks(run, 2_000, *order)
    device = Device(run, 20_000)
    for _ in range(3):
        device.does(*order)
    query = loaded(run)
    assert query(STREAMS) == [(5, B, 3, 0), (5, A, 2, 0)]
    assert plain(query(TASKS)) == [(task, (5, replay)) for replay in (1, 2, 3) for task in order]


def test_records_that_are_lost_shift_nothing(loaded, run):
    """The end of an execution that began before the recording, then one without its second task, then a whole one."""
    run.captured(1_000, 5, A)
    run.captured(1_000, 5, B)
    order = [(A, 0), (A, 1), (B, 0), (A, 2)]
    tracks(run, 2_000, *order)
    device = Device(run, 20_000)
    device.does(*order, lost=[(A, 0), (A, 1)])
    device.does(*order, lost=[(A, 1)])
    device.does(*order)
    query = loaded(run)
    first, second = [(B, 0), (A, 2)], [(A, 0), (B, 0), (A, 2)]
    assert plain(query(TASKS)) == [
        (task, (5, replay)) for replay, tasks in enumerate((first, second, order), 1) for task in tasks
    ]
    assert [row[:3] for row in query(REPLAYS)] == [(5, 1, 2), (5, 2, 3), (5, 3, 4)]


def test_graphs_in_turn_belong_to_the_calls_that_executed_them(loaded, run):
    """Two graphs on two streams, launched close to each other; of the first execution the call is not recorded."""
    for model, stream in ((5, A), (6, B)):
        run.captured(1_000, model, stream)
        tracks(run, 2_000, *on(stream, 2))
    device = Device(run, 10_000)
    device.does(*on(B, 2))
    calls = itertools.count(20_000, 1_200)
    starts = []
    for task in range(3):
        for stream in (2, 3):
            starts.append(next(calls))
            begin = 30_000 + 20_000 * task + 100 * stream
            run.executed(starts[-1], task, (begin, begin + 100), stream)
        device.time = 30_000 + 20_000 * task + 400
        # the second launch is the first to begin
        device.does((B, 0), (A, 0), (B, 1), (A, 1))
    query = loaded(run)
    expected = [(6, 1, None)]
    for task in range(3):
        expected += [(6, task + 2, at(starts[2 * task + 1])), (5, task + 1, at(starts[2 * task]))]
    assert [(model, number, call) for model, number, *_, call in query(REPLAYS)] == expected
    assert query("SELECT code, count FROM issue WHERE code = 'graph-call'") == [("graph-call", 1)]


def test_a_launching_task_that_waits_longer_than_the_graph_runs(loaded, run):
    run.captured(1_000, 5, A)
    tracks(run, 2_000, *on(A, 2))
    device = Device(run, 0)
    for task, begin in enumerate((20_000, 40_000)):
        device.time = begin + 2_000
        device.does(*on(A, 2))
        run.executed(begin, task, (begin + 6_000, begin + 6_100))  # its stream was busy
    assert [row[5] for row in loaded(run)(REPLAYS)] == [at(20_000), at(40_000)]


def test_damage_to_what_tells_of_graphs_costs_what_it_told(loaded, run):
    run.captured(1_000, 5, A)
    tracks(run, 2_000, *on(A, 2))
    Device(run, 20_000).does(*on(A, 2))
    name = f"{PROF}/host/data/aging.compact.capture_stream_info.slice_0"
    run.files[name] = run.files[name][:-1] + b"\0" * 64
    query = loaded(run)
    assert query("SELECT count(*) FROM device_task WHERE stream_no = 37") == [(2,)]
    assert query("SELECT count(*) FROM source WHERE path LIKE '%capture_stream_info%' AND rejected_count > 0") == [(1,)]
