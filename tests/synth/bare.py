"""Only a PROF_* directory: `python -m tests.synth.bare OUT KERNELS REPLAYS [options]`."""

import argparse
import os
import random
from pathlib import Path

from . import codes, host_records
from .clock import Clock
from .graph_records import CapturedOp, GraphRecords
from .launches import ATTRIBUTES
from .prof_directory import COMM_STREAM, GRAPH_STREAM, STREAM, ProfDirectory

TID = 2001
HALF_INPUT, HALF_OUTPUT = ((kind, codes.FMT_ND, codes.DT_FLOAT16, (1, 16, 128, 64)) for kind in (0, 1))


def operator(index):
    """The index-th one: additions and matrix products take turns."""
    if index % 2 == 0:
        tensors = [(kind, codes.FMT_ND, codes.DT_FLOAT, (16 * (index + 1), 128)) for kind in (0, 0, 1)]
        return CapturedOp("aclnnAdd_AddAiCore_Add", "Add", codes.GE_AIV, codes.T_AIVEC, codes.SQE_AIV, "aiv", tensors)
    rows = 32 * index
    shapes = ((0, (rows, 64)), (0, (64, rows)), (1, (rows, rows)))
    tensors = [(kind, codes.FMT_ND, codes.DT_FLOAT16, shape) for kind, shape in shapes]
    return CapturedOp(
        "aclnnMatmul_MatMulCommon_MatMulV2", "MatMulV2",
        codes.GE_AI_CORE, codes.T_AICORE, codes.SQE_AICORE, "aic", tensors,
    )  # fmt: skip


