"""Captured graphs of a training process: capture or restore, replay, change."""

from . import codes
from .framework_records import USER_SCOPE
from .graph_records import CapturedOp, GraphRecords
from .model import GRAPH_ORDER, LAYERS, VARIANTS
from .prof_directory import GRAPH_STREAM, STREAM


class Graphs:
    def __init__(self, rank):
        options = rank.options
        self.rank, self.prof, self.options = rank, rank.prof, options
        self.records = GraphRecords(rank.prof, rank.rng, None if options.graph_mode == "bare" else options.op_info)
        self.current, self.ops, self.tasks = -1, [], []

    def wanted(self, step):
        """Number of the graph that a step uses; -1: none."""
        return step * self.options.graphs // self.options.steps if self.options.graph_mode != "none" else -1

    def change(self, moment, number):
        """To another graph, if it is not the current one; the main thread's moment after."""
        if number == self.current:
            return moment
        self.current = number
        if number:
            moment = self.records.destroy(self.rank.training.synchronise(moment)) // 20 * 20
        self.records.model = 7 + number
        return self._prepare(moment)

    def _prepare(self, moment):
        layers = [GRAPH_ORDER[place % len(GRAPH_ORDER)] for place in range(self.options.graph_ops)]
        begin = max(moment, self.rank.queue.idle_from)
        if self.options.graph_mode != "capture":
            self.ops = self._captured_ops(layers)
            self.tasks, moment = self.records.restore(begin, self.ops)
            return moment
        tid, prof = self.rank.main_tid, self.prof
        prof.call(codes.L_ACL, codes.ACL_GRAPH_BEGIN, begin, begin + 10_000)
        self.records.stream(begin + 5_000, 0)
        self.tasks, saved = [], []
        moment = self.rank.training.forward(begin + 20_000, layers, saved, GRAPH_STREAM, False, self.tasks)
        self.ops = self._captured_ops(layers)
        for activation in saved:
            self.rank.memory.free(moment, tid, activation.address)
            moment += 100
        moment = max(moment, self.rank.queue.idle_from) + 2_000
        prof.call(codes.L_ACL, codes.ACL_GRAPH_END, moment, moment + 10_000)
        return moment + 30_000

    def _captured_ops(self, layers):
        ops = []
        for place, layer in enumerate(layers):
            kernel = LAYERS[layer].kernel
            self.prof.acl(kernel.api)
            tensors = kernel.tensors(place * 3 % VARIANTS)
            ops.append(
                CapturedOp(
                    kernel.name, kernel.op_type, kernel.ge_type, kernel.rt_type, kernel.sqe, kernel.core, tensors
                )
            )
        return ops

    def replay(self, moment):
        """A record_function range around one execution, which the main thread calls itself."""
        begin = self.rank.queue.room(STREAM, max(moment + 2_000, self.rank.queue.idle_from))
        op = self.rank.framework.op(moment, begin + 18_000, self.rank.main_tid, "graph_replay", scope=USER_SCOPE)
        return self.records.replay(begin, self.tasks, self.ops, op) // 20 * 20

    def close(self, moment):
        """At the end of the program a graph that it captured is destroyed."""
        if self.current >= 0 and self.options.graph_mode == "capture":
            return self.records.destroy(moment)
        return moment
