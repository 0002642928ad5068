"""Write the run directories of a simulated job, one a rank."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

from warehouse.sample import analysis, layout
from warehouse.sample.collective import Meeting
from warehouse.sample.official_file import OfficialFile
from warehouse.sample.options import GRAPHS, LEVELS, Options
from warehouse.sample.rank import START_NS, Rank
from warehouse.sample.training import FIRST_STEP, Steps, Training

_STAMP = "20251009085320000"
_MONOTONIC = 170_000_000_000  # monotonic clock at the start, ns


def write_profile(directory: str | Path, **settings: Any) -> list[Path]:
    """Write a small profile as torch_npu exports it (`export_type=db`); returns the run directories in `directory`.

    Settings, all optional: ranks, steps, ops_per_step, level (Level0, Level1, Level2), generation (1.2.0, 1.0.0), graph
    (none, capture, replay, bare), replays, stack, memory, counters, marks, queue, analysis, seed.  Equal settings give
    equal databases.  Memory does not grow with `steps`.

    Raises ValueError for an unknown setting, TypeError for one that does not exist.

    Example: `write_profile("job", ranks=1, steps=2)` makes
    `job/sim_41000_20251009085320000_ascend_pt/ASCEND_PROFILER_OUTPUT/ascend_pytorch_profiler_0.db`.
    """
    options = Options(**settings)
    for value, known in ((options.level, LEVELS), (options.graph, GRAPHS), (options.generation, layout.GENERATIONS)):
        if value not in known:
            raise ValueError(f"{value!r} is none of {', '.join(known)}")
    directories = [run_directory(Path(directory), number) for number in range(options.ranks)]
    with ExitStack() as stack:
        runs = [_Run(stack, path, number, options) for number, path in enumerate(directories)]
        for run in runs:
            run.training.capture()
        for number in range(FIRST_STEP, FIRST_STEP + options.steps):
            _meet([run.training.step(number) for run in runs])
            for run in runs:
                run.close_step(number)
        for run in runs:
            run.finish()
    return directories


def run_directory(directory: Path, rank: int) -> Path:
    """The run directory of a rank: `<host>_<pid>_<timestamp>_ascend_pt`."""
    return directory / f"sim_{41000 + 11 * rank}_{_STAMP}_ascend_pt"


def _meet(steps: list[Steps]) -> None:
    """Run all ranks' steps side by side: at a collective each goes on when the last member of its group is ready."""
    meetings = [next(step, None) for step in steps]
    while any(meetings):
        ready = [meeting.ready if meeting else 0 for meeting in meetings]
        meetings = [
            _resume(step, max(ready[member] for member in meeting.members) + 300) if meeting else None
            for step, meeting in zip(steps, meetings, strict=True)
        ]


def _resume(step: Steps, time: int) -> Meeting | None:
    try:
        return step.send(time)
    except StopIteration:
        return None


class _Run:
    """The files of one rank while they are written."""

    def __init__(self, stack: ExitStack, directory: Path, number: int, options: Options) -> None:
        self._directory, self._options = directory, options
        output = directory / "ASCEND_PROFILER_OUTPUT"
        output.mkdir(parents=True)
        path = output / f"ascend_pytorch_profiler_{number}.db"
        tables, enums = layout.tables(options.generation), layout.enums(options.generation)
        self.file = stack.enter_context(OfficialFile(path, tables, enums))
        self._analysis = None
        if options.analysis:
            tables = layout.analysis_tables(options.generation)
            self._analysis = stack.enter_context(OfficialFile(output / "analysis.db", tables))
        self.rank = Rank(self.file, number, options)
        self.training = Training(self.rank)
        if options.describes:
            connection = self.rank.unused_connection()
            self.rank.task("PROFILING_ENABLE", START_NS + 4_000_000, START_NS + 4_000_020, 0, connection)
        self._host_start = self.rank.now

    def close_step(self, number: int) -> None:
        """Write what is known only once the step is over, and forget it."""
        rank = self.rank
        if self._analysis:
            analysis.write_step(self._analysis, rank, number, self.training.host, self.training.collectives)
        rank.computing, rank.node_tasks = [], []

    def finish(self) -> None:
        rank, file, end = self.rank, self.file, self.rank.now + 100_000
        if self._options.describes:
            rank.task("PROFILING_DISABLE", end - 50_000, end - 49_980, 0, rank.unused_connection())
        rank.python("train.py(60): main", self._host_start - 1_000, end - 60_000)
        rank.python("train.py(70): <module>", self._host_start - 1_200, end - 59_800)
        if self._options.memory:
            rank.memory.finish()
        for at in (START_NS, end):
            rank.frequency(at, 1000)
        file.add("SESSION_TIME_INFO", (START_NS, end))
        file.add("NPU_INFO", (rank.device, "SimNPU"))
        file.add("HOST_INFO", ("7300000000000000001", "sim"))
        file.add("RANK_DEVICE_MAP", (rank.number, rank.device))
        for name, value in self._metadata().items():
            file.add("META_DATA", (name, value))
        self._write_json(end)

    def _metadata(self) -> dict[str, str]:
        major, minor, micro = self._options.generation.split(".")
        version = {"": self._options.generation, "_MAJOR": major, "_MINOR": minor, "_MICRO": micro}
        found = {f"SCHEMA_VERSION{part}": value for part, value in version.items()}
        found |= {"ENV_VARIABLES": json.dumps({"ASCEND_GLOBAL_LOG_LEVEL": ""}), "model_name": '"simulated transformer"'}
        if self._options.ranks > 1:
            found["parallel_group_info"] = json.dumps(self._groups())
        return found

    def _groups(self) -> dict[str, dict[str, Any]]:
        return {
            group.name: {
                "group_name": group.alias, "group_rank": group.members.index(self.rank.number),
                "global_ranks": list(group.members),
            }
            for group in (self.training.world, self.training.pipeline)
            if len(group.members) > 1
        }  # fmt: skip

    def _write_json(self, end: int) -> None:
        options, old = asdict(self._options), self._options.old
        info = {
            "config": {
                "common_config": {
                    "activities": ["ProfilerActivity.CPU", "ProfilerActivity.NPU"],
                    "schedule": {"wait": 1, "active": options["steps"], "warmup": 1, "repeat": 1, "skip_first": 1},
                    "record_shapes": True, "profile_memory": options["memory"], "with_stack": options["stack"],
                    "with_flops": False, "with_modules": False,
                },
                "experimental_config": {
                    "_profiler_level": options["level"], "_aic_metrics": "ACL_AICORE_PIPE_UTILIZATION",
                    "_l2_cache": False, "_data_simplification": True, "_gc_detect_threshold": 0.0,
                    "_export_type": "db" if old else ["db"],
                },
            },
            "start_info": {
                "syscnt_enable": True, "freq": 100, "start_cnt": _MONOTONIC // 10, "start_monotonic": _MONOTONIC,
            },
            "end_info": {"collectionTimeEnd": end, "MonotonicTimeEnd": _MONOTONIC + end - START_NS},
            "torch_npu_version": "0.0.0-sim", "cann_version": "0.0.0-sim", "rank_id": self.rank.number,
        }  # fmt: skip
        name = f"profiler_info_{self.rank.number}.json"
        (self._directory / name).write_text(json.dumps(info, indent=4), encoding="utf-8")
        metadata: dict[str, Any] = {"model_name": "simulated transformer"}
        if self._options.ranks > 1:
            metadata["parallel_group_info"] = self._groups()
        (self._directory / "profiler_metadata.json").write_text(json.dumps(metadata, indent=4), encoding="utf-8")

