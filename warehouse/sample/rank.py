"""One simulated rank: its clocks, its numbers, and the rows they become."""

from __future__ import annotations

import random
from typing import Any

from warehouse.sample.memory import Memory
from warehouse.sample.official_file import FRAMEWORK, OfficialFile
from warehouse.sample.options import Options
from warehouse.sample.program import COLUMNS, CORES, PMU_NAMES, Operator, pmu_values

START_NS = 1_760_000_000_000_000_000  # 2025-10-09T08:53:20Z: when profiling starts
NONE = 4294967295  # the official files' missing number
ACL, NODE, COMMUNICATION, RUNTIME = 20000, 10000, 5500, 5000
OP, QUEUE, TRACE = 50001, 50002, 50003
COMPUTE_STREAM, GRAPH_STREAM = 2, 37
MODEL = 7  # number of the captured graph
_SEPARATOR = ";\r\n"


class Rank:
    """Rows of one rank, in simulated time; `main`, `backward` and `worker` are thread numbers, times absolute ns."""

    def __init__(self, file: OfficialFile, number: int, options: Options) -> None:
        self.file, self.number, self.options = file, number, options
        self.random = random.Random(options.seed * 1009 + number)
        self.device = number % 8
        self.pid = 41000 + 11 * number
        self.main, self.backward, self.worker = self.pid, self.pid + 5, self.pid + 9
        self.now = START_NS + 5_000_000 + self.random.randrange(20_000)  # host clock of the step under way
        self.memory = Memory(file, self.device, self.global_thread(self.main))
        # analysis.db is computed from these, a step at a time
        self.computing: list[tuple[int, int]] = []
        self.node_tasks: list[tuple[int, int]] = []
        self._worker_free = self.now
        self._streams: dict[int, int] = {}
        self._tasks: dict[int, int] = {}
        # 1.0.0 files mix correlation numbers and CANN connections in one space: keep them apart by size
        self._correlation = (10_000_000 if options.old else 0, 0 if options.old else 5 << 28)
        self._queued = 0
        self._pairs = (20_000_000 if options.old else 5 << 28) + (1 << 26)
        self._connection = 0
        self._link = 0
        self._descriptor = 0
        self._callchain = 0

    # -- numbers ------------------------------------------------------------------------------------------------------

    def global_thread(self, thread: int) -> int:
        return self.pid << 32 | thread

    def jitter(self, nominal: int) -> int:
        """A duration near `nominal`, on the 20 ns grid of the device clock."""
        return max(20, int(nominal * self.random.uniform(0.9, 1.15)) // 20 * 20)

    def link(self, *connections: int) -> int:
        """New CONNECTION_IDS id that stands for `connections`."""
        self._link += 1
        self.file.extend("CONNECTION_IDS", [(self._link, connection) for connection in connections])
        return self._link

    def pair(self, sequence: int) -> int:
        """Connection number that a forward operator and its backward share."""
        return self._pairs + sequence

    def descriptor(self) -> int:
        """Next globalTaskId."""
        self._descriptor += 1
        return self._descriptor - 1

    def task_number(self, stream: int) -> int:
        """Next task id of a stream; 16 bits, so it begins again."""
        found = self._tasks.get(stream, 0)
        self._tasks[stream] = (found + 1) % 65536
        return found

    # -- host ---------------------------------------------------------------------------------------------------------

    def op(
        self, name: str, start: int, end: int, thread: int, *, sequence: int = -1, forward_thread: int = 0,
        link: int | None = None, operator: Operator | None = None, rows: int = 0, frames: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        """A framework operator range."""
        text, shapes, dtypes = self.file.string, None, None
        if operator:
            dtype = "float" if operator.dtype == "FLOAT" else "c10::Half"
            shapes = text(_SEPARATOR.join([f"{rows},{COLUMNS}"] * operator.inputs + [""]), FRAMEWORK)
            dtypes = text(_SEPARATOR.join([dtype] * operator.inputs + ["Scalar"]), FRAMEWORK)
        chain = self._chain(frames) if self.options.stack and frames else None
        self.file.add(
            "PYTORCH_API",
            (str(start), str(end), self.global_thread(thread), link, text(name, FRAMEWORK), sequence, forward_thread,
             dtypes, shapes, chain, OP),
        )  # fmt: skip

    def python(self, name: str, start: int, end: int, thread: int | None = None) -> None:
        """A Python frame; only recorded with stacks."""
        if self.options.stack:
            row = (self.global_thread(thread or self.main), None, self.file.string(name, FRAMEWORK))
            self.file.add("PYTORCH_API", (str(start), str(end), *row, None, None, None, None, None, TRACE))

    def api(self, name: str, start: int, end: int, level: int = ACL, thread: int | None = None) -> int:
        """A CANN call; returns its connection number."""
        self._connection += 1
        row = (start, end, level, self.global_thread(thread or self.worker), self._connection, self.file.string(name))
        self.file.add("CANN_API", row)
        return self._connection

    def unused_connection(self) -> int:
        """A connection number without a CANN call."""
        self._connection += 1
        return self._connection

    def enqueue(self, name: str, start: int, end: int, thread: int, work: int) -> int:
        """Send work to the task queue; returns when the worker takes it.  `work`: ns the worker needs.

        Without a task queue the caller does the work itself, from `start` on.
        """
        if not self.options.queue:
            return start
        taken = max(self._worker_free, end + 400)
        self._worker_free = taken + work + 200
        first, offset = self._correlation
        connection = first + offset + self._queued
        self._queued += 1
        names = "Enqueue" if self.options.old else f"Enqueue@{name}", f"Dequeue@{name}"
        halves = (start, end, thread), (taken, taken + work, self.worker)
        for half, (begin, finish, on) in zip(names, halves, strict=True):
            row = (self.global_thread(on), self.link(connection), self.file.string(half, FRAMEWORK))
            self.file.add("PYTORCH_API", (str(begin), str(finish), *row, None, None, None, None, None, QUEUE))
        return taken

    @property
    def worker_free(self) -> int:
        return self._worker_free

    # -- device -------------------------------------------------------------------------------------------------------

    def stream_free(self, stream: int) -> int:
        return self._streams.get(stream, 0)

    def task(
        self, kind: str, start: int, end: int, stream: int, connection: int, *, descriptor: int | None = None,
        number: int | None = None, context: int = NONE, model: int = NONE,
    ) -> int:  # fmt: skip
        """A device task; returns its globalTaskId."""
        descriptor = self.descriptor() if descriptor is None else descriptor
        number = self.task_number(stream) if number is None else number
        self._streams[stream] = max(self._streams.get(stream, 0), end)
        self.file.add(
            "TASK",
            (start, end, self.device, connection, descriptor, self.pid, self.file.string(kind), context, stream, number,
             model),
        )  # fmt: skip
        return descriptor

    def kernel(self, operator: Operator, rows: int, launched: int, connection: int) -> None:
        """Run an operator's kernel as soon as the stream is free after `launched`."""
        kind, stream = CORES[operator.core][0], COMPUTE_STREAM
        start = max(self.stream_free(stream) + 300, launched + 2_400) // 20 * 20
        end = start + self.jitter(operator.duration_ns)
        if operator.core == "mix":  # the whole, and inside it the part that does the work
            number = self.task_number(stream)
            self.task(kind, start, end, stream, connection, number=number)
            start, end = start + 200, end - 200
            descriptor = self.task(kind, start, end, stream, connection, number=number, context=0)
        else:
            descriptor = self.task(kind, start, end, stream, connection)
        self.describe(operator, descriptor, rows)
        self.measure(operator, descriptor, end - start)
        self.computing.append((start, end))
        self.node_tasks.append((start, end))

    def describe(self, operator: Operator, descriptor: int, rows: int, bare: bool = False) -> None:
        """COMPUTE_TASK_INFO row of a kernel.  `bare`: only its name is known."""
        _, core, blocks, mixed = CORES[operator.core]
        text, tensor, missing = self.file.string, f"{rows},{COLUMNS}", self.file.string("N/A")
        info: tuple[Any, ...]
        if not self.options.describes:
            info = (text(operator.kernel), descriptor, 0, 0, *[missing] * 8, text(""))
        elif bare:
            name = text(f"{operator.kernel}_kernel")
            info = (name, descriptor, blocks, mixed, text(core), name, *[missing] * 6, text('{"mode":1}'))
        else:
            info = (
                text(operator.kernel), descriptor, blocks, mixed, text(core), text(operator.op_type),
                text(";".join(["ND"] * operator.inputs)), text(";".join([operator.dtype] * operator.inputs)),
                text('"' + ";".join([tensor] * operator.inputs) + '"'),
                text("ND"), text(operator.dtype), text(f'"{tensor}"'), text('{"mode":1}'),
            )  # fmt: skip
        if not self.options.old:
            full = self.options.describes and not bare
            info += (text("dynamic"), text("NO"), missing, missing) if full else (missing,) * 4
        self.file.add("COMPUTE_TASK_INFO", info)

    def measure(self, operator: Operator, descriptor: int, duration_ns: int) -> None:
        """TASK_PMU_INFO rows of one execution."""
        if self.options.describes:
            values = pmu_values(operator.core, duration_ns, self.random.random())
            names = map(self.file.string, PMU_NAMES)
            self.file.extend("TASK_PMU_INFO", [(descriptor, *pair) for pair in zip(names, values, strict=True)])

    # -- the rest -----------------------------------------------------------------------------------------------------

    def sample_counters(self, start: int) -> None:
        """One sample of each hardware and host counter, 1 us apart."""
        add, device, text, noise = self.file.add, self.device, self.file.string, self.random.randrange
        for sample, at in enumerate(range(start, start + 3_000, 1_000)):
            used = (64 << 20) + noise(1 << 20)
            add("NPU_MEM", (text("app"), 0, used, at, device))
            add("NPU_MEM", (text("device"), 4096, used + (1 << 30), at, device))
            for module in (3, 7, 45):
                add("NPU_MODULE_MEM", (module, at, module << 20, device))
            for part in (0, 1):
                add("HBM", (device, at, noise(10**9), part, text("read")))
                add("HBM", (device, at, noise(10**9), part, text("write")))
            add("LLC", (device, 0, at, 80 + noise(200) / 10, noise(10**10), text("read")))
            add("HCCS", (device, at, noise(10**9), noise(10**9)))
            add("SOC_BANDWIDTH_LEVEL", (noise(3), noise(3), at, device))
            add("ACC_PMU", (sample % 2, noise(3), noise(3), noise(3), noise(3), at, device))
            add("CPU_USAGE", (at, 0, noise(1000) / 10))
            add("HOST_MEM_USAGE", (at, 31.5))
        self.frequency(start, 1000)

    def frequency(self, at: int, mhz: int) -> None:
        self.file.add("AICORE_FREQ", (self.device, at, mhz) if self.options.old else (self.device, at, mhz, -1))

    def _chain(self, frames: tuple[str, ...]) -> int:
        self._callchain += 1
        rows = [(self._callchain, self.file.string(frame, FRAMEWORK), depth) for depth, frame in enumerate(frames)]
        self.file.extend("PYTORCH_CALLCHAINS", rows)
        return self._callchain
