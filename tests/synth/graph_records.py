"""Captured graphs as the runtime reports them (aclgraph.md): their streams, cached operators, replays, their end."""

from typing import NamedTuple

from . import codes, host_records
from .prof_directory import GRAPH_STREAM, STREAM
from .truth import description


class CapturedOp(NamedTuple):
    name: str
    op_type: str
    ge_type: int
    rt_type: int
    sqe: int
    core: str
    tensors: list


class GraphRecords:
    """model: id of the captured graph (not a model of the graph engine)."""

    def __init__(self, prof, rng, op_info):
        self.prof, self.rng, self.op_info = prof, rng, op_info
        self.model = 7

    def stream(self, moment, status):
        streams = (GRAPH_STREAM, STREAM) if status == 0 else (0xFFFF, 0xFFFF)
        payload = host_records.capture_stream(status, *streams, self.model, self.prof.device)
        kind = codes.RT_CAPTURE_STREAM
        self.prof.compact("capture_stream_info", codes.L_RUNTIME, kind, moment, payload, retention="unaging")
        if status == 0:
            self.prof.truth.begin_graph(moment, self.model)
        else:
            self.prof.truth.end_graph(moment)

    def restore(self, moment, ops):
        """Profiling began after the capture: the runtime reports what it cached.  op_info "fixed" or "variable" is the
        container of the descriptions; None: there are none, only names of kernels.  The tasks, and the moment after."""
        self.stream(moment, 0)
        tasks = []
        for op in ops:
            moment += 100
            task = self.prof.task_id(GRAPH_STREAM)
            tasks.append(task)
            launch = self.prof.track(moment, GRAPH_STREAM, task, op.rt_type, self.prof.text(f"{op.name}_kernel"))
            if self.op_info:
                self._cached(moment, task, op)
                launch.kernel = description(op.name, op.op_type, op.core, 20, op.tensors)
        return tasks, moment + 50_000

    def _cached(self, moment, task, op):
        prof = self.prof
        texts = [prof.text(text) for text in (op.name, op.op_type, '{"transpose":false}')]
        payload = host_records.captured_op(
            self.model, prof.device, GRAPH_STREAM, task, op.ge_type, 20, *texts, 0, op.tensors
        )
        level, kind = codes.L_RUNTIME, codes.RT_OP_INFO
        if self.op_info == "fixed":
            prof.additional("capture_op_info", level, kind, moment, payload, retention="unaging")
        else:
            record = host_records.variable(level, kind, prof.tid, prof.clock.host(moment), payload)
            prof.record("variable.capture_op_info", record, "unaging")

    def replay(self, begin, tasks, ops, by=None):
        """One call that executes the graph, on behalf of an operator; the moment after."""
        prof = self.prof
        prof.truth.replay(len(tasks), by)
        prof.call(codes.L_ACL, codes.ACL_GRAPH_EXEC, begin, begin + 15_000, op=by)
        prof.call(codes.L_RUNTIME, codes.RT_MODEL_EXECUTE_API, begin + 3_000, begin + 12_000, op=by)
        wait = prof.task_id(STREAM)
        prof.track(begin + 8_000, STREAM, wait, codes.T_MODEL_EXECUTE, op=by)
        last = begin + 20_000
        for task, op in zip(tasks, ops, strict=True):
            duration = 6_000 + self.rng.randrange(3_000)
            _, last = prof.run(GRAPH_STREAM, task, op.sqe, last, duration, op.core)
        prof.run(STREAM, wait, codes.SQE_NOTIFY_WAIT, begin + 18_000, max(last - begin - 18_000, 500))
        return max(begin + 60_000, last + 20_000)

    def destroy(self, moment):
        """One end record and, as the stream's id becomes free for another graph, a flip numbered 0xFFFF on both sides:
        without it a second graph on that stream would share its tasks with the first.  The moment after."""
        moment = self.prof.when_idle(GRAPH_STREAM, moment) + 5_000
        self.stream(moment, 1)
        self.prof.flip(moment, GRAPH_STREAM, 0xFFFF)
        return moment + 20_000
