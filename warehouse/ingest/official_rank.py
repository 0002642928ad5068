"""One official database into the warehouse: the passes in their order."""

from __future__ import annotations

from warehouse.ingest.analysis import AnalysisSample
from warehouse.ingest.clocks import note_clocks
from warehouse.ingest.comm import Groups, load_comm_tasks
from warehouse.ingest.device import DevicePass
from warehouse.ingest.few_records import (
    load_aicpu,
    load_cache_rates,
    load_comm_turns,
    load_copies,
    load_counters,
    load_gc,
    load_marks,
    load_overlap,
    load_stacks,
)
from warehouse.ingest.graphs import Graphs
from warehouse.ingest.host import HostPass, load_steps
from warehouse.ingest.kernels import KernelCatalogue, load_kernels
from warehouse.ingest.launches import LaunchPass, Windows
from warehouse.ingest.memory import load_memory
from warehouse.ingest.metrics import MetricPass
from warehouse.ingest.rank_load import RankLoad
from warehouse.ingest.strings import nullable
from warehouse.ingest.summaries import Summaries
from warehouse.readers.facts import RankFacts


def load_rank(load: RankLoad, facts: RankFacts, catalogue: KernelCatalogue, analysis: AnalysisSample) -> None:
    """Write all facts of the rank; `rank`, `source` and `issue` rows are the caller's.

    The order is given by what later passes look up: calls before launches, launches and kernels before tasks, tasks
    before what belongs to them.
    """
    with Summaries(load) as summaries:
        _load_passes(load, facts, catalogue, analysis, summaries)
    note_clocks(load, facts)


def _load_passes(
    load: RankLoad, facts: RankFacts, catalogue: KernelCatalogue, analysis: AnalysisSample, summaries: Summaries
) -> None:
    steps, step_rows = load_steps(load)
    stack_base = load_stacks(load)
    host = HostPass(load, steps, stack_base, summaries).run()
    launches, windows, executions = LaunchPass(load, steps, host.calls).run()
    _write_steps(load, step_rows, windows)
    graphs = Graphs(load, executions, host.calls, launches)
    graphs.load_graphs()
    graphs.load_replays()
    kernels = load_kernels(load, catalogue)
    graphs.load_nodes(kernels)
    groups = Groups(load, facts.groups, analysis.group_hashes)
    only_device = facts.device_ids[0] if len(facts.device_ids) == 1 else None
    device = DevicePass(load, steps, windows, launches, kernels, graphs, groups, only_device, summaries).run()
    graphs.write()
    MetricPass(load, device.tasks).run()
    load_copies(load, device.tasks)
    load_cache_rates(load, device.tasks)
    load_aicpu(load, device.tasks)
    load_comm_turns(load)
    load_comm_tasks(load, groups, device.tasks, device.operations, summaries)
    groups.write()
    summaries.finish()
    load_gc(load)
    load_marks(load)
    load_memory(load, host.allocations)
    load_counters(load)
    load_overlap(load)
    load.finish()


def _write_steps(load: RankLoad, rows: list[dict[str, int]], windows: Windows) -> None:
    if rows:
        first = load.loader.reserve("step", 0) - len(rows)
        load.write(
            "step",
            {
                "id": list(range(first, first + len(rows))),
                **{name: [row[name] for row in rows] for name in ("step_no", "start_ns", "end_ns")},
                "device_start_ns": nullable(windows.text_starts),
                "device_end_ns": nullable(windows.text_ends),
                "task_start_ns": nullable(windows.task_starts),
                "task_end_ns": nullable(windows.task_ends),
            },
        )
