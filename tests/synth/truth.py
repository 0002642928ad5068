"""What the simulated program did, as the program knows it: nothing here is read from the bytes that it wrote.

Times are ns since the epoch, as exact as the ticks that were written.  Rows name each other by their place in the list.
"""

import json
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from . import codes

DTYPES = {codes.DT_FLOAT: "FLOAT", codes.DT_FLOAT16: "FLOAT16"}
CORE_NAMES = {"aiv": "AI_VECTOR_CORE", "aic": "AI_CORE", "mix": "MIX_AIC", "aicpu": "AI_CPU"}


@dataclass(slots=True)
class Step:
    step_no: int
    start_ns: int
    end_ns: int


@dataclass(slots=True)
class Op:
    """A range of the framework; parent: the op it was called from on its thread."""

    number: int
    name: str
    tid: int
    start_ns: int
    end_ns: int
    sequence_no: int | None
    shapes: list[str] | None
    dtypes: list[str] | None
    frames: list[str] | None
    module: list[str] | None
    step_no: int | None
    parent: int | None = None


@dataclass(slots=True)
class QueueTask:
    correlation_no: int
    name: str
    op: int
    enqueue_tid: int
    enqueue_start_ns: int
    enqueue_end_ns: int
    dequeue_start_ns: int | None = None
    dequeue_end_ns: int | None = None


@dataclass(slots=True)
class Call:
    """A CANN call; op: on whose behalf."""

    level: str
    name: str
    tid: int
    start_ns: int
    end_ns: int
    item: str | None
    op: int | None


@dataclass(slots=True)
class Launch:
    """A task as the host knows it; a captured one runs as often as its graph is replayed."""

    number: int
    stream_no: int
    task_no: int
    kind: str
    op: int | None
    symbol: str | None = None
    called: str | None = None  # by the call that launched it
    kernel: dict | None = None  # what is told of the operator: name, op_type, core, block_count, input_shapes, ...
    copy_bytes: int | None = None
    graph: int | None = None  # captured into it


@dataclass(slots=True)
class Task:
    """What the device did."""

    launch: int
    stream_no: int
    task_no: int
    start_ns: int
    end_ns: int
    step_no: int | None
    replay: int | None = None
    cycles: int | None = None
    is_part: bool = False  # the inner range of a mixed kernel


@dataclass(slots=True)
class Replay:
    graph: int
    replay_no: int
    op: int | None
    tasks: int


@dataclass(slots=True)
class Graph:
    model_no: int
    captured_ns: int
    destroyed_ns: int | None = None
    launches: list[int] = field(default_factory=list)


@dataclass(slots=True)
class CommOp:
    """A collective; its times are those of its tasks."""

    name: str
    group: str
    elements: int
    op: int
    step_no: int | None
    start_ns: int
    end_ns: int
    is_described: bool  # what it and its tasks do is told, not only that they are
    tasks: list["CommTask"]


@dataclass(slots=True)
class CommTask:
    name: str
    plane: int
    start_ns: int
    end_ns: int
    size_bytes: int
    own_rank: int
    peer: int


@dataclass(slots=True)
class Allocation:
    """op: in which it was asked for."""

    component: str
    size_bytes: int
    address: int
    start_ns: int
    allocated_bytes: int
    op: int | None = None
    release_ns: int | None = None
    active_release_ns: int | None = None


@dataclass(slots=True)
class PythonCall:
    number: int
    name: str
    tid: int
    start_ns: int
    end_ns: int | None
    parent: int | None


@dataclass(slots=True)
class Collection:
    start_ns: int
    end_ns: int


@dataclass(slots=True)
class Sample:
    kind: str
    time_ns: int
    value: int


def description(name, op_type, core, blocks, tensors):
    """What is told of a kernel.  tensors: (0 input or 1 output, format, type, shape)."""
    shapes = [[",".join(map(str, shape)) for kind, _, _, shape in tensors if kind == which] for which in (0, 1)]
    types = [[DTYPES[dtype] for kind, _, dtype, _ in tensors if kind == which] for which in (0, 1)]
    return {
        "name": name, "op_type": op_type, "core": CORE_NAMES[core],
        "block_count": blocks & 0xFFFF, "mix_block_count": (blocks & 0xFFFF) * (blocks >> 16),
        "input_shapes": shapes[0], "output_shapes": shapes[1], "input_dtypes": types[0], "output_dtypes": types[1],
    }  # fmt: skip


