"""Collectives, sends and receives: on two planes, each with its own stream."""

from typing import NamedTuple

from . import codes, host_records
from .model import COLLECTIVES, GROUPS
from .prof_directory import COMM_STREAM, COMM_STREAM_2, STREAM

PLANES = (COMM_STREAM, COMM_STREAM_2)
ALGORITHM = "MESH-RING-NB-HD"


class Task(NamedTuple):
    """A task of a collective on its plane; times are moments on the device."""

    name: str
    kind: int
    sqe: int
    plane: int
    begin: int
    end: int
    size: int
    peer: int


class Collectives:
    def __init__(self, rank, detailed):
        self.rank, self.prof, self.queue, self.detailed = rank, rank.prof, rank.queue, detailed
        self.tid = rank.queue_tid
        self.count = 0  # so far

    def next_kind(self):
        kinds = ["allReduce", "allGather"]
        if self.rank.has_pairs:
            kinds.append("receive" if self.rank.number % 2 else "send")
        return kinds[self.count % len(kinds)]

    def run(self, moment, tid):
        """The next one, issued by a thread.  A generator: yields the moment at which this rank is ready, and receives
        the one at which all are.  Returns the end on the thread."""
        kind = self.next_kind()
        queue_name, node_name, op = COLLECTIVES[kind]
        is_pair = kind in ("send", "receive")
        elements = 4096 * (1 + self.count % 4)
        end, _, recording = self.queue.event(moment + 1_000, tid, True, STREAM)
        end, waited, waiting = self.queue.event(end + 600, tid, False, COMM_STREAM)
        end, queued = self.queue.enqueue(end + 600, tid, queue_name)
        by = self.rank.truth.ops[queued.op]
        begin = self.queue.dequeue_at(end, COMM_STREAM)
        begin = self.queue.room(COMM_STREAM_2, begin)
        prof = self.prof
        group, tag, name = map(prof.text, (GROUPS["pipe" if is_pair else "world"], f"{node_name}tag", node_name))
        ready = max(begin + 12_000, waited, *(prof.when_idle(plane, 0) for plane in PLANES))
        go = (yield ready) + 1_000  # all ranks have arrived
        host = begin + 3_000
        plan = list(self._plan(kind, ready, go, elements * 4, self._peers(is_pair)))
        for number, task in enumerate(plan):
            self._task(host, number, task, tag, group, by)
            host += 3_600
        self.rank.truth.comm_op(node_name, prof.strings[group], elements, by, self.rank.number, plan, self.detailed)
        self._describe(host + 400, name, node_name, elements, group)
        prof.call(codes.L_NODE, codes.NODE_LAUNCH, begin + 2_000, host + 1_000, name, self.tid, by)
        call = prof.acl(node_name, codes.ACL_HCCL_FIRST)
        prof.call(codes.L_ACL, call, begin + 2_000, host + 1_000, tid=self.tid, op=by)
        self.queue.dequeued(begin, host + 3_000, queued)
        self.rank.framework.op(moment, end + 1_000, tid, op, inside=[recording, waiting, by])
        self.count += 1
        return end + 2_000

    def _peers(self, is_pair):
        """Of a pair the partner, else all others."""
        own, world = self.rank.number, self.rank.options.ranks
        peers = [own ^ 1] if is_pair else [peer for peer in range(world) if peer != own] or [0]
        return [peer % world for peer in peers]

    @staticmethod
    def _plan(kind, ready, go, nbytes, peers):
        cost = 2_000 + nbytes // 40 // 20 * 20
        for plane in range(len(PLANES)):
            at = go
            yield Task("Notify_Wait", codes.T_NOTIFY_WAIT, codes.SQE_NOTIFY_WAIT, plane, ready, at, 0, peers[0])
            for peer in peers[plane::2] if len(peers) > 1 else peers:
                name = "Reduce_Inline" if kind == "allReduce" and plane == 0 else "Memcpy"
                yield Task(name, codes.T_MEMCPY, codes.SQE_SDMA, plane, at + 300, at + 300 + cost, nbytes, peer)
                at += 300 + cost
            yield Task(
                "Notify_Record", codes.T_NOTIFY_RECORD, codes.SQE_NOTIFY_RECORD, plane, at + 300, at + 500, 0, peers[-1]
            )

    def _task(self, host, number, task, tag, group, by):
        """host: moment on the queue thread."""
        prof, stream, options = self.prof, PLANES[task.plane], self.rank.options
        plane_call = codes.HCCL_SLAVE if task.plane else codes.HCCL_MASTER
        name = prof.text(task.name)
        prof.call(codes.L_COMM, plane_call, host, host + 3_000, name, self.tid, by)
        task_id = prof.task_id(stream)
        prof.track(host + 1_200, stream, task_id, task.kind, tid=self.tid, op=by)
        if self.detailed:
            payload = host_records.hccl_info(
                name, tag, group, self.rank.number, task.peer, options.ranks, task.plane, 9 + number, 0, 1, 1.5,
                0x12C0_0000_1000, 0x12C0_0000_2000, task.size, 0, 4, int(task.size > 0), 0, 0xFFFFFFFF,
            )  # fmt: skip
            prof.additional("hccl_info", codes.L_COMM, codes.HCCL_INFO, host + 2_000, payload, self.tid)
        prof.ran(stream, task_id, task.sqe, task.begin, task.end)

    def _describe(self, moment, name, node_name, elements, group):
        prof, node = self.prof, codes.L_NODE
        basic = host_records.node_basic(name, codes.GE_COMMUNICATION, prof.text(node_name), 0)
        if self.detailed:
            prof.compact("node_basic_info", node, codes.NODE_BASIC, moment, basic, self.tid)
        payload = host_records.hccl_op(0, 4, prof.text(ALGORITHM), elements, group)
        prof.compact("hccl_op_info", node, codes.NODE_HCCL_OP_INFO, moment, payload, self.tid)
