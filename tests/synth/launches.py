"""Kernel launches of the queue thread: calls, task, descriptions, and what the device does."""

from typing import NamedTuple

from . import codes, host_records
from .prof_directory import STREAM
from .truth import Op, description

ATTRIBUTES = '{"transpose":false}'


class Enqueued(NamedTuple):
    """end: on the calling thread.  task: its id.  op: the operator that enqueued."""

    end: int
    task: int
    op: Op


class Launches:
    """detailed: operators are described, from level l1 on."""

    def __init__(self, rank, detailed):
        self.rank, self.prof, self.queue, self.detailed = rank, rank.prof, rank.queue, detailed
        self.tid = rank.queue_tid
        self.known = {}

    def enqueue(self, moment, tid, kernel, variant, stream=STREAM, on_device=True):
        """Enqueued on the calling thread, dequeued and launched on the queue thread."""
        end, queued = self.queue.enqueue(moment, tid, kernel.api)
        op = self.rank.truth.ops[queued.op]
        begin = self.queue.dequeue_at(end, stream)
        task = self._launch(kernel, variant, begin + 800, stream, on_device, op)
        if kernel.core == "mix":
            self.rank.memory.use_workspace(begin + 1_000, (variant + 1) << 20)
        self.queue.dequeued(begin, begin + 11_400, queued)
        return Enqueued(end, task, op)

    def _records(self, kernel, variant):
        """What does not change from launch to launch: two calls, hashes of names, the payloads of descriptions."""
        key = (kernel.name, variant)
        if key not in self.known:
            prof = self.prof
            name, op_type = prof.text(kernel.name), prof.text(kernel.op_type)
            # the log of a real process holds whole records: 232 bytes whatever was used of them
            whole = [payload.ljust(232, b"\0") for payload in host_records.tensor_info(name, kernel.tensors(variant))]
            self.known[key] = (
                (prof.acl(kernel.api), prof.acl(f"{kernel.api}GetWorkspaceSize")),
                (name, prof.text(f"{kernel.name}_kernel")),
                host_records.node_basic(name, kernel.ge_type, op_type, kernel.blocks),
                host_records.node_attr(name, prof.text(ATTRIBUTES)),
                whole,
                host_records.context_ids(name, 0),
            )
        return self.known[key]

    def _launch(self, kernel, variant, begin, stream, on_device, op):
        """The CANN calls of one operator within 10 us on the queue thread; the task's id."""
        (call, workspace_call), (name, kernel_name), basic, attributes, tensors, contexts = self._records(
            kernel, variant
        )
        prof, tid, node = self.prof, self.tid, codes.L_NODE
        prof.call(codes.L_ACL, workspace_call, begin - 600, begin - 100, tid=tid, op=op)
        extra = self.rank.jitter(900)
        prof.call(codes.L_ACL, call, begin, begin + 9_600 + extra, tid=tid, op=op)
        prof.call(node, codes.NODE_LAUNCH, begin + 1_600, begin + 7_600 + extra, name, tid, op)
        prof.call(codes.L_RUNTIME, codes.RT_KERNEL_LAUNCH, begin + 2_000, begin + 5_000 + extra, tid=tid, op=op)
        task = prof.task_id(stream)
        launch = prof.track(begin + 3_600, stream, task, kernel.rt_type, kernel_name, tid, op)
        launch.called = kernel.name
        if self.detailed:
            launch.kernel = description(
                kernel.name, kernel.op_type, kernel.core, kernel.blocks, kernel.tensors(variant)
            )
            moment = begin + 6_600
            prof.compact("node_basic_info", node, codes.NODE_BASIC, moment, basic, tid)
            prof.compact("node_attr_info", node, codes.NODE_ATTR, moment, attributes, tid)
            for payload in tensors:
                prof.additional("tensor_info", node, codes.NODE_TENSOR, moment, payload, tid)
            if kernel.core == "mix":
                prof.additional("context_id_info", node, codes.NODE_CTX, moment, contexts, tid)
        if on_device:
            duration = kernel.duration + variant * 1_000 + self.rank.jitter(kernel.duration // 8)
            self._run(kernel, stream, task, begin + 6_000, duration)
        return task

    def _run(self, kernel, stream, task, earliest, duration):
        if kernel.core == "mix":
            cycles = int(duration * 1.65) * 20 if self.prof.pmu else None
            self.prof.run_mixed(stream, task, earliest, duration, cycles, 8)
        elif kernel.core == "aicpu":
            self.prof.run_on_cpu(stream, task, earliest, duration)
        else:
            self.prof.run(stream, task, kernel.sqe, earliest, duration, kernel.core)