class Truth:
    """Of one rank; moments of its clock come in.  is_kept: else each step is forgotten, so that memory stays flat.

    >>> from .clock import Clock
    >>> truth = Truth(Clock())
    >>> truth.op("aten::add", 7, 0, 1_000).end_ns - truth.clock.sync_wall_ns
    1000
    """

    def __init__(self, clock, is_kept=True):
        self.clock, self.is_kept = clock, is_kept
        self.step_no = None  # of the step that runs
        self.steps, self.ops, self.queue_tasks, self.calls = [], [], [], []
        self.launches, self.tasks, self.graphs, self.replays = [], [], [], []
        self.comm_ops, self.python_calls, self.collections = [], [], []
        self.allocations, self.samples = [], []
        self.live = {}  # (component, address) -> its allocation
        self.running = {}  # (stream, task) -> its launch
        self.stacks = {}  # tid -> open Python calls

    def op(self, name, tid, begin, end, sequence=-1, shapes=None, dtypes=None, frames=None, module=None, inside=()):
        """inside: the ops called from it."""
        ns = self.clock.host_ns
        row = Op(
            len(self.ops), name, tid, ns(begin), ns(end), None if sequence == -1 else sequence,
            shapes, dtypes, frames and list(frames), module, self.step_no,
        )  # fmt: skip
        for other in inside:
            other.parent = row.number
        self.ops.append(row)
        return row

    def enqueue(self, correlation, name, op, begin, end):
        ns = self.clock.host_ns
        self.queue_tasks.append(QueueTask(correlation, name, op.number, op.tid, ns(begin), ns(end)))
        return self.queue_tasks[-1]

    def dequeue(self, queued, begin, end):
        queued.dequeue_start_ns, queued.dequeue_end_ns = self.clock.host_ns(begin), self.clock.host_ns(end)

    @contextmanager
    def in_step(self, number, tid):
        """What the program does meanwhile belongs to a step; its operator, the last one that ends, holds whatever its
        thread did."""
        first_op, first_call, self.step_no = len(self.ops), len(self.calls), number
        yield
        *inside, step = self.ops[first_op:]
        for op in inside:
            if op.tid == tid and op.parent is None:
                op.parent = step.number
        for call in self.calls[first_call:]:
            if call.tid == tid and call.op is None:
                call.op = step.number
        self.steps.append(Step(number, step.start_ns, step.end_ns))
        self.step_no = None
        if not self.is_kept:
            self._forget()

    def call(self, level, name, tid, begin, end, item, op):
        ns = self.clock.host_ns
        self.calls.append(Call(level, name, tid, ns(begin), ns(end), item, op and op.number))

    def launch(self, stream, task, kind, symbol, op):
        row = Launch(len(self.launches), stream, task, kind, op and op.number, symbol)
        self.launches.append(row)
        self.running[stream, task] = row
        return row

    def begin_graph(self, moment, model):
        self.graphs.append(Graph(model, self.clock.host_ns(moment)))

    def end_graph(self, moment):
        self.graphs[-1].destroyed_ns = self.clock.host_ns(moment)

    def replay(self, tasks, op):
        graph = len(self.graphs) - 1
        number = sum(row.graph == graph for row in self.replays) + 1
        self.replays.append(Replay(graph, number, op and op.number, tasks))

    def capture(self, launch):
        """A launch becomes part of the graph that was captured last."""
        launch.graph = len(self.graphs) - 1
        self.graphs[-1].launches.append(launch.number)

    def task(self, stream, task, begin, end, cycles=None, is_part=False):
        ns = self.clock.dev_ns
        launch = self.running[stream, task]
        replay = len(self.replays) - 1 if launch.graph is not None else None
        row = Task(launch.number, stream, task, ns(begin), ns(end), self.step_no, replay, cycles, is_part)
        self.tasks.append(row)
        return row

    def comm_op(self, name, group, elements, op, own, plan, is_described):
        """plan: tasks with their moments on the device; own: number of this rank."""
        ns = self.clock.dev_ns
        tasks = [
            CommTask(task.name, task.plane, ns(task.begin), ns(task.end), task.size, own, task.peer) for task in plan
        ]
        first, last = min(task.start_ns for task in tasks), max(task.end_ns for task in tasks)
        row = CommOp(name, group, elements, op.number, self.step_no, first, last, is_described, tasks)
        self.comm_ops.append(row)

    def allocate(self, component, moment, size, address, allocated):
        row = Allocation(component, size, address, self.clock.host_ns(moment), allocated)
        self.allocations.append(row)
        self.live[component, address] = row
        return row

    def release(self, component, moment, address, active=False):
        """active: the device is done with it."""
        row = self.live[component, address]
        if active:
            row.active_release_ns = self.clock.host_ns(moment)
        else:
            row.release_ns = self.clock.host_ns(moment)

    def sample(self, kind, moment, value):
        self.samples.append(Sample(kind, self.clock.host_ns(moment), value))

    def collect(self, begin, end):
        self.collections.append(Collection(self.clock.host_ns(begin), self.clock.host_ns(end)))

    def enter(self, moment, tid, name):
        """A Python call begins."""
        stack = self.stacks.setdefault(tid, [])
        parent = stack[-1].number if stack else None
        row = PythonCall(len(self.python_calls), name, tid, self.clock.host_ns(moment), None, parent)
        stack.append(row)
        self.python_calls.append(row)

    def leave(self, moment, tid):
        self.stacks[tid].pop().end_ns = self.clock.host_ns(moment)

    def _forget(self):
        for rows in (
            self.ops, self.queue_tasks, self.calls, self.launches, self.tasks, self.comm_ops, self.python_calls,
            self.allocations, self.samples,
        ):  # fmt: skip
            rows.clear()

    def rows(self):
        """Lists of rows by kind."""
        return {name: rows for name, rows in vars(self).items() if isinstance(rows, list)}

    def write(self, path):
        """As JSON: a list of objects a kind."""
        made = {name: [asdict(row) for row in rows] for name, rows in self.rows().items()}
        path.write_text(json.dumps(made, indent=1), encoding="utf-8")