class BareProgram:
    """Launches on one thread, one after the other; `now` is the moment that was reached."""

    def __init__(self, options):
        self.options, self.rng, self.now = options, random.Random(options.seed), 1_000_000
        clock = Clock(options.x86)
        self.prof = ProfDirectory(Path(options.output), 0, clock, TID, options.level, not options.no_pmu)
        self.graphs = GraphRecords(self.prof, self.rng, None if options.graph_mode == "bare" else options.op_info)

    def launch(self, op, stream, on_device):
        """One launch as the host sees it; not on_device while capturing."""
        prof, begin = self.prof, self.now
        name, op_type = prof.text(op.name), prof.text(op.op_type)
        call = codes.ACL_NN_ADD if op.core == "aiv" else codes.ACL_NN_MATMUL
        task = self._calls(call, name, stream, op.rt_type, f"{op.name}_kernel")
        moment = begin + 14_000
        basic = host_records.node_basic(name, op.ge_type, op_type, 20)
        attributes = host_records.node_attr(name, prof.text(ATTRIBUTES))
        prof.compact("node_basic_info", codes.L_NODE, codes.NODE_BASIC, moment, basic)
        prof.compact("node_attr_info", codes.L_NODE, codes.NODE_ATTR, moment, attributes)
        self._tensors(moment, name, op.tensors)
        if on_device:
            prof.run(stream, task, op.sqe, begin + 15_000, 8_000 + self.rng.randrange(4_000), op.core)
        self.now = begin + 30_000
        return task

    def _calls(self, call, name, stream, kind, kernel_name):
        prof, begin = self.prof, self.now
        prof.call(codes.L_ACL, call, begin, begin + 20_000)
        prof.call(codes.L_NODE, codes.NODE_LAUNCH, begin + 4_000, begin + 16_000, name)
        if kind != codes.T_AICPU:
            prof.call(codes.L_RUNTIME, codes.RT_KERNEL_LAUNCH, begin + 6_000, begin + 12_000)
        task = prof.task_id(stream)
        # strictly inside the launch: start < stamp <= end
        prof.track(begin + 9_000, stream, task, kind, prof.text(kernel_name) if kernel_name else 0)
        return task

    def _tensors(self, moment, name, tensors):
        for payload in host_records.tensor_info(name, tensors):
            self.prof.additional("tensor_info", codes.L_NODE, codes.NODE_TENSOR, moment, payload)

    def mixed_kernel(self):
        """On cube and vector cores: context id, FFTS+ log, counters a task and a block."""
        prof, begin, name = self.prof, self.now, "aclnnFlashAttentionScore_FlashAttentionScore"
        number = prof.text(name)
        task = self._calls(codes.ACL_NN_MATMUL, number, STREAM, codes.T_MIX_AIC, f"{name}_mix_aic")
        moment = begin + 14_000
        # low half: blocks of the cube, high half: vector blocks for each of them
        basic = host_records.node_basic(number, codes.GE_MIX_AIC, prof.text("FlashAttentionScore"), 2 << 16 | 20)
        prof.compact("node_basic_info", codes.L_NODE, codes.NODE_BASIC, moment, basic)
        self._tensors(moment, number, [HALF_INPUT] * 6 + [HALF_OUTPUT])
        contexts = host_records.context_ids(number, 0)
        prof.additional("context_id_info", codes.L_NODE, codes.NODE_CTX, moment, contexts)
        prof.run_mixed(STREAM, task, begin + 15_000, 20_000, 20_000 * 20, 40)
        self.now = begin + 50_000

    def aicpu_kernel(self):
        prof, begin, name = self.prof, self.now, "aclnnUnique_Unique"
        number = prof.text(name)
        task = self._calls(codes.ACL_NN_ADD, number, STREAM, codes.T_AICPU, None)
        basic = host_records.node_basic(number, codes.GE_AI_CPU, prof.text("Unique"), 1)
        prof.compact("node_basic_info", codes.L_NODE, codes.NODE_BASIC, begin + 14_000, basic)
        prof.run_on_cpu(STREAM, task, begin + 15_000, 50_000)
        self.now = begin + 90_000

    def copy(self):
        prof, begin = self.prof, self.now
        task = prof.task_id(STREAM)
        prof.call(codes.L_ACL, codes.ACL_RT_MEMCPY, begin, begin + 10_000)
        prof.call(codes.L_RUNTIME, codes.RT_MEMCPY_ASYNC_API, begin + 2_000, begin + 8_000)
        prof.track(begin + 5_000, STREAM, task, codes.T_MEMCPY)
        prof.copy_info(begin + 5_000, 4096, 1 << 20)
        prof.run(STREAM, task, codes.SQE_SDMA, begin + 9_000, 3_000)
        self.now = begin + 20_000

    def all_reduce(self):
        prof, begin, node = self.prof, self.now, codes.L_NODE
        group, tag, name = map(prof.text, ("group_name_0", "all_reduce_tag", "hcom_allReduce__0_1"))
        end = begin + 100_000
        prof.call(codes.L_ACL, codes.ACL_HCCL, begin - 1_000, end + 1_000)
        prof.call(node, codes.NODE_HCCL_API, begin, end, name)
        basic = host_records.node_basic(name, codes.GE_COMMUNICATION, prof.text("hcom_allReduce_"), 0)
        prof.compact("node_basic_info", node, codes.NODE_BASIC, end - 1_000, basic)
        operation = host_records.hccl_op(0, 4, prof.text("MESH-RING-NB-HD"), 1024, group)
        prof.compact("hccl_op_info", node, codes.NODE_HCCL_OP_INFO, end - 1_000, operation)
        moment = begin + 5_000
        for step, (what, kind, sqe, size) in enumerate(
            (
                ("Notify_Wait", codes.T_NOTIFY_WAIT, codes.SQE_NOTIFY_WAIT, 0),
                ("Memcpy", codes.T_MEMCPY, codes.SQE_SDMA, 4096),
                ("Notify_Record", codes.T_NOTIFY_RECORD, codes.SQE_NOTIFY_RECORD, 0),
            )
        ):
            prof.call(codes.L_COMM, codes.HCCL_MASTER, moment, moment + 10_000, prof.text(what))
            task = prof.task_id(COMM_STREAM)
            prof.track(moment + 4_000, COMM_STREAM, task, kind)
            payload = host_records.hccl_info(
                prof.text(what), tag, group, 0, 1, 2, 0, 9 + step, step, 1, 1.5, 0x1000, 0x2000, size,
                0, 4, 1, 0, 0xFFFFFFFF,
            )  # fmt: skip
            prof.additional("hccl_info", codes.L_COMM, codes.HCCL_INFO, moment + 6_000, payload)
            prof.run(COMM_STREAM, task, sqe, end + 2_000, 5_000)
            moment += 15_000
        self.now = end + 30_000

    def capture(self, ops):
        """The host launches, nothing runs on the device."""
        begin = self.now
        self.prof.call(codes.L_ACL, codes.ACL_GRAPH_BEGIN, begin, begin + 10_000)
        self.graphs.stream(begin + 5_000, 0)
        self.now = begin + 20_000
        tasks = [self.launch(op, GRAPH_STREAM, False) for op in ops]
        self.prof.call(codes.L_ACL, codes.ACL_GRAPH_END, self.now, self.now + 10_000)
        self.now += 30_000
        return tasks

    def flip(self):
        """Copies use up the task ids of the compute stream."""
        self.prof.next_task[STREAM] = 0xFFFE
        self.copy()
        self.copy()
        self.now = self.prof.when_idle(STREAM, self.now) + 5_000
        self.prof.flip(self.now, STREAM, 0)
        self.now += 20_000

    def graph(self, number, ops):
        self.graphs.model = 7 + number
        if self.options.graph_mode == "capture":
            tasks = self.capture(ops)
        else:
            tasks, self.now = self.graphs.restore(self.now, ops)
        for _ in range(self.options.replays):
            self.now = self.graphs.replay(self.now, tasks, ops)
        self.now = self.graphs.destroy(self.now)

    def run(self):
        options, ops = self.options, [operator(index) for index in range(self.options.kernels)]
        for op in ops:
            self.launch(op, STREAM, True)
        if not options.no_memcpy:
            self.copy()
        if options.mix:
            self.mixed_kernel()
        if options.aicpu:
            self.aicpu_kernel()
        if options.flip:
            self.flip()
            for op in ops:
                self.launch(op, STREAM, True)
        if not options.no_hccl:
            self.all_reduce()
        for number in range(options.graphs if options.replays else 0):
            self.graph(number, ops)
        if not options.no_mem:
            self.prof.sample_memory(self.now)
        self.prof.close(self.now, options.slices)


