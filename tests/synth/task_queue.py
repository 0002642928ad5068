"""The host's task queue: calling threads enqueue, the queue thread dequeues and calls CANN."""

from . import codes
from .model import KERNELS
from .prof_directory import STREAM

LAST_TASK = 0xFFC0  # task ids have 16 bits; shortly before their end they begin anew


class TaskQueue:
    def __init__(self, rank):
        self.rank, self.prof, self.framework, self.truth = rank, rank.prof, rank.framework, rank.truth
        self.tid = rank.queue_tid
        self.correlation = 0
        self.idle_from = 0  # moment at which the queue thread becomes idle
        self.flips = {}  # stream -> number of its last flip

    def enqueue(self, moment, tid, name):
        """On the calling thread: an operator named like what it enqueues, marks inside.  Its end and the queue task."""
        correlation, self.correlation = self.correlation, self.correlation + 1
        end = moment + 2_600 + self.rank.jitter(400)
        self.framework.mark(moment + 600, 0, 0, tid, name)
        self.framework.mark(end - 600, 1, correlation, tid, name)
        op = self.framework.op(moment, end, tid, name)
        return end, self.truth.enqueue(correlation, name, op, moment + 600, end - 600)

    def dequeue_at(self, issued, stream):
        """When the queue thread begins with what was issued at that moment."""
        return self.room(stream, max(issued + 1_200 + self.rank.jitter(600), self.idle_from))

    def dequeued(self, begin, end, queued):
        self.framework.mark(begin, 2, queued.correlation_no, self.tid, queued.name)
        self.framework.mark(end, 3, queued.correlation_no, self.tid, queued.name)
        self.truth.dequeue(queued, begin, end)
        self.idle_from = end + 400

    def room(self, stream, moment):
        """The earliest moment of the next launch.  Shortly before a stream's task ids end the queue thread waits for
        the stream, and both sides report a flip."""
        if self.prof.next_task.get(stream, 0) < LAST_TASK:
            return moment
        at = self.prof.when_idle(stream, moment) // 20 * 20 + 5_000
        self.flips[stream] = self.flips.get(stream, -1) + 1
        self.prof.flip(at, stream, self.flips[stream], self.tid)
        return at + 10_000

    def event(self, moment, tid, is_record, stream):
        """record_event or wait_event: its end on the calling thread, the moment the device is done with it, its
        operator."""
        name = "record_event" if is_record else "wait_event"
        end, queued = self.enqueue(moment, tid, name)
        op = self.truth.ops[queued.op]
        begin = self.dequeue_at(end, stream)
        call, kind, sqe = (
            (codes.ACL_EVENT_RECORD, codes.T_EVENT_RECORD, codes.SQE_EVENT_RECORD)
            if is_record
            else (codes.ACL_EVENT_WAIT, codes.T_EVENT_WAIT, codes.SQE_EVENT_WAIT)
        )
        self.prof.call(codes.L_ACL, call, begin + 400, begin + 2_800, tid=self.tid, op=op)
        task = self.prof.task_id(stream)
        self.prof.track(begin + 1_600, stream, task, kind, tid=self.tid, op=op)
        _, done = self.prof.run(stream, task, sqe, begin + 2_000, 100)
        self.dequeued(begin, begin + 3_400, queued)
        return end, done, op

    def copy_to_device(self, moment, tid, size, frames):
        """aten::to -> aten::copy_ -> asynchronous copy.  Its end on the calling thread, and the address."""
        prof = self.prof
        address = self.rank.memory.malloc(moment + 1_500, tid, size)
        end, queued = self.enqueue(moment + 3_000, tid, "acl_memcpy_host_to_device")
        op = self.truth.ops[queued.op]
        begin = self.dequeue_at(end, STREAM)
        prof.call(codes.L_ACL, codes.ACL_RT_MEMCPY, begin + 800, begin + 8_000, tid=self.tid, op=op)
        prof.call(codes.L_RUNTIME, codes.RT_MEMCPY_ASYNC_API, begin + 1_600, begin + 7_000, tid=self.tid, op=op)
        task = prof.task_id(STREAM)
        launch = prof.track(begin + 4_000, STREAM, task, codes.T_MEMCPY, tid=self.tid, op=op)
        if prof.runtime:
            prof.copy_info(begin + 4_000, size, tid=self.tid)
            launch.copy_bytes = size
        prof.run(STREAM, task, codes.SQE_SDMA, begin + 7_200, 4_000 + self.rank.jitter(2_000))
        self.dequeued(begin, begin + 9_000, queued)
        for depth, name in enumerate(("aten::copy_", "aten::_to_copy", "aten::to")):
            first, last = moment + 2_400 - 1_200 * depth, end + 600 * (depth + 1)
            op = self.framework.op(first, last, tid, name, KERNELS["add_grad"], 0, frames, inside=[op])
            if depth == 1:
                self.rank.memory.asked_by(address, op)
        return end + 2_400, address
