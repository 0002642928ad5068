"""Rows of a rank in the same words: as the simulated program knows them, and as a warehouse holds them.

A topic is a function that gives both as lists of tuples, whose order says nothing.  An operator is named by thread,
times and name, a replay by model and generation of its graph and by its number.
"""

from collections import Counter

from synth.prof_directory import GRAPH_STREAM, STREAM

TOPICS = {}
LISTS = ("input_shapes", "output_shapes", "input_dtypes", "output_dtypes")
COMPONENTS = {"WORKSPACE": "PTA"}  # as the vendor's table of allocations has it


def topic(function):
    """A function of truth and a query: gives what is so and what is found."""
    TOPICS[function.__name__] = function
    return function


def op_key(truth, number):
    if number is None:
        return None
    op = truth.ops[number]
    return (op.tid, op.start_ns, op.end_ns, op.name)


def ops_by_id(ask):
    rows = ask("SELECT id, tid, start_ns, end_ns, name FROM op_named WHERE rank_id = ?")
    return {None: None, **{row[0]: row[1:] for row in rows}}


def parts(text):
    """Items of a list as the framework joins them."""
    return None if text is None else tuple(text.replace("\r\n", "").split(";"))


def tupled(items):
    return None if items is None else tuple(items)


@topic
def steps(truth, ask):
    return (
        [(row.step_no, row.start_ns, row.end_ns) for row in truth.steps],
        ask("SELECT step_no, start_ns, end_ns FROM step WHERE rank_id = ?"),
    )


@topic
def ops(truth, ask):
    known = ops_by_id(ask)
    return (
        [
            (
                *op_key(truth, row.number), row.sequence_no, tupled(row.shapes), tupled(row.dtypes), tupled(row.frames),
                row.step_no, op_key(truth, row.parent),
            )
            for row in truth.ops
        ],
        [
            (*known[op], sequence, parts(shapes), parts(dtypes), parts(stack), step, known[parent])
            for op, sequence, shapes, dtypes, stack, step, parent in ask(
                "SELECT id, sequence_no, shapes, dtypes, call_stack, step_no, parent_id FROM op_named WHERE rank_id = ?"
            )
        ],
    )  # fmt: skip


@topic
def queue_tasks(truth, ask):
    known = ops_by_id(ask)
    rows = ask(
        "SELECT correlation_no, op_id, enqueue_name, enqueue_start_ns, enqueue_end_ns, dequeue_name, dequeue_start_ns,"
        " dequeue_end_ns FROM queue_task_named WHERE rank_id = ?"
    )
    return (
        [
            (
                row.correlation_no, op_key(truth, row.op), f"Enqueue@{row.name}", row.enqueue_start_ns,
                row.enqueue_end_ns, f"Dequeue@{row.name}", row.dequeue_start_ns, row.dequeue_end_ns,
            )
            for row in truth.queue_tasks
        ],
        [(number, known[op], *rest) for number, op, *rest in rows],
    )  # fmt: skip


def call_name(call):
    """Calls of communication are named by their item."""
    return call.item if call.level == "communication" else call.name


@topic
def calls(truth, ask):
    known = ops_by_id(ask)
    rows = ask("SELECT level, name, tid, start_ns, end_ns, op_id FROM api_call_named WHERE rank_id = ?")
    return (
        [(row.level, call_name(row), row.tid, row.start_ns, row.end_ns, op_key(truth, row.op)) for row in truth.calls],
        [(*rest, known[op]) for *rest, op in rows],
    )


def device_step(truth, ask):
    """A function: the step of what the device began then, in a step of the program.  It is that step, but in one in
    which a graph was captured: kernels of captured operators run at its end, and the vendor takes the first of them for
    the beginning of the step on the device."""
    captured = {truth.ops[row.op].step_no for row in truth.launches if row.graph is not None and row.op is not None}
    begins = dict(ask("SELECT step_no, device_start_ns FROM step WHERE rank_id = ?"))

    def step(number, start):
        return None if number in captured and start < begins[number] else number

    return step


def described(truth, task):
    """What is told of the kernel of a task.  Of a mixed one it is told of the inner range."""
    kernel = truth.launches[task.launch].kernel
    return kernel if kernel and (task.is_part or kernel["core"] != "MIX_AIC") else None


