"""Options of the simulated run."""

import argparse
from pathlib import Path

LAST_FIRST_TASK = 0xFFC0


def _parser():
    parser = argparse.ArgumentParser(
        prog="python -m tests.synth",
        description="Write complete raw profile directories <worker>_<pid>_<time>_ascend_pt, one a rank.",
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    add = parser.add_argument
    add("output", help="directory that receives them")
    add("--ranks", type=int, default=1)
    add("--steps", type=int, default=2)
    add("--ops-per-step", type=int, default=20, help="kernels launched eagerly: 2/5 forward, 2/5 backward, optimizer")
    add("--collectives", type=int, default=None, help="a step; default 2 with several ranks, else 0")
    add("--p2p", action="store_true", help="every third collective is a send or receive")
    add(
        "--graph-mode",
        choices=("none", "capture", "replay", "bare"),
        default="none",
        help="capture: profiled as well; replay: profiling began after it; bare: without descriptions either",
    )
    add("--graph-ops", type=int, default=6, help="kernels of a captured graph")
    add("--graphs", type=int, default=1, help="graphs one after the other on one stream")
    add("--replays", type=int, default=2, help="a step")
    add("--capture-in-step", action="store_true", help="graphs are prepared inside a step instead of before it")
    add("--op-info", choices=("fixed", "variable"), default="fixed", help="container of cached descriptions")
    add("--level", choices=("l0", "l1", "l2"), default="l1")
    add("--with-stack", action="store_true", help="call stacks, module names, files of the Python tracer")
    add("--gc", action="store_true", help="runs of the garbage collector")
    add("--no-memory", action="store_true", help="no events of the allocator, no counters of memory")
    add("--no-rank-id", action="store_true", help="profiler_info.json without a rank")
    add("--x86", action="store_true", help="stamps of the host are ns, it has no counter")
    add("--slices", type=int, default=1, help="files a stream")
    add("--first-task", type=int, default=0, help="of the compute stream; near 65472 a short run wraps")
    add("--worker", default="node0")
    add("--seed", type=int, default=1)
    add("--truth", metavar="DIR", help="write there what the program did, truth_<rank>.json")
    return parser


def parse_options(argv=None):
    """Options from arguments, those of the command without argv.  Exits with a message if they contradict.

    >>> parse_options(["out", "--ranks", "2"]).collectives
    2
    """
    parser = _parser()
    options = parser.parse_args(argv)
    if options.collectives is None:
        options.collectives = 2 if options.ranks > 1 else 0
    if options.p2p and options.ranks % 2:
        parser.error("--p2p needs an even number of ranks")
    if options.no_rank_id and options.ranks > 1:
        parser.error("--no-rank-id is for a single process")
    if not 0 <= options.first_task <= LAST_FIRST_TASK:
        parser.error(f"--first-task is between 0 and {LAST_FIRST_TASK}")
    if options.graph_ops >= LAST_FIRST_TASK:
        parser.error(f"a graph holds fewer than {LAST_FIRST_TASK} kernels")
    if Path(options.output).is_dir() and any(Path(options.output).iterdir()):
        parser.error("the output directory is not empty")
    return options
