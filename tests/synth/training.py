"""The steps of a training program: copy, forward, backward, optimizer, replays, synchronise."""

from typing import NamedTuple

from . import codes
from .framework_records import CALL, USER_SCOPE
from .model import KERNELS, LAYERS, OPTIMIZER, ORDER, VARIANTS, Layer
from .prof_directory import COMM_STREAM, STREAM

OUTER_FRAMES = ("train.py(70): <module>", "train.py(60): main")  # on the stack when the tracer began
FIRST_STEP = 3  # the schedule skipped, waited and warmed up before
OBJECTS = 0x7F00_0000_0000  # where the host keeps its modules
MODEL = OBJECTS - 64


class Activation(NamedTuple):
    """What the backward of a layer needs."""

    layer: Layer
    variant: int
    sequence: int
    address: int
    size: int


class Training:
    def __init__(self, rank):
        self.rank, self.prof, self.options = rank, rank.prof, rank.options
        self.framework, self.memory, self.queue, self.launches = rank.framework, rank.memory, rank.queue, rank.launches
        self.main, self.backward_tid, self.truth = rank.main_tid, rank.backward_tid, rank.truth
        self.sequence = 100
        self.flow = None  # address that the next operator reads

    def frames(self, *inner):
        """Call stack of an operator, innermost frame first; None without stacks."""
        if not self.options.with_stack:
            return None
        return (*inner, "train.py(30): train_step", "train.py(60): main", "train.py(70): <module>")

    # --- forward -----------------------------------------------------------------------------------------------------
    def forward(self, moment, layers, saved, stream=STREAM, on_device=True, tasks=None):
        """Operators on the main thread; saved takes what backward needs, tasks the ids of their tasks."""
        for index, name in enumerate(layers):
            layer, begin, frames = LAYERS[name], moment, None
            if self.options.with_stack:
                frames = self.frames(*([layer.frame] if layer.frame else []), "model.py(40): forward")
                self._enter(moment, layer, OBJECTS + 64 * (index % 64 + 100 * list(LAYERS).index(name)))
                begin += 600
            activation, task, end = self._operator(begin, layer, index * 3 % VARIANTS, stream, on_device, frames)
            saved.append(activation)
            if tasks is not None:
                tasks.append(task)
            if self.options.with_stack:
                self._leave(end, layer)
                end += 800
            self.flow = activation.address
            moment = end + 800 + self.rank.jitter(1_200)
        return moment

    def _enter(self, moment, layer, address):
        if layer.module:
            self.framework.enter(moment, self.main, f"{layer.module}######{address}", address)
            self.framework.enter(moment + 200, self.main, layer.frame)
        self.framework.enter(moment + 400, self.main, layer.builtin, is_c=True)

    def _leave(self, moment, layer):
        self.framework.leave(moment + 200, self.main, is_c=True)
        if layer.module:
            self.framework.leave(moment + 400, self.main)
            self.framework.leave(moment + 600, self.main)

    def _operator(self, begin, layer, variant, stream, on_device, frames):
        """One layer's operators and its launch: what backward needs, the task, the end."""
        kernel, tid = layer.kernel, self.main
        size = 4
        for extent in kernel.dims(variant)[-1]:
            size *= extent
        out = self.memory.malloc(begin + 2_600, tid, size)
        end, task, op = self.launches.enqueue(begin + 4_000, tid, kernel, variant, stream, on_device)
        sequence, self.sequence = self.sequence, self.sequence + 1
        texts = {"kernel": kernel, "variant": variant, "frames": frames}
        texts["storages"] = [self.flow or out] * (len(kernel.shapes) - 1)
        if layer.inner:
            op = self.framework.op(begin + 2_000, end + 800, tid, layer.inner, sequence=sequence, inside=[op], **texts)
            self.memory.asked_by(out, op)
        end += 1_600
        op = self.framework.op(begin, end, tid, layer.outer, sequence=sequence, inside=[op], **texts)
        if not layer.inner:
            self.memory.asked_by(out, op)
        return Activation(layer, variant, sequence, out, size), task, end

    # --- backward ----------------------------------------------------------------------------------------------------
    def backward(self, moment, saved):
        """On the backward thread.  A generator: collectives are yielded."""
        op, tid, count = self.framework.op, self.backward_tid, self.options.collectives
        buckets = {(place + 1) * len(saved) // count - 1 for place in range(count)}
        for number, (layer, variant, sequence, activation, size) in enumerate(reversed(saved)):
            kernel = layer.grad_kernel
            gradient = self.memory.malloc(moment + 3_200, tid, size)
            end, _, row = self.launches.enqueue(moment + 4_600, tid, kernel, variant)
            inputs = [activation] * (len(kernel.shapes) - 1)
            row = op(moment + 2_400, end + 800, tid, layer.grad_op, kernel, variant, storages=inputs, inside=[row])
            self.memory.asked_by(gradient, row)
            row = op(moment + 1_200, end + 1_600, tid, layer.node, sequence=sequence, forward=1, scope=1, inside=[row])
            evaluation = f"autograd::engine::evaluate_function: {layer.node}"
            op(moment, end + 2_600, tid, evaluation, sequence=sequence, forward=1, inside=[row])
            self.memory.free(end + 2_000, tid, activation, pending=number % 7 == 3)
            moment = end + 3_400 + self.rank.jitter(1_200)
            if layer.module == "Linear":
                moment = self._accumulate(moment)
            self.memory.free(moment, tid, gradient)
            moment += 600
            if number in buckets:
                moment = yield from self.rank.collectives.run(moment, tid)
        return moment

    def _accumulate(self, moment):
        op, tid, node = self.framework.op, self.backward_tid, "torch::autograd::AccumulateGrad"
        row = op(moment + 1_000, moment + 1_800, tid, "aten::detach")
        row = op(moment + 600, moment + 2_200, tid, node, forward=1, scope=1, inside=[row])
        op(moment, moment + 2_800, tid, f"autograd::engine::evaluate_function: {node}", forward=1, inside=[row])
        return moment + 3_400

    # --- the rest of a step ------------------------------------------------------------------------------------------
    def optimizer(self, moment, count):
        tid, begin, inside = self.main, moment, []
        if self.options.collectives:
            moment, _, recording = self.queue.event(moment + 1_000, tid, True, COMM_STREAM)
            moment, _, waiting = self.queue.event(moment + 600, tid, False, STREAM)
            inside = [recording, waiting]
            self.prof.idle_from[STREAM] = self.prof.when_idle(COMM_STREAM, self.prof.idle_from[STREAM])
        moment += 1_000
        frames = self.frames("torch/optim/adamw.py(243): step", "torch/optim/optimizer.py(487): wrapper")
        for index in range(count):
            name, kernel = OPTIMIZER[index % len(OPTIMIZER)]
            variant = index % VARIANTS
            end, _, op = self.launches.enqueue(moment + 2_000, tid, kernel, variant)
            inside.append(self.framework.op(moment, end + 800, tid, name, kernel, variant, frames, inside=[op]))
            moment = end + 1_600 + self.rank.jitter(800)
        self.framework.op(begin, moment, tid, "Optimizer.step#AdamW.step", scope=USER_SCOPE, inside=inside)
        return moment + 1_000

    def unique(self, moment):
        """An operator of the AI CPU."""
        kernel = KERNELS["unique"]
        end, _, op = self.launches.enqueue(moment + 2_000, self.main, kernel, 0)
        self.framework.op(moment, end + 800, self.main, "aten::_unique2", kernel, 0, self.frames(), inside=[op])
        return end + 2_000

    def synchronise(self, moment):
        """The main thread waits until queue and device are idle."""
        idle = max(self.queue.idle_from, *self.prof.idle_from.values())
        end = max(moment + 4_000, idle // 20 * 20 + 4_000)
        self.prof.call(codes.L_ACL, codes.ACL_SYNCHRONIZE, moment, end, tid=self.main)
        return end + 1_000

    def collect(self, moment):
        """The garbage collector runs."""
        duration = 2_000_000 + self.rank.jitter(400_000)
        self.framework.collection(moment + 400, moment + 400 + duration)
        return moment + duration + 1_000

    def run(self):
        """All steps.  A generator: yields the moment at which this rank is ready for a collective, and receives the one
        at which all ranks are.  Returns the moment of the end."""
        moment = 2_000_000 + self.rank.jitter(40_000)
        opened = moment - 500_000
        if self.options.with_stack:
            for place, text in enumerate(OUTER_FRAMES):
                self.truth.enter(opened + 200 * place, self.main, text)
        for step in range(self.options.steps):
            graph = self.rank.graphs.wanted(step)
            if not self.options.capture_in_step and graph != self.rank.graphs.current:
                moment = self.rank.graphs.change(moment, graph) + 10_000
            with self.truth.in_step(FIRST_STEP + step, self.main):
                moment = yield from self.step(moment, step, graph)
            self.prof.log.flush()  # queue and device are idle: later records are later
            self.framework.drain()
            moment += 20_000 + self.rank.jitter(10_000)
        moment = self.rank.graphs.close(moment)
        if self.options.with_stack:
            self._close_tracer(opened)
        return moment

    def step(self, begin, number, graph):
        options, stacks, tid, framework = self.options, self.options.with_stack, self.main, self.framework
        count = options.ops_per_step
        forward_count = max(1, count * 2 // 5) if count else 0
        if stacks:
            framework.enter(begin - 400, tid, "train.py(30): train_step")
        moment = self.rank.graphs.change(begin + 3_000, graph)
        moment, batch = self.queue.copy_to_device(moment, tid, 1 << 20, self.frames("train.py(34): train_step"))
        moment += 1_000
        self.flow, saved = batch, []
        if stacks:
            framework.enter(moment - 600, tid, f"TransformerModel######{MODEL}", MODEL)
            framework.enter(moment - 400, tid, "model.py(40): forward")
        moment = self.forward(moment, [ORDER[place % len(ORDER)] for place in range(forward_count)], saved)
        if stacks:
            framework.leave(moment, tid)
            framework.leave(moment + 200, tid)
            moment += 400
        if options.gc and number % 2 == 0:
            moment = self.collect(moment)
        moment = yield from self.backward(moment + 4_000, saved)
        moment = self.optimizer(moment + 4_000, max(0, count - 2 * forward_count))
        if self.prof.runtime:
            moment = self.unique(moment)
        for _ in range(options.replays if options.graph_mode != "none" else 0):
            moment = self.rank.graphs.replay(moment)
        self.memory.free(moment, tid, batch)
        self.memory.on_host(moment + 200, tid)
        moment = self.synchronise(moment + 1_000)
        if stacks:
            framework.leave(moment + 800, tid)
        self.framework.op(begin, moment, tid, f"ProfilerStep#{FIRST_STEP + number}", scope=USER_SCOPE)
        if not options.no_memory:
            self.prof.sample_memory(moment)
        return moment

    def _close_tracer(self, opened):
        """Frames that were on the stack when the tracer began come at the end of its file."""
        for place, text in enumerate(OUTER_FRAMES):
            self.framework.call(opened + 200 * place, self.main, text, CALL)
        self.framework.end_tracer()
        if self.framework.with_tensors:
            self.framework.parameters(0x12C0_3000_0000, 0x12C0_3100_0000, "torch/optim/adamw.py(243): step")