def task_name(truth, task):
    """From its description, else from the call or the binary that were launched, else of its kind."""
    launch, kernel = truth.launches[task.launch], described(truth, task)
    if kernel:
        return kernel["name"]
    # the outer range of a mixed kernel that is described has nothing of its own
    return launch.kind if launch.kernel else launch.called or launch.symbol or launch.kind


def replay_key(truth, number):
    """Model, generation and number of a replay."""
    if number is None:
        return None
    row = truth.replays[number]
    return (*graph_key(truth, row.graph), row.replay_no)


def graph_key(truth, number):
    """Model, and how many graphs its stream served before: all of them have the same."""
    return (truth.graphs[number].model_no, number)


@topic
def tasks(truth, ask):
    known, step = ops_by_id(ask), device_step(truth, ask)
    expected = []
    for row in truth.tasks:
        launch = truth.launches[row.launch]
        op = launch.op if launch.op is not None or row.replay is None else truth.replays[row.replay].op
        kind, name = launch.kind, task_name(truth, row)
        if row.is_part and not launch.kernel:  # without the ids of its contexts the host knows nothing of a part
            kind, name = "MIX_AIC", "MIX_AIC"
        times = (row.stream_no, row.task_no, row.start_ns, row.end_ns)
        expected.append(
            (*times, kind, name, op_key(truth, op), step(row.step_no, row.start_ns), replay_key(truth, row.replay))
        )
    rows = ask(
        "SELECT t.stream_no, t.task_no, t.start_ns, t.end_ns, type, name, t.op_id, t.step_no, r.model_no, r.generation,"
        " r.replay_no FROM device_task_named t LEFT JOIN graph_replay_named r ON r.id = t.graph_replay_id"
        " WHERE t.rank_id = ?"
    )
    return expected, [(*row[:6], known[row[6]], row[7], row[8:] if row[8] is not None else None) for row in rows]


@topic
def link_rules(truth, ask):
    """How the operator of a task was found."""
    expected = []
    for row in truth.tasks:
        launch = truth.launches[row.launch]
        if row.is_part and not launch.kernel:  # a part that the host does not know
            continue
        if row.replay is not None:
            rule = "replay" if launch.op is None else "capture"
        elif launch.kind == "MODEL_EXECUTE":
            rule = "host_beside"  # the main thread calls it itself
        else:
            rule = "queue"
        expected.append((row.start_ns, row.stream_no, row.task_no, rule))
    rows = ask(
        "SELECT start_ns, stream_no, task_no, link_rule FROM device_task_named WHERE rank_id = ? AND type <> 'MIX_AIC'"
    )
    return expected, [(*key, rule and rule.removesuffix("_more")) for *key, rule in rows]


def items(text):
    return tuple((text or "").strip('"').split(";"))


@topic
def kernels(truth, ask):
    expected = []
    for row in truth.tasks:
        if kernel := described(truth, row):
            lists = [tuple(kernel[name]) for name in LISTS]
            counts = (kernel["block_count"], kernel["mix_block_count"])
            expected.append((row.start_ns, row.stream_no, kernel["op_type"], kernel["core"], *counts, *lists))
    rows = ask(
        f"SELECT start_ns, stream_no, op_type, core, block_count, mix_block_count, {', '.join(LISTS)}"
        " FROM device_task_named WHERE rank_id = ? AND state IS NOT NULL"
    )
    return expected, [(*row[:6], *map(items, row[6:])) for row in rows]


@topic
def cycles(truth, ask):
    return (
        [(row.start_ns, row.stream_no, row.cycles) for row in truth.tasks if row.cycles],
        ask(
            "SELECT start_ns, stream_no, coalesce(nullif(aic_total_cycles_count, 0), aiv_total_cycles_count)"
            " FROM kernel_metric m JOIN device_task t ON t.id = m.device_task_id WHERE m.rank_id = ?"
        ),
    )


@topic
def copies(truth, ask):
    found = ask("SELECT start_ns, size_bytes, direction FROM memory_copy_named WHERE rank_id = ? AND size_bytes > 0")
    pairs = [(row, truth.launches[row.launch]) for row in truth.tasks]
    return [(row.start_ns, launch.copy_bytes, "host to device") for row, launch in pairs if launch.copy_bytes], found


