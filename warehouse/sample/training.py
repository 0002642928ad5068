"""The simulated training loop of one rank: what runs when, on which thread and stream."""

from __future__ import annotations

from collections.abc import Generator, Iterator

from warehouse.sample import collective
from warehouse.sample.collective import Collective, Group, Meeting
from warehouse.sample.memory import Block
from warehouse.sample.official_file import FRAMEWORK
from warehouse.sample.program import AICPU, BACKWARD, CAPTURED, CORES, FORWARD, OPTIMIZER, Operator
from warehouse.sample.rank import (
    ACL,
    COMPUTE_STREAM,
    GRAPH_STREAM,
    MODEL,
    NODE,
    NONE,
    OP,
    RUNTIME,
    Rank,
)

FIRST_STEP = 3  # the schedule skipped, waited and warmed up before
_FRAMES = ("train.py(34): train_step", "train.py(60): main", "train.py(70): <module>")
_VARIANTS = 5
_NO_MARK = 4000000000
Steps = Generator[Meeting, int, None]


class Training:
    """Runs the program on one rank; every step is a generator that pauses where it meets other ranks."""

    def __init__(self, rank: Rank) -> None:
        self.rank = rank
        self.options = rank.options
        everyone = tuple(range(self.options.ranks))
        first = rank.number // 2 * 2
        pair = tuple(number for number in (first, first + 1) if number < self.options.ranks)
        self.world = Group("default_group", everyone, 60000, (5, 6))
        self.pipeline = Group("pp", pair, 60001 + first, (8, 9))
        self._operations = {self.world: 0, self.pipeline: 0}
        self._sequence = 100
        self._graph: list[tuple[Operator, int, int]] = []  # operator, launch connection, globalTaskId
        self.collectives: list[Collective] = []
        self.host = (rank.now, rank.now)  # range of the last step

    # -- one operator -------------------------------------------------------------------------------------------------

    def launch(
        self, operator: Operator, start: int, thread: int, rows: int, *, sequence: int = -1,
        around: tuple[str, ...] = (), capture: bool = False,
    ) -> tuple[int, Block | None]:  # fmt: skip
        """Run one operator from host time `start` on; returns its end and what it allocated."""
        rank = self.rank
        names = around + operator.chain
        inner = start + 2_000 * len(names)
        begin, work = self._queue(operator.api, inner, thread, 10_200)
        worker = rank.worker if self.options.queue else thread
        rank.api(f"{operator.api}GetWorkspaceSize", begin + 500, begin + 1_000, ACL, worker)
        rank.api(operator.api, begin + 1_100, begin + work - 300, ACL, worker)
        connection = rank.api("launch", begin + 2_700, begin + work - 1_500, NODE, worker)
        if self.options.level == "Level2":
            rank.api("KernelLaunch", begin + 3_100, begin + work - 1_800, RUNTIME, worker)
        if capture:
            self._capture(operator, connection, rows)
        else:
            rank.kernel(operator, rows, begin + 2_700, connection)
        end = inner + 2_700 if self.options.queue else begin + work + 600
        block = None
        if self.options.memory:
            block = rank.memory.allocate(operator.chain[-1], rows * 1024, inner - 500)
            if operator.core == "mix":
                rank.memory.engine(operator.kernel, 2 << 20, begin + 1_200, begin + work - 400)
        link = None if capture and self.options.graph != "capture" else rank.link(connection)
        rank.op(operator.api, inner, end, thread, link=link)
        for level in reversed(range(len(names))):
            end += 800
            backward = bool(around)
            rank.op(
                names[level], start + 2_000 * level, end, thread,
                sequence=sequence, forward_thread=int(backward),
                link=rank.link(rank.pair(sequence)) if level == 0 and sequence >= 0 else None,
                operator=None if level < len(around) else operator, rows=rows, frames=() if backward else _FRAMES,
            )  # fmt: skip
        return end, block

    def _queue(self, name: str, inner: int, thread: int, nominal: int) -> tuple[int, int]:
        """Enqueue from the range that begins at `inner`; returns when the work begins and how long it takes."""
        work = self.rank.jitter(nominal)
        return self.rank.enqueue(name, inner + 600, inner + 2_100, thread, work), work

    def simple(
        self, name: str, api: str, kind: str, start: int, thread: int, stream: int, length: int
    ) -> tuple[int, int]:
        """An operator that is one ACL call and one task (copies, events); returns its end on host and device."""
        rank = self.rank
        begin, _ = self._queue(name, start, thread, 6_000)
        worker = rank.worker if self.options.queue else thread
        connection = rank.api(api, begin + 1_000, begin + 4_000, ACL, worker)
        at = max(rank.stream_free(stream) + 300, begin + 3_000) // 20 * 20
        descriptor = rank.task(kind, at, at + length, stream, connection)
        if kind == "MEMCPY_ASYNC" and self.options.level == "Level2":
            rank.file.add("MEMCPY_INFO", (descriptor, 1 << 20, 1))
        end = start + 2_700 if self.options.queue else begin + 4_600
        rank.op(name, start, end, thread)
        return end, at + length

    # -- the captured graph -------------------------------------------------------------------------------------------

    def capture(self) -> None:
        """Capture the graph before the first step; with `replay` and `bare` that happened before profiling began."""
        rank, at = self.rank, self.rank.now
        if self.options.graph == "none":
            return
        if self.options.graph == "capture":
            rank.api("aclmdlRICaptureBegin", at, at + 10_000, ACL, rank.main)
            at += 20_000
            for index, operator in enumerate(CAPTURED):
                at, block = self.launch(operator, at, rank.main, 64 * (index + 1), sequence=self._next(), capture=True)
                if block:
                    block.release = at + 900
                at += 1_500
            at = max(at, rank.worker_free) + 2_000
            rank.api("aclmdlRICaptureEnd", at, at + 10_000, ACL, rank.main)
            rank.now = at + 30_000
            if self.options.memory:
                rank.memory.write_step(rank.now - 10_000)
        else:
            connection = rank.unused_connection()
            for index, operator in enumerate(CAPTURED):
                self._capture(operator, connection, 64 * (index + 1))

    def _capture(self, operator: Operator, connection: int, rows: int) -> None:
        descriptor = self.rank.descriptor()
        self.rank.describe(operator, descriptor, rows, bare=self.options.graph == "bare")
        self._graph.append((operator, connection, descriptor))

    def replay(self, start: int) -> int:
        """Replay the graph once; returns the host time after the call."""
        rank = self.rank
        rank.python("torch_npu/npu/graphs.py(112): replay", start, start + 17_000)
        connection = rank.api("aclmdlRIExecuteAsync", start + 500, start + 15_500, ACL, rank.main)
        at = begin = max(rank.stream_free(GRAPH_STREAM) + 300, start + 9_000) // 20 * 20
        for number, (operator, captured, descriptor) in enumerate(self._graph):
            if number == 3:
                at -= 500  # a task that starts before the one before it has ended
            end = at + rank.jitter(operator.duration_ns)
            kind, *_ = CORES[operator.core]
            rank.task(kind, at, end, GRAPH_STREAM, captured, descriptor=descriptor, number=number, model=MODEL)
            rank.measure(operator, descriptor, end - at)
            rank.computing.append((at, end))
            at = end + 300
        begin = max(begin, rank.stream_free(COMPUTE_STREAM) + 300)
        rank.task("MODEL_EXECUTE", begin, max(at, begin) + 900, COMPUTE_STREAM, connection)
        return start + 18_000

    # -- one step -----------------------------------------------------------------------------------------------------

    def step(self, number: int) -> Steps:
        """Run one training step."""
        rank, start = self.rank, self.rank.now
        self.collectives = []
        at = self._load(start + 3_000)
        if number == FIRST_STEP and self.options.memory:
            rank.memory.allocate("aten::empty", 1 << 20, at - 1_000)
        forward = max(2, self.options.ops_per_step * 2 // 5)
        kept = []
        begun = at
        for index in range(forward):
            operator, rows, sequence = FORWARD[index % len(FORWARD)], 64 * (1 + index % _VARIANTS), self._next()
            end, block = self.launch(operator, at + 600, rank.main, rows, sequence=sequence)
            self._module_frames(operator, index, at, end)
            kept.append((operator, rows, sequence, block))
            at = end + 1_800
            if index == forward // 2 and number % 2 == 0:
                rank.file.add("GC_RECORD", (at, at + 24_000, rank.global_thread(rank.pid)))
                at += 25_000
        rank.python("nn.Module: TransformerModel_0", begun - 400, at)
        if self.options.level == "Level2":
            at, _ = self.launch(AICPU, at + 500, rank.main, 64)
        for _ in range(self.options.replays if self._graph else 0):
            at = self.replay(at + 2_000)
        backward_done = yield from self._backward(at + 2_000, kept)
        rank.python("torch/_tensor.py(592): backward", at + 1_000, backward_done)
        updates = max(2, self.options.ops_per_step - 2 * forward)
        end, device_end = yield from self._optimize(backward_done + 2_000, updates)
        end = self._synchronise(end, device_end)
        self._close(number, start, end)

    def _load(self, at: int) -> int:
        """Fetch a batch and copy it to the device."""
        rank = self.rank
        rank.python("torch/utils/data/dataloader.py(630): __next__", at, at + 30_000)
        at += 32_000
        copy = ("acl_memcpy_host_to_device", "aclrtMemcpyAsync", "MEMCPY_ASYNC")
        done, _ = self.simple(*copy, at + 3_600, rank.main, COMPUTE_STREAM, 5_940)
        for level, name in reversed(list(enumerate(("aten::to", "aten::_to_copy", "aten::copy_")))):
            done += 500
            rank.op(name, at + 1_200 * level, done, rank.main, frames=_FRAMES)
        # an asynchronous range that begins inside aten::to and outlives it
        rank.op("aten::_pin_memory", at + 500, done + 900, rank.main)
        return done + 3_000

    def _module_frames(self, operator: Operator, index: int, start: int, end: int) -> None:
        rank = self.rank
        rank.python(f"nn.Module: {operator.module}_{index % len(FORWARD)}", start, end + 600)
        rank.python(operator.source, start + 200, end + 400)

    def _backward(self, at: int, kept: list[tuple[Operator, int, int, Block | None]]) -> Generator[Meeting, int, int]:
        rank = self.rank
        for index, (operator, rows, sequence, block) in enumerate(reversed(kept)):
            node = operator.backward
            around = (f"autograd::engine::evaluate_function: {node}", node)
            at, gradient = self.launch(BACKWARD[node], at, rank.backward, rows, sequence=sequence, around=around)
            for freed, delay in ((block, 400), (gradient, 700)):
                if freed:
                    freed.release = at + delay
            at += 1_000
            if index % 4 == 3 and self.options.ranks > 1:
                count = 4096 * (1 + index % 3)
                at = yield from self._collective(self.world, "allReduce", "c10d::allreduce_", count, at)
        if len(self.pipeline.members) > 1:
            kind = "send" if rank.number % 2 == 0 else "receive"
            at = yield from self._collective(self.pipeline, kind, f"c10d::{kind}", 8192, at)
        return at

    def _collective(self, group: Group, kind: str, op: str, count: int, at: int) -> Generator[Meeting, int, int]:
        """Event from the compute stream, then the collective on its own streams, launched from the backward thread."""
        rank, thread = self.rank, self.rank.backward
        stream = group.streams[0]
        end, recorded = self.simple("record_event", "aclrtRecordEvent", "EVENT_RECORD", at, thread, COMPUTE_STREAM, 20)
        end, _ = self.simple("wait_event", "aclrtStreamWaitEvent", "EVENT_WAIT", end + 200, thread, stream, 40)
        begin, work = self._queue(f"Hccl{kind.capitalize()}", end + 2_500, thread, 9_000)
        worker = rank.worker if self.options.queue else thread
        index = self._operations[group]
        self._operations[group] = index + 1
        done = yield from collective.run(rank, group, kind, index, count, begin, work, worker, recorded + 300)
        self.collectives.append(done)
        inner_end = end + 5_200 if self.options.queue else begin + work + 600
        rank.op(f"Hccl{kind.capitalize()}", end + 2_500, inner_end, thread)
        rank.op(op, end + 500, inner_end + 800, thread)
        return inner_end + 2_000

    def _optimize(self, at: int, count: int) -> Generator[Meeting, int, tuple[int, int]]:
        """Optimizer step: waits for the collectives, updates, gathers."""
        rank, start = self.rank, at
        at += 2_000
        if self.collectives:
            done = max(collective.end for collective in self.collectives)
            length = max(40, done - rank.stream_free(COMPUTE_STREAM) - 300)
            wait = ("wait_event", "aclrtStreamWaitEvent", "EVENT_WAIT")
            at, _ = self.simple(*wait, at, rank.main, COMPUTE_STREAM, length)
        for index in range(count):
            at, block = self.launch(OPTIMIZER[index % len(OPTIMIZER)], at + 600, rank.main, 64)
            if block:
                block.release = at + 500
        rank.op("Optimizer.step#AdamW.step", start, at + 800, rank.main, frames=_FRAMES)
        at += 2_000
        if self.options.ranks > 1:
            at = yield from self._collective(self.world, "allGather", "c10d::_allgather_base_", 16384, at)
        streams = (COMPUTE_STREAM, GRAPH_STREAM, *self.world.streams, *self.pipeline.streams)
        return at, max(map(rank.stream_free, streams))

    def _synchronise(self, at: int, device_end: int) -> int:
        rank = self.rank
        end = max(at, rank.worker_free, device_end) + 5_000
        rank.api("aclrtSynchronizeStreamWithTimeout", at + 500, end - 500, ACL, rank.main)
        rank.python("torch_npu/npu/utils.py(53): synchronize", at, end)
        return end

    def _close(self, number: int, start: int, end: int) -> None:
        rank, file = self.rank, self.rank.file
        end += 1_000
        name = file.unique_string(f"ProfilerStep#{number}", FRAMEWORK)
        thread = rank.global_thread(rank.main)
        file.add("PYTORCH_API", (str(start), str(end), thread, None, name, -1, 0, None, None, None, OP))
        file.add("STEP_TIME", (number, start, end))
        self.host = (start, end)
        rank.python("train.py(34): train_step", start - 200, end + 200)
        if self.options.memory:
            rank.memory.write_step(end - 100)
        if self.options.counters:
            rank.sample_counters(start + 10_000)
        if self.options.marks:
            for row in self._marks(start, end):
                file.add("MSTX_EVENTS", row)
        rank.now = end + 2_000 + rank.random.randrange(8_000)

    def _marks(self, start: int, end: int) -> Iterator[tuple[int, ...]]:
        """A marker, a nested range, and two ranges of which each outlives the beginning of the next."""
        thread, text = self.rank.global_thread(self.rank.main), self.rank.file.string
        middle = (start + end) // 2
        for kind, first, last, message in (
            (0, start + 500, start + 500, "batch"),
            (1, start + 1_000, end - 1_000, "step"),
            (2, start + 2_000, middle + 3_000, "load and forward"),
            (2, middle, end - 500, "backward and update"),
        ):
            yield first, last, kind, NONE, NONE, text(message), thread, thread, text("default"), _NO_MARK

    def _next(self) -> int:
        self._sequence += 1
        return self._sequence