def parse_bare_options(argv=None):
    parser = argparse.ArgumentParser(prog="python -m tests.synth.bare", description=__doc__.split(":")[0])
    parser.add_argument("output", help="directory to make, by custom PROF_000001_<time>_<letters>")
    parser.add_argument("kernels", type=int, help="operators launched, and again captured into the graph")
    parser.add_argument("replays", type=int, help="replays of the graph; 0: no graph")
    parser.add_argument("--graph-mode", choices=("capture", "replay", "bare"), default="replay")
    parser.add_argument(
        "--op-info", choices=("fixed", "variable"), default="fixed", help="container of cached operators"
    )
    parser.add_argument("--level", choices=("l0", "l1"), default="l1", help="profLevel in sample.json")
    parser.add_argument("--slices", type=int, default=1, help="files a stream")
    parser.add_argument("--graphs", type=int, default=1, help="graphs one after the other on one stream")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--flip", action="store_true", help="the task ids of the compute stream wrap once")
    parser.add_argument("--mix", action="store_true", help="a kernel of cube and vector cores")
    parser.add_argument("--aicpu", action="store_true", help="a kernel of the AI CPU")
    parser.add_argument("--x86", action="store_true", help="host without a counter: its stamps are ns")
    for name in ("--no-hccl", "--no-mem", "--no-pmu", "--no-memcpy"):
        parser.add_argument(name, action="store_true")
    options = parser.parse_args(argv)
    if Path(options.output).exists() and any(Path(options.output).iterdir()):
        parser.error("the output directory is not empty")
    return options


if __name__ == "__main__":
    os.umask(0o027)
    BareProgram(parse_bare_options()).run()