@topic
def graphs(truth, ask):
    rows = ask(
        "SELECT g.model_no, g.generation, g.captured_ns, g.destroyed_ns, s.model_stream_no, s.original_stream_no,"
        " s.generation FROM graph g LEFT JOIN graph_stream s ON s.graph_id = g.id WHERE g.rank_id = ?"
    )
    streams = (GRAPH_STREAM, STREAM)
    return (
        [
            (*graph_key(truth, number), graph.captured_ns, graph.destroyed_ns, *streams, number)
            for number, graph in enumerate(truth.graphs)
        ],
        rows,
    )


@topic
def graph_nodes(truth, ask):
    """Captured tasks, whether they were executed or not, and what captured them: recorded in `capture` mode only."""
    known = ops_by_id(ask)
    frames = {None: None, **dict(ask("SELECT id, name FROM python_call_named WHERE rank_id = ?"))}
    rows = ask(
        "SELECT n.model_no, g.generation, n.stream_no, n.task_no, n.name, n.op_type, n.input_shapes, n.op_id,"
        " a.level, a.item, n.python_call_id FROM graph_node_named n JOIN graph g ON g.id = n.graph_id"
        " LEFT JOIN api_call_named a ON a.id = n.api_call_id WHERE n.rank_id = ?"
    )
    ((level,),) = ask("SELECT level FROM rank WHERE id = ?")
    expected = []
    for number, graph in enumerate(truth.graphs):
        for launch in (truth.launches[place] for place in graph.launches):
            kernel = launch.kernel or {}
            # without a description the binary's name stands for the operator's and for its type
            name = launch.called or kernel.get("name") or launch.symbol
            op_type = kernel.get("op_type") or (None if launch.called else launch.symbol)
            if level == "Level0":  # names are all that is told
                kernel, op_type = {}, None
            call = ("node", launch.called) if launch.op is not None else (None, None)
            told = (name, op_type, tuple(kernel.get("input_shapes", ("",))))
            captured = (op_key(truth, launch.op), *call, frame_around(truth, launch.op))
            expected.append((*graph_key(truth, number), launch.stream_no, launch.task_no, *told, *captured))
    return expected, [(*row[:6], items(row[6]), known[row[7]], *row[8:10], frames[row[10]]) for row in rows]


def frame_around(truth, op):
    """Name of the innermost Python frame in which the operator was called."""
    if op is None:
        return None
    op = truth.ops[op]
    around = [
        (row.start_ns, row.number)
        for row in truth.python_calls
        if row.tid == op.tid and row.start_ns <= op.start_ns and (row.end_ns is None or op.end_ns <= row.end_ns)
    ]
    return python_names(truth)[max(around)[1]] if around else None


@topic
def graph_replays(truth, ask):
    """Executions with what launched them; times are those of their tasks."""
    known = ops_by_id(ask)
    rows = ask(
        "SELECT r.model_no, r.generation, r.replay_no, r.task_count, r.start_ns, r.end_ns, r.op_id, a.name, a.start_ns,"
        " r.step_no FROM graph_replay_named r LEFT JOIN api_call_named a ON a.id = r.api_call_id WHERE r.rank_id = ?"
    )
    executions = sorted(call.start_ns for call in truth.calls if call.name == "aclmdlRIExecuteAsync")
    expected = []
    for number, row in enumerate(truth.replays):
        tasks = [task for task in truth.tasks if task.replay == number]
        times = (min(task.start_ns for task in tasks), max(task.end_ns for task in tasks))
        call = ("aclmdlRIExecuteAsync", executions[number])
        step = None if row.op is None else truth.ops[row.op].step_no
        key = (*replay_key(truth, number), row.tasks, *times)
        expected.append((*key, op_key(truth, row.op), *call, step))
    return expected, [(*row[:6], known[row[6]], *row[7:]) for row in rows]


