"""One rank of the simulated job, and all ranks side by side."""

import random
from contextlib import suppress
from pathlib import Path

from .clock import Clock
from .codes import TRAINING_TYPE_NAMES
from .collectives import Collectives
from .framework_files import FrameworkFiles
from .graphs import Graphs
from .launches import Launches
from .pool import DeviceMemory
from .prof_directory import STREAM, ProfDirectory
from .profiler_json import write_profiler_json
from .task_queue import TaskQueue
from .training import Training
from .truth import Truth

STARTED = "20231125090304041"  # local time in names of directories


class Rank:
    """Its parts share the process: clock, random numbers, threads, the two directories it writes."""

    def __init__(self, options, number):
        self.options, self.number = options, number
        self.pid = 41_000 + 11 * number
        self.main_tid, self.backward_tid, self.queue_tid = self.pid, self.pid + 5, self.pid + 9
        self.directory = Path(options.output) / f"{options.worker}_{self.pid}_{STARTED}_ascend_pt"
        self.rng = random.Random(options.seed * 1009 + number)
        self.clock = Clock(options.x86)
        self.clock.dev_cnt += 1_234_567 * number  # every device has its own counter
        self.truth = Truth(self.clock, options.truth is not None)
        detailed = options.level != "l0"
        self.prof = self._prof_directory(detailed)
        with_tensors = options.with_stack and not options.no_memory
        self.framework = FrameworkFiles(
            self.directory / "FRAMEWORK", self.clock, self.pid, number, with_tensors, self.truth
        )
        self.memory = DeviceMemory(self)
        self.queue = TaskQueue(self)
        self.launches = Launches(self, detailed)
        self.collectives = Collectives(self, detailed)
        self.training = Training(self)
        self.graphs = Graphs(self)

    def _prof_directory(self, detailed):
        letters = "".join(chr(65 + self.number // 26**place % 26) for place in range(7, -1, -1))
        folder = self.directory / f"PROF_{self.number + 1:06d}_{STARTED}_{letters}"
        identity = {
            "pid": str(self.pid), "pid_name": "python3", "hostname": self.options.worker, "rank_id": self.number,
        }  # fmt: skip
        prof = ProfDirectory(
            folder, self.number, self.clock, self.main_tid, level="l1" if detailed else "l0", pmu=detailed,
            pmu_named=detailed, runtime=self.options.level == "l2", identity=identity, truth=self.truth,
        )  # fmt: skip
        prof.type_names |= TRAINING_TYPE_NAMES
        prof.next_task[STREAM] = self.options.first_task
        return prof

    @property
    def has_pairs(self):
        """Some collectives are sends and receives of two ranks."""
        return self.options.p2p and self.options.ranks > 1

    def jitter(self, most):
        """0 to most ns in steps of 20 ns, so that both counters represent every moment exactly."""
        return int(self.rng.random() * (most // 20 + 1)) * 20

    def run(self):
        """A generator, as `Training.run`."""
        moment = yield from self.training.run()
        self.framework.close()
        self.prof.close(moment, self.options.slices)
        write_profiler_json(self.directory, self.options, self.number, self.clock, moment)


def simulate(options):
    """All ranks, advanced from collective to collective; what they wrote lies in their `directory`."""
    ranks = [Rank(options, number) for number in range(options.ranks)]
    programs = [rank.run() for rank in ranks]
    answer = None
    while True:
        ready = []
        for program in programs:
            with suppress(StopIteration):
                ready.append(program.send(answer))
        if not ready:
            return ranks
        answer = max(ready)
