"""Rows of a rank in the same words: as the simulated program knows them, and as a warehouse holds them.

A topic is a function that gives both as lists of tuples, whose order says nothing.  An operator is named by thread,
times and name, a replay by model and generation of its graph and by its number.
"""

from collections import Counter

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
    """Model, and how many graphs had that number before."""
    model = truth.graphs[number].model_no
    return (model, sum(graph.model_no == model for graph in truth.graphs[:number]))


@topic
def tasks(truth, ask):
    known, step = ops_by_id(ask), device_step(truth, ask)
    expected = []
    for row in truth.tasks:
        launch = truth.launches[row.launch]
        op = launch.op if launch.op is not None or row.replay is None else truth.replays[row.replay].op
        kind, name = launch.kind, task_name(truth, row)
        if row.is_part and not launch.kernel:  # without the ids of its contexts the host knows nothing of a part
            kind, name, op = "MIX_AIC", "MIX_AIC", None
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
def graph_nodes(truth, ask):
    known = ops_by_id(ask)
    rows = ask(
        "SELECT n.model_no, g.generation, n.stream_no, n.task_no, n.name, n.op_id"
        " FROM graph_node_named n JOIN graph g ON g.id = n.graph_id WHERE n.rank_id = ?"
    )
    expected = []
    replayed = {row.graph for row in truth.replays}  # the tasks of others never ran
    for number, graph in enumerate(truth.graphs):
        if number not in replayed:
            continue
        for launch in (truth.launches[place] for place in graph.launches):
            name = launch.called or (launch.kernel or {}).get("name") or launch.symbol
            expected.append(
                (*graph_key(truth, number), launch.stream_no, launch.task_no, name, op_key(truth, launch.op))
            )
    return expected, [(*rest, known[op]) for *rest, op in rows]


@topic
def graph_replays(truth, ask):
    known = ops_by_id(ask)
    rows = ask("SELECT model_no, generation, replay_no, task_count, op_id FROM graph_replay_named WHERE rank_id = ?")
    return (
        [(*replay_key(truth, number), row.tasks, op_key(truth, row.op)) for number, row in enumerate(truth.replays)],
        [(*rest, known[op]) for *rest, op in rows],
    )


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