@topic
def replayed_tasks(truth, ask):
    """Which captured task each replayed task is."""
    rows = ask(
        "SELECT t.start_ns, g.model_no, g.generation, r.replay_no, n.task_no, t.batch_no = n.batch_no"
        " FROM device_task t JOIN graph_node n ON n.id = t.graph_node_id JOIN graph g ON g.id = n.graph_id"
        " JOIN graph_replay r ON r.id = t.graph_replay_id AND r.graph_id = g.id WHERE t.rank_id = ?"
    )
    expected = [
        (task.start_ns, *replay_key(truth, task.replay), truth.launches[task.launch].task_no, 1)
        for task in truth.tasks
        if task.replay is not None
    ]
    return expected, rows


@topic
def module_memory(truth, ask):
    return (
        [(row.time_ns, row.value) for row in truth.samples if row.kind == "module"],
        ask("SELECT time_ns, reserved_bytes FROM module_memory_named WHERE rank_id = ?"),
    )


@topic
def collections(truth, ask):
    return (
        [(row.start_ns, row.end_ns) for row in truth.collections],
        ask("SELECT start_ns, end_ns FROM gc_event WHERE rank_id = ?"),
    )


def python_names(truth):
    """Modules are numbered within their class."""
    numbers, counts, names = {}, Counter(), []
    for row in truth.python_calls:
        kind, mark, _ = row.name.partition("######")
        if mark and row.name not in numbers:
            numbers[row.name] = counts[kind]
            counts[kind] += 1
        names.append(f"nn.Module: {kind}_{numbers[row.name]}" if mark else row.name)
    return names


def python_key(truth, number):
    row = None if number is None else truth.python_calls[number]
    return row and (row.tid, row.start_ns)


@topic
def python_calls(truth, ask):
    # what never returned ends with the last record of the tracer
    last = max((row.end_ns or row.start_ns for row in truth.python_calls), default=None)
    known = {None: None}
    rows = ask("SELECT id, tid, start_ns FROM python_call_named WHERE rank_id = ?")
    known |= {number: key for number, *key in rows}
    known = {number: key and tuple(key) for number, key in known.items()}
    return (
        [
            (name, row.tid, row.start_ns, row.end_ns or last, python_key(truth, row.parent))
            for row, name in zip(truth.python_calls, python_names(truth), strict=True)
        ],
        [
            (*rest, known[parent])
            for *rest, parent in ask(
                "SELECT name, tid, start_ns, end_ns, parent_id FROM python_call_named WHERE rank_id = ?"
            )
        ],
    )


@topic
def allocations(truth, ask):
    known = ops_by_id(ask)
    rows = ask(
        "SELECT component, size_bytes, address, start_ns, release_ns, active_release_ns, start_allocated_bytes, op_id"
        " FROM allocation_named WHERE rank_id = ?"
    )
    expected = []
    for row in truth.allocations:
        component = COMPONENTS.get(row.component, row.component)
        times = (row.start_ns, row.release_ns, row.active_release_ns)
        op = op_key(truth, row.op)
        expected.append((component, row.size_bytes, row.address, *times, row.allocated_bytes, op))
    return expected, [(*rest, known[op]) for *rest, op in rows]


@topic
def comm_ops(truth, ask):
    known, step = ops_by_id(ask), device_step(truth, ask)
    rows = ask(
        "SELECT substr(name, 1, instr(name, '__')), op_type, group_name, element_count, start_ns, end_ns,"
        " op_id, step_no FROM comm_op_named WHERE rank_id = ?"
    )
    expected = []
    for row in truth.comm_ops:
        op_type = row.name if row.is_described else None
        times = (row.start_ns, row.end_ns)
        told = (row.name, op_type, row.group, row.elements)
        expected.append((*told, *times, op_key(truth, row.op), step(row.step_no, row.start_ns)))
    return expected, [(*rest, known[op], step) for *rest, op, step in rows]


@topic
def comm_tasks(truth, ask):
    rows = ask(
        "SELECT t.start_ns, t.end_ns, o.start_ns, type, plane_no, size_bytes, src_rank_no, dst_rank_no"
        " FROM comm_task_named t JOIN comm_op o ON o.id = t.comm_op_id WHERE t.rank_id = ?"
    )
    expected = []
    for op in truth.comm_ops:
        for task in op.tasks:
            told = (task.name, task.plane, task.size_bytes, task.own_rank, task.peer)
            told = told if op.is_described else (None,) * len(told)
            expected.append((task.start_ns, task.end_ns, op.start_ns, *told))
    return expected, rows
